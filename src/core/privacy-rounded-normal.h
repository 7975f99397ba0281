/* privacy-rounded-normal.h - normal variates that are rounded to integers, without rounded intermediate results. */
#ifndef DPT_PRIVACY_ROUNDED_NORMAL_H
#define DPT_PRIVACY_ROUNDED_NORMAL_H

#include "base-context.h"
#include "base-long.h"
#include "privacy-variate.h"

/* The absolute value of a standard normal variate is (cell + y)/8, with an integer `cell` and a fraction y. Cells 0 to
 * DPT_NORMAL_CELLS - 1 have an entry each. The next entry is for all other cells, and the last one for none. */
enum { DPT_NORMAL_CELLS = 128, DPT_NORMAL_SLOTS = 256 };

/* The state of a sampler, for one call. A point of 64 bits belongs to the cell whose range it is in. Points from
 * `first` to below `sure` are kept, and points from `sure` on are decided by further bits. */
typedef struct {
  uint64_t first[DPT_NORMAL_CELLS + 2], sure[DPT_NORMAL_CELLS + 2];
  uint8_t entry[DPT_NORMAL_SLOTS]; /* entry of the smallest point with these first 8 bits */
  dpt_variate_source source;
  dpt_variate y;                            /* its integer part is the cell */
  dpt_long one, low, high, factor, product; /* scratch numbers */
} dpt_rounded_normal;

/* Computes the ranges. `doubt` points at the end of each sure range are decided by further bits: 0, or many in
 * tests. */
void dpt_rounded_normal_open(dpt_ctx *ctx, dpt_rounded_normal *sampler, uint64_t doubt);

/* Draws `scale` times a standard normal variate, rounded to the nearest integer. The scale is exact, from 2^-30 to
 * 2^40, and smaller scales are 2^-30. Results above 2^62 in absolute value are clamped to 2^62. */
int64_t dpt_draw_rounded_normal(dpt_ctx *ctx, dpt_rounded_normal *sampler, double scale);

/* Adds such a draw to an integer of at most 2^53 in absolute value, and clamps the sum to 2^61 in absolute value. */
int64_t dpt_add_rounded_normal(dpt_ctx *ctx, dpt_rounded_normal *sampler, double scale, int64_t value);

/* Steps of the draw, for tests.
 * - Draws a cell. The number of points of cell c is the smallest integer of at least 3 2^59 exp(-c^2/128), or a few
 *   more.
 * - True with probability 3 2^(59 + shift) exp(-cell^2/128) - point, clamped to [0, 1].
 * - Draws the standard normal variate, as the cell and limbs of sampler->y.
 * - Returns whether the first `places` bits of y determine the nearest integer of scale (cell + y)/8, and this integer.
 *   `wide` allows integers of 128 bits if they suffice. */
uint64_t dpt_rounded_normal_cell(dpt_ctx *ctx, dpt_rounded_normal *sampler);
bool dpt_rounded_normal_coin(dpt_ctx *ctx, dpt_rounded_normal *sampler, uint64_t point, uint64_t cell, int64_t shift);
void dpt_rounded_normal_variate(dpt_ctx *ctx, dpt_rounded_normal *sampler);
bool dpt_rounded_normal_round(dpt_ctx *ctx, dpt_rounded_normal *sampler, double scale, int64_t places, bool wide,
                              int64_t *size);

#endif
