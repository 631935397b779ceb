"""Writes taylor.csv: Taylor coefficients to order 20 of the functions of golden.csv, those of
two arguments along (1, -1/2), by Cauchy's integral formula with mpmath on 80 digits, which leaves
more than 30.

    pip install mpmath
    python3 taylor.py

A line is: function, parameter, x, y, then for each coefficient its value rounded to float64 and
its condition Σ|xᵢ ∂ᵢc|/|c|, of two arguments in the slope -1/2, too.
"""

import multiprocessing
import pathlib

import mpmath
from mpmath import mpf

mpmath.mp.dps = 80
order, nodes = 20, 160

# No function has another singularity so near to a point.
singular = [0, 1, -1, 1j, -1j, 1j * mpmath.pi / 2, 1j * mpmath.pi] + [(k + mpf(1) / 2) * mpmath.pi for k in range(3)]

real = [-2.5, -0.7, 0.3, 0.7, 1.3, 2.5, 7.25]
positive = [0.3, 0.7, 1.3, 2.5, 7.25]
inside = [-0.7, -0.3, 0.3, 0.7]

unary = [
    ("Inv", lambda x: 1 / x, real), ("Square", lambda x: x * x, real), ("Sqrt", mpmath.sqrt, positive), ("Cbrt", mpmath.cbrt, positive),
    ("Exp", mpmath.exp, real), ("Exp2", lambda x: mpmath.exp(x * mpmath.log(2)), real), ("Expm1", lambda x: mpmath.exp(x) - 1, real),
    ("Log", mpmath.log, positive), ("Log2", lambda x: mpmath.log(x) / mpmath.log(2), positive),
    ("Log10", lambda x: mpmath.log(x) / mpmath.log(10), positive), ("Log1p", lambda x: mpmath.log(1 + x), positive + [-0.7]),
    ("Sin", mpmath.sin, real), ("Cos", mpmath.cos, real), ("Tan", mpmath.tan, real), ("Asin", mpmath.asin, inside), ("Acos", mpmath.acos, inside),
    ("Atan", mpmath.atan, real), ("Sinh", mpmath.sinh, real), ("Cosh", mpmath.cosh, real), ("Tanh", mpmath.tanh, real),
    ("Asinh", mpmath.asinh, real), ("Acosh", mpmath.acosh, [1.3, 2.5, 7.25]), ("Atanh", mpmath.atanh, inside),
    ("Erf", mpmath.erf, real), ("Erfc", mpmath.erfc, real), ("Gamma", mpmath.gamma, positive), ("LogGamma", mpmath.loggamma, positive),
    ("Logistic", lambda x: 1 / (1 + mpmath.exp(-x)), real), ("Softplus", lambda x: mpmath.log(1 + mpmath.exp(x)), real),
]
unary = [(name, 0, f, points) for name, f, points in unary]
unary += [("Polygamma", n, lambda x, n=n: mpmath.psi(n, x), positive) for n in (0, 1, 3)]
unary += [("PowReal", p, lambda x, p=p: mpmath.exp(mpf(p) * mpmath.log(x)), positive) for p in (1.5, -0.5, 2.5, 0.1, 100.25)]
unary += [("PowInt", n, lambda x, n=n: x**n, real) for n in (-7, -2, 3, 9)]

pairs = [(0.3, 0.7), (2.5, 0.7), (1.3, 7.25), (0.7, -2.5)]
binary = [
    ("Div", lambda x, y: x / y, pairs), ("Hypot", lambda x, y: mpmath.sqrt(x * x + y * y), pairs),
    ("Pow", lambda x, y: mpmath.exp(y * mpmath.log(x)), pairs),
    ("Atan2", lambda y, x: -1j * mpmath.log((x + 1j * y) / mpmath.sqrt(x * x + y * y)), pairs),
    ("LogSumExp", lambda x, y: mpmath.log(mpmath.exp(x) + mpmath.exp(y)), pairs),
]


def coefficients(f, x, y, slope=mpf(-1) / 2):
    """Of t ↦ f(x + t, y + slope·t), or of f(x + t) if y is None."""
    g = (lambda t: f(x + t)) if y is None else (lambda t: f(x + t, y + slope * t))
    r = min(abs(x - s) for s in singular) / 16
    if y is not None:
        r = min(r, abs(y) / 16)
    values = [g(r * mpmath.expjpi(mpf(2 * m) / nodes)) for m in range(nodes)]
    return [mpmath.re(sum(v * mpmath.expjpi(-mpf(2 * m * k) / nodes) for m, v in enumerate(values))) / nodes / r**k for k in range(order + 1)]


def line(job):
    name, p, x, y = job
    f = {(n, q): g for n, q, g, _ in unary + [(n, 0, g, 0) for n, g, _ in binary]}[name, p]
    x, y = mpf(x), None if y is None else mpf(y)
    h = mpf(10) ** -25
    c = coefficients(f, x, y)
    size = max(abs(v) for v in c)
    moved = [coefficients(f, x * (1 + h), y)]
    if y is not None:
        moved += [coefficients(f, x, y * (1 + h)), coefficients(f, x, y, -(1 + h) / 2)]
    cells = []
    for k, v in enumerate(c):
        if abs(v) < size * mpf(10) ** -40:
            v, condition = mpf(0), 0
        else:
            condition = sum(abs(d[k] - v) for d in moved) / h / abs(v)
        cells.append(f"{float(v)!r},{float(condition):.3g}")
    return ",".join([name, str(float(p)) if p else "0", repr(float(x)), "0" if y is None else repr(float(y)), *cells])


if __name__ == "__main__":
    jobs = [(name, p, x, None) for name, p, _, points in unary for x in points]
    jobs += [(name, 0, x, y) for name, _, points in binary for x, y in points]
    with multiprocessing.Pool() as pool:
        lines = pool.map(line, jobs)
    pathlib.Path(__file__).with_name("taylor.csv").write_text("".join(v + "\n" for v in lines))
