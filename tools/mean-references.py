#!/usr/bin/env python3
"""Writes two files of tests/testthat: manifold-references.csv, logarithms and Frechet means of small data sets, and
mean-references.csv, means over the whole range of each manifold, where numbers are coarse; to 60 digits.

Points are doubles, near their manifold; the references are those of the nearest points of the manifold, as pairs of
doubles (high, low) that add up to 32 digits. Needs mpmath. Run from the top of the checkout:
  python3 tools/mean-references.py
"""
import random

import mpmath as mp

mp.mp.dps = 60
random.seed(4)


def vector(numbers):
    return mp.matrix([mp.mpf(x) for x in numbers])


def normal():
    return mp.mpf(random.gauss(0, 1))


def norm(a):
    return mp.sqrt(sum(x * x for x in a))


def double(a):
    return a.apply(lambda x: mp.mpf(float(x)))


class Sphere:
    def __init__(self, d):
        self.name, self.d = f"sphere {d}", d

    def project(self, x):
        return x / norm(x)

    def random(self, scale):
        base = vector([1, 2, 2] + [0] * (self.d - 2)) / 3
        return self.project(base + scale * mp.matrix([normal() for _ in range(self.d + 1)]))

    def log(self, x, y):
        along = (x.T * y)[0]
        side = y - along * x
        angle = mp.atan2(norm(side), along)
        return side * (angle / norm(side)) if angle else side * 0

    def exp(self, x, v):
        a = norm(v)
        return self.project(mp.cos(a) * x + (mp.sin(a) / a) * v) if a else x

    def length(self, x, v):
        return norm(v)


class Hyperbolic:
    def __init__(self, d):
        self.name, self.d = f"hyperbolic {d}", d

    def form(self, a, b):
        return (a.T * b)[0] - 2 * a[0] * b[0]

    def project(self, x):
        x[0] = mp.sqrt(1 + sum(t * t for t in x[1:]))
        return x

    def random(self, scale):
        direction = [normal() for _ in range(self.d)]
        size, t = mp.sqrt(sum(x * x for x in direction)), scale * abs(normal())
        return self.project(mp.matrix([0] + [mp.sinh(t) * x / size for x in direction]))

    def log(self, x, y):
        along = -self.form(x, y)
        side = y - along * x
        return side * (mp.acosh(along) / mp.sqrt(along * along - 1)) if along > 1 else side * 0

    def exp(self, x, v):
        a = self.length(x, v)
        return self.project(mp.cosh(a) * x + (mp.sinh(a) / a) * v) if a else x

    def length(self, x, v):
        return mp.sqrt(abs(self.form(v, v)))


def of_spectrum(a, f):
    values, q = mp.eigsy(a)
    return q * mp.diag([f(t) for t in values]) * q.T


class Spd:
    def __init__(self, p):
        self.name, self.p = f"spd {p}", p

    def project(self, x):
        return (x + x.T) / 2

    def random(self, scale):
        a = mp.matrix(self.p, self.p)
        for i in range(self.p):
            for j in range(i + 1):
                a[i, j] = a[j, i] = scale * normal() / (1 if i == j else mp.sqrt(2))
        return of_spectrum(a, mp.exp)

    def log(self, x, y):
        root = of_spectrum(x, mp.sqrt)
        back = root ** -1
        return root * of_spectrum(self.project(back * y * back), mp.log) * root

    def exp(self, x, v):
        root = of_spectrum(x, mp.sqrt)
        back = root ** -1
        return root * of_spectrum(self.project(back * v * back), mp.exp) * root

    def length(self, x, v):
        back = x ** -1 * v
        return mp.sqrt(abs(sum((back * back)[i, i] for i in range(self.p))))


class Rotation:
    name = "rotation 3"

    def project(self, x):
        for _ in range(8):  # Newton's iteration for the polar factor
            x = (x + (x ** -1).T) / 2
        return x

    def skew(self, w):
        return mp.matrix([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])

    def turn(self, w):
        t, a = norm(w), self.skew(w)
        return mp.eye(3) + (mp.sin(t) / t) * a + ((1 - mp.cos(t)) / t ** 2) * a * a if t else mp.eye(3)

    def random(self, scale):
        return self.turn(vector([1, 2, 3])) * self.turn([scale * normal() for _ in range(3)])

    def log(self, x, y):
        a = x.T * y
        w = vector([a[2, 1] - a[1, 2], a[0, 2] - a[2, 0], a[1, 0] - a[0, 1]]) / 2
        angle = mp.atan2(norm(w), (a[0, 0] + a[1, 1] + a[2, 2] - 1) / 2)
        return x * self.skew(w * (angle / norm(w))) if angle else x * 0

    def exp(self, x, v):
        a = x.T * v
        return self.project(x * self.turn([a[2, 1], a[0, 2], a[1, 0]]))

    def length(self, x, v):
        return norm(v) / mp.sqrt(2)


class Grassmann:
    def __init__(self, k, p):
        self.name, self.k, self.p = f"grassmann {k} {p}", k, p

    def project(self, x):
        gram = x.T * x
        return x * of_spectrum((gram + gram.T) / 2, lambda t: 1 / mp.sqrt(t))

    def random(self, scale):
        x = mp.matrix(self.p, self.k)
        for j in range(self.k):
            for i in range(self.p):
                x[i, j] = mp.mpf(i == j) + mp.mpf(i + j) / 4 + scale * normal()
        return self.project(x)

    def log(self, x, y):
        side = y * (x.T * y) ** -1 - x
        u, s, v = mp.svd_r(side)
        return u * mp.diag([mp.atan(t) for t in s]) * v

    def exp(self, x, v):
        u, s, w = mp.svd_r(v)
        return self.project(x * w.T * mp.diag([mp.cos(t) for t in s]) * w + u * mp.diag([mp.sin(t) for t in s]) * w)

    def length(self, x, v):
        return norm(v)


class Shapes:
    """Points are all x and then all y; a shape has many rotations, and log is at the one that is given."""

    def __init__(self, k):
        self.name, self.k = f"shapes {k}", k

    def landmarks(self, x):
        return mp.matrix([mp.mpc(x[j], x[self.k + j]) for j in range(self.k)])

    def numbers(self, z):
        return mp.matrix([mp.re(t) for t in z] + [mp.im(t) for t in z])

    def project(self, x):
        z = self.landmarks(x)
        middle = sum(z) / self.k
        z = self.numbers(z.apply(lambda t: t - middle))
        return z / norm(z)

    def random(self, scale):
        base = [mp.expjpi(mp.mpf(2 * j) / self.k) * (1 + mp.mpf(j) / 4) for j in range(self.k)]
        return self.project(self.numbers(mp.matrix([t + scale * mp.mpc(normal(), normal()) for t in base])))

    def log(self, x, y):
        z, w = self.landmarks(x), self.landmarks(y)
        inner = sum(mp.conj(a) * b for a, b in zip(z, w))
        along = abs(inner)
        side = self.numbers(w * (mp.conj(inner) / along) - along * z)
        return side * (mp.atan2(norm(side), along) / norm(side)) if norm(side) else side

    def exp(self, x, v):
        a = norm(v)
        return self.project(mp.cos(a) * x + (mp.sin(a) / a) * v) if a else x

    def length(self, x, v):
        return norm(v)


KINDS = [(Sphere(2), 0.3), (Sphere(4), 0.2), (Hyperbolic(2), 3), (Hyperbolic(3), 1), (Spd(2), 2), (Spd(3), 1),
         (Rotation(), 0.5), (Grassmann(2, 4), 0.15)]
LATER = [(Shapes(3), 0.15), (Shapes(6), 0.15)]  # with their own random numbers, so that the others keep theirs


def mean(m, points):
    x = points[0]
    step = mp.mpf(1)
    for _ in range(2000):
        v = sum((m.log(x, y) for y in points[1:]), m.log(x, points[0])) / len(points)
        size = m.length(x, v)
        if size < mp.mpf(10) ** -45:
            return x
        end = m.exp(x, step * v)
        if m.length(end, sum((m.log(end, y) for y in points[1:]), m.log(end, points[0])) / len(points)) > size:
            step /= 2
        else:
            x = end
    raise RuntimeError(f"no mean of {m.name}")


def lower_digits(out, role):
    return "mean-ref" in out.name and role.endswith("low")


def show(out, case, m, role, a):
    """Of a symmetric matrix the lower triangle."""
    lower = isinstance(m, Spd) and "mean-ref" in out.name
    flat = [a[i, j] for j in range(a.cols) for i in range(j if lower else 0, a.rows)]
    digits = (lambda x: f"{float(x):.4g}") if lower_digits(out, role) else (lambda x: repr(float(x)))
    print(f"{case},{m.name},{role},{' '.join(digits(x) for x in flat)}", file=out)


def show_both(out, case, m, role, a):
    show(out, case, m, role + " high", a)
    show(out, case, m, role + " low", a - double(a))


def write_small_sets():
    with open("tests/testthat/manifold-references.csv", "w") as out:
        print("case,manifold,role,numbers", file=out)
        case, state = 0, random.getstate()
        for m, wide in KINDS + LATER:
            if (m, wide) == LATER[0]:
                state = random.getstate()
                random.seed(7)
            for scale in [mp.mpf(wide), mp.mpf(wide) / 100, mp.mpf("1e-6")]:
                case += 1
                points = [double(m.random(scale)) for _ in range(5)]
                for y in points:
                    show(out, case, m, "point", y)
                exact = [m.project(y.copy()) for y in points]
                for y in exact[1:]:
                    show_both(out, case, m, "log", m.log(exact[0], y))
                show_both(out, case, m, "mean", mean(m, exact))
    random.setstate(state)


# ---- the whole range ----


class SpdLog(Spd):
    def __init__(self, p):
        self.name, self.p = f"spd_log {p}", p


def half_way(m, x, y):
    if isinstance(m, Hyperbolic):
        return m.project((x + y) / mp.sqrt(abs(m.form(x + y, x + y))))
    if isinstance(m, GeneralRotation):
        return m.project(x * mp.sqrtm(x.T * y))
    return m.exp(x, m.log(x, y) / 2)


def any_mean(m, points):
    if isinstance(m, SpdLog):
        return of_spectrum(m.project(sum((of_spectrum(y, mp.log) for y in points[1:]), of_spectrum(points[0], mp.log))
                                     / len(points)), mp.exp)
    return half_way(m, *points) if len(points) == 2 else mean(m, points)


class GeneralRotation(Rotation):
    def __init__(self, p):
        self.name, self.p = f"rotation {p}", p


def orthogonal(p):
    q = mp.qr(mp.matrix(p, p).apply(lambda _: normal()))[0]
    if mp.det(q) < 0:
        q[:, 0] = -q[:, 0]
    return q


def in_direction(d, angle):
    """A unit vector of R^d at this angle to the first axis."""
    if d == 1:
        return [mp.mpf(1)]
    rest = [normal() for _ in range(d - 1)]
    size = mp.sqrt(sum(t * t for t in rest))
    return [mp.cos(angle)] + [mp.sin(angle) * t / size for t in rest]


def hyperbolic_sets(d):
    m = Hyperbolic(d)

    def at(a, angle):
        return mp.matrix([mp.cosh(a)] + [mp.sinh(a) * t for t in in_direction(d, angle)])

    for a in [0.01, 4, 8, 12, 16, 18, 25, 60]:
        a, near = mp.mpf(a), mp.exp(-mp.mpf(a))
        yield m, [at(a, near), at(a + mp.mpf("0.5"), 2 * near)]
        yield m, [at(a, near), at(a + mp.mpf("1e-4"), near * mp.mpf("1.0001"))]
        yield m, [at(a, mp.mpf("1e-3")), at(a - mp.mpf(random.uniform(0, 1)) * a, mp.pi)]
        yield m, [at(a, mp.mpf("0.3")), at(a, mp.mpf("1.5"))]
        if a <= 18:
            yield m, [at(a + normal() / 3, near * abs(normal())) for _ in range(4)]


def spd_sets(p, spectra):
    """Along the axes up to correlations of about a half, along no axes, and one of each."""
    for width in spectra:
        def spectrum():
            return [mp.mpf(10) ** (mp.mpf(width) * (mp.mpf(i) / (p - 1) - mp.mpf("0.5"))) for i in range(p)]

        def aligned():
            a = mp.matrix(p, 2 * p).apply(lambda _: normal()) * mp.mpf("0.4")
            for i in range(p):
                a[i, i] += 1
            scales = mp.diag([mp.sqrt(t) for t in spectrum()])
            return scales * a * a.T * scales

        def turned():
            q = orthogonal(p)
            return q * mp.diag(spectrum()) * q.T

        for kind in (Spd, SpdLog):
            yield kind(p), [aligned(), aligned()]
            yield kind(p), [turned(), turned()]
            yield kind(p), [aligned(), turned()]
        if p <= 3 and width <= 2:
            yield Spd(p), [turned() for _ in range(4)]


def compact_sets():
    for d in (1, 2, 5):
        m = Sphere(d)
        for angle in ("1e-9", "0.1", "1.5", "3.1"):
            yield m, [mp.matrix(in_direction(d + 1, mp.mpf(angle) * t)) if d > 1 else
                      mp.matrix([mp.cos(mp.mpf(angle) * t), mp.sin(mp.mpf(angle) * t)]) for t in (0, 1)]
        if d > 1:
            yield m, [mp.matrix(in_direction(d + 1, mp.mpf("1.3"))) for _ in range(5)]
    for p in (2, 3, 4, 5):
        m = GeneralRotation(p)
        for angle in ("1e-9", "0.1", "1.5", "2.9"):
            q, x, turn = orthogonal(p), orthogonal(p), mp.eye(p)
            for i in range(0, p - 1, 2):
                t = mp.mpf(angle) / (1 + i)
                turn[i, i] = turn[i + 1, i + 1] = mp.cos(t)
                turn[i + 1, i], turn[i, i + 1] = mp.sin(t), -mp.sin(t)
            yield m, [x, x * q * turn * q.T]
    for k, p in ((1, 3), (2, 4), (2, 5), (3, 4)):
        m = Grassmann(k, p)
        for angle in ("1e-9", "0.1", "1.5"):
            q, turn = orthogonal(p), mp.matrix(p, k)
            for i in range(k):
                turn[i, i] = 1
            turn[0, 0], turn[p - 1, 0] = mp.cos(mp.mpf(angle)), mp.sin(mp.mpf(angle))
            yield m, [q[:, :k], q * turn]


def shape_sets():
    for k in (3, 4, 9):
        m = Shapes(k)
        for angle in ("1e-9", "0.1", "0.7", "1.5"):
            x, v = m.random(1), m.random(1)
            turned = m.numbers(m.landmarks(x).apply(lambda t: t * mp.expjpi(mp.mpf("0.3"))))
            v = m.log(x, v)
            yield m, [turned, m.exp(x, v * (mp.mpf(angle) / norm(v)))]
        yield m, [m.random(mp.mpf("0.1")) for _ in range(5)]


def write_wide_sets():
    mp.mp.dps = 150
    sets = [hyperbolic_sets(1), hyperbolic_sets(2), hyperbolic_sets(5), spd_sets(2, (2, 6, 12)),
            spd_sets(3, (2, 6, 12)), spd_sets(8, (2, 12)), spd_sets(12, (6,)), compact_sets(), shape_sets()]
    with open("tests/testthat/mean-references.csv", "w") as out:
        print("case,manifold,role,numbers", file=out)
        case = 0
        for m, points in (one for some in sets for one in some):
            case += 1
            points = [double(y) for y in points]
            if isinstance(m, Spd):
                points = [double(m.project(y)) for y in points]
            for y in points:
                show(out, case, m, "point", y)
            show_both(out, case, m, "mean", any_mean(m, [m.project(y.copy()) for y in points]))


write_small_sets()
write_wide_sets()
