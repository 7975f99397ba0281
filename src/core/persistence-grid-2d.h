/* persistence-grid-2d.h - persistence of a cubical image of two axes. */
#ifndef DPT_PERSISTENCE_GRID_2D_H
#define DPT_PERSISTENCE_GRID_2D_H

#include "persistence-grid-diagram.h"
#include "persistence-grid-image.h"

/* Also handles paths, whose second axis has one vertex. */
dpt_status dpt_grid_plane(dpt_ctx *ctx, const dpt_grid_image *image, int max_dimension, dpt_grid_diagram *diagram);

#endif
