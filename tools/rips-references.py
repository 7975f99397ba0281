#!/usr/bin/env python3
"""Writes tests/testthat/rips-references.csv: weighted Rips filtrations, and the pairs of dimensions 0, 1 and 2 that
GUDHI finds with coefficients modulo 2 in all cliques up to dimension 3, cut at a cap.

Each line is one case: the values of the vertices, the lengths below the diagonal, column by column, the cap, and the
pairs as dimension, birth, death; the one that never ends is left out. All numbers are whole and even, so that no half
sum is rounded.

Needs gudhi and numpy (Debian: python3-gudhi). Run from the top of the checkout:
  python3 tools/rips-references.py
"""
import csv
import itertools

import gudhi
import numpy as np

random = np.random.default_rng(11)


def even(x):
    return 2 * np.rint(np.asarray(x) * 50).astype(int)


def cloud(kind, count):
    if kind == "circle":
        angle = random.uniform(0, 2 * np.pi, count)
        return np.c_[np.cos(angle), np.sin(angle)] + random.normal(size=(count, 2)) * 0.1
    points = random.normal(size=(count, 3))
    if kind == "sphere":
        return points / np.linalg.norm(points, axis=1)[:, None] * random.uniform(0.9, 1.1, count)[:, None]
    return points


def make_case(kind, count):
    """Values, lengths, cap."""
    if kind == "random":
        lengths = even(random.uniform(0, 1, (count, count)))
        lengths = np.tril(lengths, -1) + np.tril(lengths, -1).T
        return even(random.uniform(0, 0.3, count)), lengths, 80
    points = cloud(kind, count)
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    slack = 0.3 if kind == "slack" else 0
    values = even(random.uniform(0, 0.4, count))
    if kind == "late":
        values[: count // 3] *= 6
    return values, even(np.maximum(distances - slack, 0)), {"sphere": 160, "late": 90}.get(kind, 110)


def find_pairs(values, lengths, cap):
    count = len(values)
    level = np.maximum(np.maximum.outer(values, values), np.add.outer(values, values) // 2 + lengths // 2)
    tree = gudhi.SimplexTree()
    for size in range(1, 5):
        for simplex in itertools.combinations(range(count), size):
            edges = [level[i, j] for i, j in itertools.combinations(simplex, 2)]
            tree.insert(simplex, filtration=float(min(cap, max([values[i] for i in simplex] + edges))))
    pairs = tree.persistence(homology_coeff_field=2, min_persistence=0)
    kept = [(d, int(b), int(e)) for d, (b, e) in pairs if d <= 2 and np.isfinite(e) and e > b]
    assert sum(not np.isfinite(e) and d <= 2 for d, (b, e) in pairs) == 1
    return sorted(kept)


def words(numbers):
    return " ".join(str(int(x)) for x in numbers)


with open("tests/testthat/rips-references.csv", "w", newline="") as file:
    write = csv.writer(file, lineterminator="\n").writerow
    write(["kind", "cap", "values", "lengths", "pairs"])
    for kind in ("circle", "sphere", "normal", "slack", "late", "random"):
        for count in (12, 26):
            values, lengths, cap = make_case(kind, count)
            below = [lengths[i, j] for j in range(count) for i in range(j + 1, count)]
            pairs = find_pairs(values, lengths, cap)
            print(kind, count, [sum(p[0] == d for p in pairs) for d in range(3)])
            write([kind, cap, words(values), words(below), words(x for pair in pairs for x in pair)])
