/* publish-network.h - networks of coded columns: scores of parents of a column, rows drawn along the network, and
 * randomized response. */
#ifndef DPT_PUBLISH_NETWORK_H
#define DPT_PUBLISH_NETWORK_H

#include "base-context.h"

typedef enum { DPT_PARENTS_DISTANCE = 0, DPT_PARENTS_INFORMATION = 1 } dpt_parents_score;

/* Joint counts, integers that add up to n. The column, with `size` codes, varies fastest, then the combinations of its
 * parents. */
typedef struct {
  const double *count;
  ptrdiff_t size, parents;
} dpt_family;

/* Computes a score, an integer below 2^53. Distance: the sum of |n count - product of both margins|, divided by
 * 2^shift, rounded down. Information: n times the mutual information in units of 1 / unit, with each term c log c
 * rounded separately to integer units. */
double dpt_parents_score_of(dpt_ctx *ctx, const dpt_family *family, int64_t n, dpt_parents_score kind, int shift,
                            double unit);

/* One column. `parent`: columns that come before it, the first fastest. `cumulative`: for each combination of their
 * codes, the cumulative probabilities of the codes, without the last, which is one. */
typedef struct {
  int column, parents;
  const int *parent;
  const double *cumulative;
} dpt_network_node;

/* Draws `code`: rows x columns. `size`: codes of each column. */
void dpt_network_draw(dpt_ctx *ctx, const dpt_network_node *nodes, const int *size, int columns, ptrdiff_t rows,
                      int *code);

/* Applies randomized response. Each code is kept, or becomes any given other code with exp(-epsilon) times the
 * probability of being kept. `epsilon`: for each column. */
void dpt_codes_randomize(dpt_ctx *ctx, const int *code, const int *size, const double *epsilon, int columns,
                         ptrdiff_t rows, int *randomized);

#endif
