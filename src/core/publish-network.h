/* publish-network.h - networks of coded columns: how much parents say about a column, rows drawn along the network, and codes
 * that are flipped. */
#ifndef DPT_PUBLISH_NETWORK_H
#define DPT_PUBLISH_NETWORK_H

#include "base-context.h"

typedef enum { DPT_PARENTS_DISTANCE = 0, DPT_PARENTS_INFORMATION = 1 } dpt_parents_score;

/* Joint counts of a column, fastest, of `size` codes, and of the combinations of its parents; whole numbers that add up to n. */
typedef struct {
  const double *count;
  ptrdiff_t size, parents;
} dpt_family;

/* A whole number below 2^53. Distance: the sum of |n count - product of both margins|, divided by 2^shift, rounded down.
 * Information: n times the mutual information in units of 1 / unit, each term c log c rounded to whole units by itself. */
double dpt_parents_score_of(dpt_ctx *ctx, const dpt_family *family, int64_t n, dpt_parents_score kind, int shift,
                            double unit);

/* One column: `parent`, columns that come before it, the first fastest; `cumulative`, for each combination of them the
 * probabilities of the first code, the first two, ... up to all but one. */
typedef struct {
  int column, parents;
  const int *parent;
  const double *cumulative;
} dpt_network_node;

/* `code`: rows x columns. `size` of each column. */
void dpt_network_draw(dpt_ctx *ctx, const dpt_network_node *nodes, const int *size, int columns, ptrdiff_t rows,
                      int *code);

/* Each code stays what it is, or becomes any other with the part exp(-epsilon) of that probability; epsilon of each column. */
void dpt_codes_randomize(dpt_ctx *ctx, const int *code, const int *size, const double *epsilon, int columns,
                         ptrdiff_t rows, int *randomized);

#endif
