/* diagram-curve.h - curves on a grid become vectors of integers that are not too long. */
#ifndef DPT_DIAGRAM_CURVE_H
#define DPT_DIAGRAM_CURVE_H

#include "base-context.h"

enum { DPT_CURVE_MOST_SIZE = 1024, DPT_CURVE_MOST_BITS = 20 };

/* Cuts each of `rows` vectors of `size` doubles, any doubles, to integers w >= 0 with sum of w^2 <= 4^bits, in steps of
 * radius / 2^bits. `curves` and `cut` are matrices with one row per vector. size: 1 to DPT_CURVE_MOST_SIZE. bits: 1 to
 * DPT_CURVE_MOST_BITS. radius: 2^-900 to 2^900. */
void dpt_curve_cut(dpt_ctx *ctx, const double *curves, ptrdiff_t rows, int size, double radius, int bits, double *cut);

#endif
