/* topology-grid-persistence-2d.h - persistence of a cubical image of two axes. */
#ifndef DPT_TOPOLOGY_GRID_PERSISTENCE_2D_H
#define DPT_TOPOLOGY_GRID_PERSISTENCE_2D_H

#include "topology-grid-persistence-diagram.h"
#include "topology-grid-persistence-image.h"

/* Paths, too: their second axis has one vertex. */
dpt_status dpt_grid_plane(dpt_ctx *ctx, const dpt_grid_image *image, int max_dimension, dpt_grid_diagram *diagram);

#endif
