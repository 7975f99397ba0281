/* publish-tree.h - the junction tree of sets of columns. */
#ifndef DPT_PUBLISH_TREE_H
#define DPT_PUBLISH_TREE_H

#include "publish-table.h"

/* Sets of columns, one after the other. Set i is column[start[i]] ... column[start[i + 1] - 1], all distinct. */
typedef struct {
  ptrdiff_t count;
  const ptrdiff_t *start;
  const int *column;
} dpt_scopes;

dpt_axes dpt_scope(const dpt_scopes *scopes, ptrdiff_t i);

/* Cliques, parents before children. The first clique has no parent, and is the parent of the first clique of every
 * unconnected part. The axes of a clique begin with the `inner` columns that its parent does not have, with `rest`
 * cells, and end with the separator. */
typedef struct {
  int columns, cliques;
  const ptrdiff_t *size;
  int *parent;       /* -1 for the first */
  dpt_axes *axes;    /* of each clique */
  int *inner;        /* the number of columns that it does not share with its parent */
  ptrdiff_t *rest;   /* the product of their sizes */
  ptrdiff_t *cells;  /* of each clique */
  ptrdiff_t *offset; /* the start of its table; cliques + 1 */
  int *home;         /* of each column: the clique with it that is nearest to the first */
} dpt_tree;

/* Computes the total number of cells of the cliques for these sets, from public numbers alone. It is infinite if a
 * double overflows. */
double dpt_tree_size(dpt_ctx *ctx, int columns, const ptrdiff_t *size, const dpt_scopes *scopes);

/* The same for the sets with each one of `more` added, one at a time. */
void dpt_tree_sizes(dpt_ctx *ctx, int columns, const ptrdiff_t *size, const dpt_scopes *scopes, const dpt_scopes *more,
                    double *cells);

/* Builds the tree. Fails if there are more than 2^(DPT_TABLE_BITS - 1) cells. */
dpt_status dpt_tree_build(dpt_ctx *ctx, int columns, const ptrdiff_t *size, const dpt_scopes *scopes, dpt_tree *tree);

/* Returns the columns that a clique shares with its parent. */
dpt_axes dpt_tree_separator(const dpt_tree *tree, int clique);

/* Returns the clique with the fewest cells among those with all these columns, or -1. */
int dpt_tree_holder(const dpt_tree *tree, dpt_axes axes);

#endif
