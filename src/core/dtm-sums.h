/* dtm-sums.h - sums of powers of distances, in doubles with a proved error or in integers without error. */
#ifndef DPT_DTM_SUMS_H
#define DPT_DTM_SUMS_H

#include <stddef.h>

enum { DPT_SUM_BLOCK = 256 };

/* A running sum of weight * distance^r.
 *
 * `whole` 0: the sum is sum + rest, where rest collects the rounding errors (Knuth's exact sum of two). It is as
 * accurate as one addition of blocks, for any number of blocks. For r other than 1 and 2 it is in units of R^r,
 * where `limit` is the square of R. No distance that counts is longer, so no power is above one, and none overflows.
 *
 * `whole` a power of two h: squares are integers of at most h^2 <= 2^52, and distances are cut to integers for r =
 * 1. The sum is `sum`, and for r = 2 it is sum * h + rest, all exact in any order, if the weights add up to at most
 * 2^52 / h. */
typedef struct {
  double r, limit, whole;
  double sum, rest;
} dpt_power_sum;

/* `whole` for an integer clip: the smallest power of two that no distance up to the clip exceeds. */
double dpt_power_whole(double clip);

/* Adds at most DPT_SUM_BLOCK points by the squares of their distances. */
void dpt_power_sum_add(dpt_power_sum *total, const double *square, const double *weight, ptrdiff_t count);

/* The distance whose r-th power is the mean, with weight `left` more at the distance R, and `neighbors` in total.
 * For sums in doubles. */
double dpt_power_sum_mean(dpt_power_sum total, double left, double R, double neighbors);

/* The sum in steps, for r = 1 floor(sum * steps / (unit * change)), for r = 2 floor(sqrt(sum / unit) * steps /
 * change), both exact. For sums in integers. `steps`, `change` and `unit` are integers, `steps` below 2^31, change^2
 * * unit at most 2^64, and the result must be at most 2^31. */
double dpt_power_sum_steps(dpt_power_sum total, double change, double unit, double steps);

#endif
