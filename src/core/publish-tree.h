/* publish-tree.h - the junction tree of sets of columns. */
#ifndef DPT_PUBLISH_TREE_H
#define DPT_PUBLISH_TREE_H

#include "publish-table.h"

/* Sets of columns, one after the other: set i is column[start[i]] ... column[start[i + 1] - 1], all different. */
typedef struct {
  ptrdiff_t count;
  const ptrdiff_t *start;
  const int *column;
} dpt_scopes;

dpt_axes dpt_scope(const dpt_scopes *scopes, ptrdiff_t i);

/* Cliques in an order in which parents come before children; the first has none, and is the parent of the first of
 * every part that nothing connects. The axes of a clique: first those that its parent does not have, `rest` cells of
 * them, then the separator, `inner` columns before it. */
typedef struct {
  int columns, cliques;
  const ptrdiff_t *size;
  int *parent;       /* -1 for the first */
  dpt_axes *axes;    /* of each clique */
  int *inner;        /* how many columns it does not share with its parent */
  ptrdiff_t *rest;   /* the product of their sizes */
  ptrdiff_t *cells;  /* of each clique */
  ptrdiff_t *offset; /* where its table begins; cliques + 1 */
  int *home;         /* of each column: the clique nearest to the first that has it */
} dpt_tree;

/* All cells of the cliques that the sets lead to: known from public numbers alone. Infinite where there are too many for
 * a double. */
double dpt_tree_size(dpt_ctx *ctx, int columns, const ptrdiff_t *size, const dpt_scopes *scopes);

/* The same for each of `more` in addition to the sets, one at a time. */
void dpt_tree_sizes(dpt_ctx *ctx, int columns, const ptrdiff_t *size, const dpt_scopes *scopes, const dpt_scopes *more,
                    double *cells);

/* Refused where there are more than 2^(DPT_TABLE_BITS - 1) cells. */
dpt_status dpt_tree_build(dpt_ctx *ctx, int columns, const ptrdiff_t *size, const dpt_scopes *scopes, dpt_tree *tree);

/* The columns that a clique shares with its parent. */
dpt_axes dpt_tree_separator(const dpt_tree *tree, int clique);

/* The clique with the fewest cells that has all these columns, or -1. */
int dpt_tree_holder(const dpt_tree *tree, dpt_axes axes);

#endif
