/* publish-tree-draw.h - records from a graphical model. */
#ifndef DPT_PUBLISH_TREE_DRAW_H
#define DPT_PUBLISH_TREE_DRAW_H

#include "publish-tree-belief.h"

/* Draws codes from 0, rows x columns, from an updated belief. */
void dpt_tree_draw(dpt_ctx *ctx, const dpt_belief *belief, ptrdiff_t rows, int *code);

#endif
