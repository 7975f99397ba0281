/* persistence-curve.h - curves of persistence diagrams on a grid of levels: landscapes, Betti curves, life curves. */
#ifndef DPT_PERSISTENCE_CURVE_H
#define DPT_PERSISTENCE_CURVE_H

#include "base-context.h"

typedef enum {
  DPT_CURVE_LANDSCAPE, /* the height of the k-th largest tent */
  DPT_CURVE_BETTI,     /* the number of points alive */
  DPT_CURVE_LIFE,      /* the total persistence of the points alive */
  DPT_CURVE_SHARE      /* the same, as a fraction of the total persistence of all points */
} dpt_curve_kind;

typedef struct {
  dpt_curve_kind kind;
  ptrdiff_t level;     /* k of the landscape, at least 1 */
  double lower, upper; /* finite: births and deaths are clipped to this range */
  const double *grid;  /* increasing levels within the range */
  ptrdiff_t size;
} dpt_curve;

/* The points of many diagrams in one dimension, one diagram after the other. Any doubles are valid. */
typedef struct {
  const double *birth, *death;
  const double *counts; /* the number of points of each diagram */
  ptrdiff_t diagrams;
} dpt_curve_points;

/* Computes the curve of each diagram, a row of the matrix `values` (diagrams x size). A point that has NaN or never
 * dies is left out, and a point whose birth exceeds its death belongs to a superlevel diagram. */
void dpt_curve_values(dpt_ctx *ctx, const dpt_curve *curve, const dpt_curve_points *points, double *values);

#endif
