/* diagram-curve-test.h - divides people into two groups at random, and measures how far the groups are apart. */
#ifndef DPT_DIAGRAM_CURVE_TEST_H
#define DPT_DIAGRAM_CURVE_TEST_H

#include "base-context.h"

/* Draws `count` uniform divisions, each independent of the others and of all data. member: people x count, 1 for the
 * `first` people of the first group, and 0 for the others. 0 < first < people < 2^31. */
void dpt_curve_divide(dpt_ctx *ctx, ptrdiff_t people, ptrdiff_t first, ptrdiff_t count, unsigned char *member);

/* Returns floor(|n2 S1 - n1 S2| / 2^shift) for each of `count` divisions, exactly, with the sums S1 and S2 of the
 * columns of people in both groups, and their sizes n1 = first and n2. value: columns x people, of integers. The square
 * of the longest possible vector is below 2^126, and results are at most 2^53. */
void dpt_curve_distances(dpt_ctx *ctx, const double *value, ptrdiff_t columns, ptrdiff_t people,
                         const unsigned char *member, ptrdiff_t first, ptrdiff_t count, int shift, double *distance);

#endif
