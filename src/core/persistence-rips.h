/* persistence-rips.h - edge values of a weighted Rips filtration, and its connected components. */
#ifndef DPT_PERSISTENCE_RIPS_H
#define DPT_PERSISTENCE_RIPS_H

#include "base-context.h"

/* The filtration of `count` vertices: vertex i enters at value[i], the edge of i and j at
 *
 *     max(value[i], value[j], (value[i] + value[j] + length[i + j count]) / 2),
 *
 * the half sum rounded down if `whole`; then all numbers are whole and at most 2^52 in absolute value. The lengths are
 * symmetric and at least 0. No -Inf, no NaN. */
typedef struct {
  ptrdiff_t count;
  const double *value, *length;
  bool whole;
} dpt_rips;

/* Writes the count (count - 1) / 2 edge values, those of the first vertex first. Returns the level from which one
 * vertex has an edge to each other one, so that the flag complex is a cone: -Inf for a single vertex. */
double dpt_rips_edges(dpt_ctx *ctx, const dpt_rips *rips, double *edge);

/* Pairs of dimension 0 of the filtration cut at `cap`, by increasing death, but for the essential one: those with
 * birth[k] < death[k] <= cap. There is room for count - 1 of them; returns how many there are. */
ptrdiff_t dpt_rips_components(dpt_ctx *ctx, const dpt_rips *rips, double cap, double *birth, double *death);

#endif
