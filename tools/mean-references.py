#!/usr/bin/env python3
"""Writes tests/testthat/manifold-references.csv: logarithms and Frechet means of small data sets, to 60 digits.

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
        return self.project(vector([1, 2, 2] + [0] * (self.d - 2)) / 3 + scale * mp.matrix([normal() for _ in range(self.d + 1)]))

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


KINDS = [(Sphere(2), 0.3), (Sphere(4), 0.2), (Hyperbolic(2), 3), (Hyperbolic(3), 1), (Spd(2), 2), (Spd(3), 1),
         (Rotation(), 0.5), (Grassmann(2, 4), 0.15)]


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


def show(case, m, role, a):
    flat = [a[i, j] for j in range(a.cols) for i in range(a.rows)]
    print(f"{case},{m.name},{role},{' '.join(repr(float(x)) for x in flat)}", file=out)


def show_both(case, m, role, a):
    show(case, m, role + " high", a)
    show(case, m, role + " low", a - double(a))


case = 0
with open("tests/testthat/manifold-references.csv", "w") as out:
    print("case,manifold,role,numbers", file=out)
    for m, wide in KINDS:
        for scale in [mp.mpf(wide), mp.mpf(wide) / 100, mp.mpf("1e-6")]:
            case += 1
            points = [double(m.random(scale)) for _ in range(5)]
            for y in points:
                show(case, m, "point", y)
            exact = [m.project(y.copy()) for y in points]
            for y in exact[1:]:
                show_both(case, m, "log", m.log(exact[0], y))
            show_both(case, m, "mean", mean(m, exact))
