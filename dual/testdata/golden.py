"""Writes golden.csv: the elementary functions and their first and second
derivatives, differentiated by SymPy and evaluated by mpmath to at least 30
digits, with the condition of each number in the arguments.

    pip install sympy          # brings mpmath
    python3 golden.py          # takes some minutes
    python3 golden.py Sin Pow  # only the lines of these anew, and of those that have none

A line is: function, parameter, x, y, then for each number its value rounded to
float64 and its condition Σ|xᵢ ∂ᵢg|/|g|. The numbers are F, F′, F″ of a function
of one argument, and F, ∂x, ∂y, ∂xx, ∂xy, ∂yy of two.
"""

import math
import multiprocessing
import pathlib
import sys

import mpmath
import sympy as sp

x, y = sp.symbols("x y", real=True)

tiny = [1e-300, 1e-100, 1e-17, 1e-9, 1e-5]
small = [0.01, 0.1, 0.25, 0.49, 0.5, 0.7, 0.9]
middle = [1.0, 1.3, 1.7, 2.0, 2.5, 3.7, 5.5, 7.25, 10.0]
large = [17.3, 25.5, 36.7, 100.25]
huge = [1e3, 1e9, 1e17, 1e100, 1e153, 1e200, 1e300]
edge = [1 - 2**-7, 1 - 2**-20, 1 - 2**-40, 1 - 2**-53]
above = [1 + 2**-52, 1 + 2**-40, 1 + 2**-20, 1 + 2**-7]
subnormal = [5e-324, 3e-310, 1e-308]
roots = [1.5e-162, 1e-154, 3e-103, 2e102, 1.3e154, 1.5e154, 3e161, 1.7e308]  # where squares and cubes leave the range
spread = [10 ** (0.37 * k - 6.1) for k in range(24)]
even = [(k + 0.37) / 13 for k in range(13)]
quarter = [k * math.pi / 4 for k in (1, 2, 3, 4, 5, 6, 7, 8, 100, 1001)]  # as near as float64 comes
gap = [-k + d for k in (0, 1, 2, 5, 20) for d in (2**-20, 0.01, 0.25, 0.5, 0.8)]


def both(*lists):
    pos = sum(lists, [])
    return pos + [-v for v in pos]


every = both(tiny, small, middle, large, huge, subnormal, roots, spread)
positive = tiny + small + middle + large + huge + subnormal + roots + spread
inside = both(tiny, small, edge, subnormal, even)
circular = both(tiny, small, middle, large, subnormal, spread, quarter) + [1e9, 1e17, 1e100]
bounded = both(subnormal, spread[:20])
exponent = both(tiny, small, middle, large) + bounded + [300.5, 700.25, -300.5, -700.25, -740.0]

unary = [
    ("Inv", 1 / x, every),
    ("Square", x**2, every),
    ("Sqrt", sp.sqrt(x), positive),
    ("Cbrt", None, every),
    ("Exp", sp.exp(x), exponent),
    ("Exp2", sp.exp(x * sp.log(2)), exponent),
    ("Expm1", sp.exp(x) - 1, exponent),
    ("Log", sp.log(x), positive + edge + above),
    ("Log2", sp.log(x) / sp.log(2), positive + edge + above),
    ("Log10", sp.log(x) / sp.log(10), positive + edge + above),
    ("Log1p", sp.log(1 + x), positive + [-v for v in tiny + small + edge]),
    ("Sin", sp.sin(x), circular),
    ("Cos", sp.cos(x), circular),
    ("Tan", sp.tan(x), circular),
    ("Asin", sp.asin(x), inside),
    ("Acos", sp.acos(x), inside),
    ("Atan", sp.atan(x), every),
    ("Sinh", sp.sinh(x), both(tiny, small, middle, large) + bounded + [700.25]),
    ("Cosh", sp.cosh(x), both(tiny, small, middle, large) + bounded + [700.25]),
    ("Tanh", sp.tanh(x), both(tiny, small, middle, large) + bounded + [300.5, 350.0, -350.0, 372.0]),
    ("Asinh", sp.asinh(x), every),
    ("Acosh", sp.acosh(x), above + middle[1:] + large + huge),
    ("Atanh", sp.atanh(x), inside),
    ("Erf", sp.erf(x), both(tiny, small, middle, even, subnormal, spread[:18]) + [25.5]),
    ("Erfc", sp.erfc(x), both(tiny, small, middle, even, subnormal, spread[:18]) + [25.5]),
    ("Gamma", sp.gamma(x), [1e-100] + tiny[2:] + small + middle + large[:3] + gap + spread[4:20] + [170.5]),
    ("LogGamma", None, tiny + small + middle + large + huge[:5] + gap + spread),
    ("Logistic", 1 / (1 + sp.exp(-x)), exponent),
    ("Softplus", sp.log(1 + sp.exp(x)), exponent),
]
psi = [1e-100] + tiny[2:] + small + middle + large + huge[:5] + gap + [-100.5, -1e6 - 0.25] + spread[4:]
for n in (0, 1, 2, 3, 10):
    unary.append(("Polygamma", None, psi, n))
powers = [1e-300, 1e-100, 1e-5, 0.1, 0.7, 1.3, 2.5, 10.0, 25.5] + subnormal + roots + spread[::3]
for p in (0, 1, 2, 3, -1, 0.5, 1.5, -0.5, -2, 2.5, 1 / 3, 0.1, 100.25, 1e-20):
    q = sp.Rational(*float(p).as_integer_ratio())
    unary.append(("PowReal", x**q if p else x**0, powers + huge, p))
for n in (-7, -3, -2, -1, 0, 1, 2, 3, 4, 9):
    unary.append(("PowInt", x ** sp.Integer(n), both(powers, huge), n))

pairs = [(a, b) for a in (1e-5, 0.5, 1.0, 3.25, 100.0) for b in (1e-5, 0.5, 2.0, 7.75, 300.0)]
signed = [(s * a, t * b) for a, b in pairs for s in (1, -1) for t in (1, -1)]
far = [(1e200, 1e200), (1e-200, 1e-200), (1e200, 1.0), (1.0, 1e200), (3e-200, -1.0), (1e150, 1e-150)]
far += [(1e-310, 1.0), (1.0, 1e-310), (1e-9, 1.0), (1.0, 1e-9), (1e155, 2e155), (3e-162, 1e-162), (1e308, 1e307)]
sums = [(s * a, t * b) for a, b in pairs for s in (1, -1) for t in (1, -1)]
sums += [(a, -b) for a in (0.0, 1e-300, 1e-17, 1e-9) for b in (1e-17, 1.0, 36.0, 40.0, 700.0)]
sums += [(-b, a) for a, b in sums[-20:]] + [(-0.5, -1.0), (-math.log(2), -math.log(2)), (-0.25, -1.5)]
binary = [
    ("Div", x / y, signed + far),
    ("Hypot", sp.sqrt(x**2 + y**2), signed + far + [(1e-320, 3e-320)]),
    ("Pow", x**y, [(a, t * b) for a, b in pairs for t in (1, -1)] + [(1e200, 1.5), (1e-300, 1e-5)]),
    ("Atan2", None, signed + far),
    ("LogSumExp", sp.log(sp.exp(x) + sp.exp(y)), sums),
]

# The incomplete functions of a, x and of a, b, x, and their densities.
gammas = [(a, a * r) for a in (0.01, 0.3, 1.0, 2.5, 7.75, 30.0, 400.5) for r in (0.01, 0.25, 0.9, 1.0, 1.1, 3.0)]
gammas += [(1e-3, 0.5), (0.1, 1e-7), (2.5, 1e-9), (1.0, 30.0), (12.0, 60.0), (1e4, 10123.0)]
betas = [(0.01, 0.3, 0.3), (0.3, 0.01, 0.7), (0.3, 0.3, 0.01), (1.0, 1.0, 0.25), (1.0, 3.3, 0.7), (2.5, 3.3, 0.39)]
betas += [(2.5, 3.3, 1e-6), (7.75, 1.0, 0.885), (7.75, 12.5, 0.4), (7.75, 12.5, 0.1), (7.75, 12.5, 0.8), (2.5, 0.3, 0.99)]
betas += [(40.25, 0.3, 0.99), (40.25, 150.0, 0.22), (300.5, 150.0, 0.667), (300.5, 3.3, 0.98), (1.0, 150.0, 0.01), (0.3, 12.5, 1e-3)]


def inc_gamma(a, v):
    return mpmath.gammainc(a, 0, v, regularized=True)


def gamma_density(a, v):
    return mpmath.exp((a - 1) * mpmath.log(v) - v - mpmath.loggamma(a))


def inc_beta(a, b, v):
    return mpmath.betainc(a, b, 0, v, regularized=True)


def beta_density(a, b, v):
    return mpmath.exp((a - 1) * mpmath.log(v) + (b - 1) * mpmath.log(1 - v)) / mpmath.beta(a, b)


def incomplete(name, f, density, grid, pick):
    """pick is which arguments are x and y; another one is the parameter."""
    n = len(grid[0])
    (rest,) = [k for k in range(n) if k not in pick] or [None]

    def partial(*by):
        order = [by.count(k) for k in range(n)]
        if order[-1] == 0:
            return lambda *v: mpmath.diff(f, v, tuple(order)) if by else f(*v)
        order[-1] -= 1
        return lambda *v: mpmath.diff(density, v, tuple(order)) if any(order) else density(*v)

    i, j = pick
    for v in grid:
        cells = [pair(partial(*by), [partial(*by, k) for k in range(n)], *v) for by in [(), (i,), (j,), (i, i), (i, j), (j, j)]]
        p = v[rest] if rest is not None else 0
        yield ",".join([name, repr(p), repr(v[i]), repr(v[j]), *cells])


special = [
    ("RegIncGamma", inc_gamma, gamma_density, gammas, (0, 1)),
    ("RegIncBeta.xyp", inc_beta, beta_density, betas, (0, 1)),
    ("RegIncBeta.xpy", inc_beta, beta_density, betas, (0, 2)),
    ("RegIncBeta.pxy", inc_beta, beta_density, betas, (1, 2)),
]


def number(f, *args):
    dps = 60
    mpmath.mp.dps = dps
    last = f(*args)
    if isinstance(last, int):
        return mpmath.mpf(last)  # a constant; any other 0 may be terms that cancel in all of 60 digits
    while dps < 4000:
        dps *= 2
        mpmath.mp.dps = dps
        v = f(*args)
        if v != 0 and mpmath.almosteq(v, last, rel_eps=mpmath.mpf(10) ** -30, abs_eps=0):
            return v
        last = v
    if abs(v) < mpmath.mpf(10) ** -1500:
        return mpmath.mpf(0)  # terms that cancel
    raise ValueError(f"no convergence at {args}")


def pair(g, grads, *args):
    args = [mpmath.mpf(a) for a in args]
    v = mpmath.re(number(g, *args))
    s = sum(abs(a * mpmath.re(number(d, *args))) for a, d in zip(args, grads))
    cond = s / abs(v) if v != 0 else mpmath.mpf(0)
    try:
        rounded = float(v)
    except OverflowError:
        rounded = float("inf") if v > 0 else float("-inf")
    return f"{rounded!r},{float(min(cond, mpmath.mpf(1e300))):.3g}"


def cbrt():
    third = sp.Rational(1, 3)
    out = []
    for k in range(4):
        g = sp.lambdify(x, sp.diff(x**third, x, k), "mpmath")
        # ∛ is odd: its derivative of order k has the parity of k+1.
        out.append(lambda v, g=g, k=k: g(abs(v)) * (1 if v > 0 or k % 2 else -1))
    return out


def log_gamma():
    psi = [lambda v, n=n: mpmath.psi(n, v) for n in range(3)]
    return [lambda v: mpmath.log(abs(mpmath.gamma(v)))] + psi


def one(name, f, grid, p=0):
    if name == "Cbrt":
        fs = cbrt()
    elif name == "LogGamma":
        fs = log_gamma()
    elif name == "Polygamma":
        fs = [lambda v, n=p + k: mpmath.psi(n, v) for k in range(4)]
    else:
        fs = [sp.lambdify(x, sp.diff(f, x, k), "mpmath") for k in range(4)]
    for v in grid:
        cells = [pair(fs[k], [fs[k + 1]], v) for k in range(3)]
        yield ",".join([name, str(float(p) if p else 0), repr(v), "0", *cells])


def two(name, f, grid):
    if name == "Atan2":
        f = sp.atan2(x, y)  # x is the ordinate, as in math.Atan2
    rules = []
    for by in [(), (x,), (y,), (x, x), (x, y), (y, y)]:
        g = sp.diff(f, *by) if by else f
        rules.append([sp.lambdify((x, y), h, "mpmath") for h in (g, sp.diff(g, x), sp.diff(g, y))])
    for a, b in grid:
        yield ",".join([name, "0", repr(a), repr(b), *(pair(h, grads, a, b) for h, *grads in rules)])


def lines(job):
    if job in special:
        return list(incomplete(*job))
    return list(two(*job) if job in binary else one(*job))


if __name__ == "__main__":
    file = pathlib.Path(__file__).with_name("golden.csv")
    kept = {}
    for line in file.read_text().splitlines() if len(sys.argv) > 1 else []:
        name = line.partition(",")[0]
        if name not in sys.argv:
            kept.setdefault(name, []).append(line)
    jobs = [j for j in unary + binary + special if j[0] not in kept]
    with multiprocessing.Pool() as pool:
        for job, made in zip(jobs, pool.imap(lines, jobs)):
            kept.setdefault(job[0], []).extend(made)
    file.write_text("".join(line + "\n" for j in dict.fromkeys(j[0] for j in unary + binary + special) for line in kept[j]))
