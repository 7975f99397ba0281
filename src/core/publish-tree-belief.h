/* publish-tree-belief.h - the joint probabilities of each clique of a graphical model, and margins in cliques. */
#ifndef DPT_PUBLISH_TREE_BELIEF_H
#define DPT_PUBLISH_TREE_BELIEF_H

#include "publish-tree.h"

/* A model is a junction tree and one table of log potentials for each of the sets that it was built from. */
typedef struct {
  const dpt_tree *tree;
  const dpt_scopes *scopes;
  ptrdiff_t *offset;  /* the start of each set's table; count + 1 */
  ptrdiff_t *source;  /* the smallest set with all its columns and more, or -1: then `holder` */
  int *holder;        /* the clique that contains it */
  ptrdiff_t *rising;  /* the sets by size, each before its source */
  dpt_walk *into;     /* from each set into its source or clique */
  dpt_walk *out;      /* and back */
  dpt_walk *up;       /* from the separator of each clique into its parent */
  dpt_walk *down;     /* and back */
  double *potential;  /* of the size of all sets */
  double **separator; /* the probabilities of the separators */
  double *belief;     /* all cells of the tree: probabilities */
} dpt_belief;

void dpt_belief_plan(dpt_ctx *ctx, const dpt_tree *tree, const dpt_scopes *scopes, dpt_belief *belief);

/* Computes `belief` and `separator` from log potentials, tables one after the other. */
void dpt_belief_update(dpt_ctx *ctx, dpt_belief *belief, const double *potential);

/* Writes `total` times the probabilities of the sets. */
void dpt_belief_margins(dpt_ctx *ctx, const dpt_belief *belief, double total, double *margin);

#endif
