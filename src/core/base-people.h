/* base-people.h - weights of the rows of each person, with the same total for all people. */
#ifndef DPT_BASE_PEOPLE_H
#define DPT_BASE_PEOPLE_H

#include "base-context.h"
#include "base-rows.h"

enum { DPT_PEOPLE_MAX_WEIGHT = 1 << 20 };

/* Row j of the m rows of a person, counted from 1 in the order of all columns, has the weight
 *
 *   floor((j weight + u) / m) - floor(((j - 1) weight + u) / m),   u = floor(m / 2)
 *
 * so that each person with rows has the total `weight`. Doubles are compared by value, ints as they are, and NaN has
 * some place. Rows that are equal in all columns have no fixed order. owner: the person of each row, from 1 to
 * `people`. weights: one for each row. */
void dpt_people_weigh(dpt_ctx *ctx, const dpt_column *columns, int dimension, const int *owner, ptrdiff_t rows,
                      ptrdiff_t people, int weight, int *weights);

#endif
