/* base-people.h - what each row of a person weighs, so that all rows of each person weigh the same together. */
#ifndef DPT_BASE_PEOPLE_H
#define DPT_BASE_PEOPLE_H

#include "base-context.h"
#include "base-rows.h"

enum { DPT_PEOPLE_MAX_WEIGHT = 1 << 20 };

/* Row j of the m rows of a person, from 1, in the order of all columns, weighs
 *
 *   floor((j weight + u) / m) - floor(((j - 1) weight + u) / m),   u = floor(m / 2)
 *
 * so that each person who has a row weighs `weight`. Doubles are compared by value, ints as they are, NaN somewhere. Rows
 * that are equal in all columns are in no order. owner: whose a row is, from 1 to `people`; weights: one for each row. */
void dpt_people_weigh(dpt_ctx *ctx, const dpt_column *columns, int dimension, const int *owner, ptrdiff_t rows,
                      ptrdiff_t people, int weight, int *weights);

#endif
