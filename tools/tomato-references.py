#!/usr/bin/env python3
"""Writes tests/testthat/tomato-references.csv: points with a density each, the clusters that GUDHI's Tomato makes of
them on the graph of 6 nearest neighbors (in either direction), for three prominences, and the ends of its diagram: of
the row of a peak, the density where it merges (empty for other rows, -inf for the last of a part).

Needs gudhi and numpy (Debian: python3-gudhi). Run from the top of the checkout:
  python3 tools/tomato-references.py
"""
import csv

import numpy as np
from gudhi.clustering.tomato import Tomato

PROMINENCES = (0.2, 0.6, 1.5)
NEIGHBORS = 6

random = np.random.default_rng(4)


def graph_of(points):
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    np.fill_diagonal(distances, np.inf)
    nearest = np.argsort(distances, axis=1)[:, :NEIGHBORS]
    neighbors = [set(row) for row in nearest]
    for i, row in enumerate(nearest):
        for j in row:
            neighbors[j].add(i)
    return [sorted(int(j) for j in row) for row in neighbors]


def deaths_of(tomato, density):
    """The pass of each peak, by the row of the peak."""
    deaths = {}
    for birth, death in tomato.diagram_:
        deaths[int(np.argmin(np.abs(density - birth)))] = death
    for peak in tomato.max_weight_per_cc_:
        deaths[int(np.argmin(np.abs(density - peak)))] = -np.inf
    return deaths


with open("tests/testthat/tomato-references.csv", "w", newline="") as file:
    write = csv.writer(file, lineterminator="\n").writerow
    write(["case", "x", "y", "density", "pass"] + [f"label{p}" for p in PROMINENCES])
    for case in range(6):
        centers = random.normal(size=(4, 2)) * 2.5
        points = np.round(centers[random.integers(4, size=70)] + random.normal(size=(70, 2)), 6)
        # bumps and noise, so that there are peaks of all prominences
        density = -np.min(np.linalg.norm(points[:, None] - centers[None], axis=2), axis=1)
        density = np.round(density + random.normal(size=70) * (0.1, 0.5)[case % 2], 6)
        assert len(set(density)) == 70
        neighbors = graph_of(points)
        labels = []
        for prominence in PROMINENCES:
            tomato = Tomato(graph_type="manual", density_type="manual", merge_threshold=prominence)
            tomato.fit(neighbors, weights=density)
            labels.append(tomato.labels_)
        deaths = deaths_of(tomato, density)
        for i in range(70):
            at = [case + 1, *map(float, points[i]), float(density[i]), deaths.get(i, "")]
            write(at + [int(label[i]) + 1 for label in labels])
