/* publish-tree-query.h - margins of any columns of a graphical model, within a clique or across cliques. */
#ifndef DPT_PUBLISH_TREE_QUERY_H
#define DPT_PUBLISH_TREE_QUERY_H

#include "publish-tree-belief.h"

/* Computes, for each set, the number of cells of the largest table that its margin needs, from the tree alone. */
void dpt_tree_reaches(dpt_ctx *ctx, const dpt_tree *tree, const dpt_scopes *scopes, double *reach);

/* Computes the probabilities of these columns, the first fastest, from an updated belief. Their reach is below
 * 2^DPT_TABLE_BITS. */
void dpt_tree_margin(dpt_ctx *ctx, const dpt_belief *belief, dpt_axes axes, double *margin);

/* Computes, for each set, the sum of |unit c - m|. Here c are counts, integers, tables one after the other, and m is
 * `unit` times `total` times the probability, rounded. `unit` is a power of two. Regardless of errors in the
 * probabilities, the m of a set are nonnegative integers that add up to at most 2 unit total, which is below 2^51. So
 * the sums are exact. */
void dpt_tree_distance(dpt_ctx *ctx, const dpt_belief *belief, const dpt_scopes *scopes, const double *count,
                       double total, double unit, double *distance);

#endif
