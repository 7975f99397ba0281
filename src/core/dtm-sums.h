/* dtm-sums.h - sums of powers of distances, in doubles with a proved error or in whole numbers without one. */
#ifndef DPT_DTM_SUMS_H
#define DPT_DTM_SUMS_H

#include <stddef.h>

enum { DPT_SUM_BLOCK = 256 };

/* A sum of weight * distance^r, being added up.
 *
 * `whole` 0: the sum is sum + rest, where rest are rounding errors carried along (Knuth's exact sum of two): as good as
 * one addition of blocks, however many. For r other than 1 and 2 it is in units of R^r, where `limit` is the square of
 * R: no distance that counts is longer, so no power is above one, and none overflows.
 *
 * `whole` a power of two h: squares are whole numbers of at most h^2 <= 2^52, and distances are cut to whole numbers
 * for r = 1. The sum is `sum`, and for r = 2 it is sum * h + rest, all exact in any order, if the weights add up to at
 * most 2^52 / h. */
typedef struct {
  double r, limit, whole;
  double sum, rest;
} dpt_power_sum;

/* `whole` for a clip of whole numbers: the least power of two that no distance up to it exceeds. */
double dpt_power_whole(double clip);

/* Adds at most DPT_SUM_BLOCK points by the squares of their distances. */
void dpt_power_sum_add(dpt_power_sum *total, const double *square, const double *weight, ptrdiff_t count);

/* The distance of which the r-th power is the mean: with `left` more at the distance R, all in all `neighbors`. For
 * sums in doubles. */
double dpt_power_sum_mean(dpt_power_sum total, double left, double R, double neighbors);

/* The sum in steps, for r = 1 floor(sum * steps / (unit * change)), for r = 2 floor(sqrt(sum / unit) * steps / change),
 * both exact. For sums in whole numbers; `steps`, `change` and `unit` are whole, `steps` below 2^31, change^2 * unit at
 * most 2^64, and the result must be at most 2^31. */
double dpt_power_sum_steps(dpt_power_sum total, double change, double unit, double steps);

#endif
