/* persistence-rips.h - edge values of a weighted Rips filtration, and its connected components. */
#ifndef DPT_PERSISTENCE_RIPS_H
#define DPT_PERSISTENCE_RIPS_H

#include "base-context.h"

/* The filtration of `count` vertices: vertex i enters at value[i], the edge of i and j at
 *
 *     max(value[i], value[j], (value[i] + value[j] + length[i + j count]) / 2),
 *
 * with the half sum rounded down if `whole`. Then all numbers are integers of at most 2^52 in absolute value. The
 * lengths are symmetric and at least 0. No -Inf, no NaN. */
typedef struct {
  ptrdiff_t count;
  const double *value, *length;
  bool whole;
} dpt_rips;

/* Writes the count (count - 1) / 2 edge values, starting with the first vertex. Returns the level from which one
 * vertex has an edge to each other one, so that the flag complex is a cone: -Inf for a single vertex. */
double dpt_rips_edges(dpt_ctx *ctx, const dpt_rips *rips, double *edge);

/* Writes the pairs of dimension 0 of the filtration cut at `cap`, by increasing death, except for the essential
 * pair. They have birth[k] < death[k] <= cap. There is room for count - 1 pairs. Returns their number. */
ptrdiff_t dpt_rips_components(dpt_ctx *ctx, const dpt_rips *rips, double cap, double *birth, double *death);

#endif
