"""Writes golden.csv: the elementary functions and their first and second
derivatives, differentiated by SymPy and evaluated by mpmath to at least 30
digits, with the condition of each number in the arguments.

    python3 golden.py > golden.csv    # takes some minutes

A line is: function, parameter, x, y, then for each number its value rounded to
float64 and its condition Σ|xᵢ ∂ᵢg|/|g|. The numbers are F, F′, F″ of a function
of one argument, and F, ∂x, ∂y, ∂xx, ∂xy, ∂yy of two.
"""

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
gap = [-k + d for k in (0, 1, 2, 5, 20) for d in (2**-20, 0.01, 0.25, 0.5, 0.8)]


def both(*lists):
    pos = sum(lists, [])
    return pos + [-v for v in pos]


every = both(tiny, small, middle, large, huge)
positive = tiny + small + middle + large + huge
inside = both(tiny, small, edge)
exponent = both(tiny, small, middle, large) + [300.5, 700.25, -300.5, -700.25, -740.0]

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
    ("Sin", sp.sin(x), both(tiny, small, middle, large)),
    ("Cos", sp.cos(x), both(tiny, small, middle, large)),
    ("Tan", sp.tan(x), both(tiny, small, middle, large)),
    ("Asin", sp.asin(x), inside),
    ("Acos", sp.acos(x), inside),
    ("Atan", sp.atan(x), every),
    ("Sinh", sp.sinh(x), both(tiny, small, middle, large) + [700.25]),
    ("Cosh", sp.cosh(x), both(tiny, small, middle, large) + [700.25]),
    ("Tanh", sp.tanh(x), both(tiny, small, middle, large) + [300.5, 350.0, -350.0]),
    ("Asinh", sp.asinh(x), every),
    ("Acosh", sp.acosh(x), above + middle[1:] + large + huge),
    ("Atanh", sp.atanh(x), inside),
    ("Erf", sp.erf(x), both(tiny, small, middle) + [25.5]),
    ("Erfc", sp.erfc(x), both(tiny, small, middle) + [25.5]),
    ("Gamma", sp.gamma(x), [1e-100] + tiny[2:] + small + middle + large[:3] + gap),
    ("LogGamma", None, tiny + small + middle + large + huge[:5] + gap),
    ("Logistic", 1 / (1 + sp.exp(-x)), exponent),
    ("Softplus", sp.log(1 + sp.exp(x)), exponent),
]
psi = [1e-100] + tiny[2:] + small + middle + large + huge[:5] + gap + [-100.5, -1e6 - 0.25]
for n in (0, 1, 2, 3, 10):
    unary.append(("Polygamma", None, psi, n))
for p in (0, 1, 2, 3, -1, 0.5, 1.5, -0.5, -2, 2.5, 1 / 3, 0.1, 100.25, 1e-20):
    q = sp.Rational(*float(p).as_integer_ratio())
    unary.append(("PowReal", x**q if p else x**0, [1e-300, 1e-100, 1e-5, 0.1, 0.7, 1.3, 2.5, 10.0, 25.5] + huge, p))
for n in (-7, -3, -2, -1, 0, 1, 2, 3, 4, 9):
    unary.append(("PowInt", x ** sp.Integer(n), both([1e-300, 1e-100, 1e-5, 0.1, 0.7, 1.3, 2.5, 10.0, 25.5], huge), n))

pairs = [(a, b) for a in (1e-5, 0.5, 1.0, 3.25, 100.0) for b in (1e-5, 0.5, 2.0, 7.75, 300.0)]
signed = [(s * a, t * b) for a, b in pairs for s in (1, -1) for t in (1, -1)]
far = [(1e200, 1e200), (1e-200, 1e-200), (1e200, 1.0), (1.0, 1e200), (3e-200, -1.0), (1e150, 1e-150)]
binary = [
    ("Div", x / y, signed + far),
    ("Hypot", sp.sqrt(x**2 + y**2), signed + far),
    ("Pow", x**y, [(a, t * b) for a, b in pairs for t in (1, -1)] + [(1e200, 1.5), (1e-300, 1e-5)]),
    ("Atan2", None, signed + far),
]


def number(f, *args):
    dps = 60
    mpmath.mp.dps = dps
    last = f(*args)
    while dps < 4000:
        dps *= 2
        mpmath.mp.dps = dps
        v = f(*args)
        if mpmath.almosteq(v, last, rel_eps=mpmath.mpf(10) ** -30, abs_eps=0) or v == last:
            return v
        last = v
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


for name, f, grid, *p in unary:
    if name == "Cbrt":
        fs = cbrt()
    elif name == "LogGamma":
        fs = log_gamma()
    elif name == "Polygamma":
        fs = [lambda v, n=p[0] + k: mpmath.psi(n, v) for k in range(4)]
    else:
        fs = [sp.lambdify(x, sp.diff(f, x, k), "mpmath") for k in range(4)]
    for v in grid:
        cells = [pair(fs[k], [fs[k + 1]], v) for k in range(3)]
        print(name, float(p[0]) if p else 0, repr(v), 0, *cells, sep=",")

for name, f, grid in binary:
    if name == "Atan2":
        f = sp.atan2(x, y)  # x is the ordinate, as in math.Atan2
    g = lambda *by: sp.diff(f, *by) if by else f
    for a, b in grid:
        cells = []
        for by in [(), (x,), (y,), (x, x), (x, y), (y, y)]:
            h = sp.lambdify((x, y), g(*by), "mpmath")
            grads = [sp.lambdify((x, y), g(*by, v), "mpmath") for v in (x, y)]
            cells.append(pair(h, grads, a, b))
        print(name, 0, repr(a), repr(b), *cells, sep=",")
