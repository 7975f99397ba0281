/* persistence-grid-nd.h - persistence on any grid complex of two to four dimensions. */
#ifndef DPT_PERSISTENCE_GRID_ND_H
#define DPT_PERSISTENCE_GRID_ND_H

#include "persistence-grid-diagram.h"
#include "persistence-grid-image.h"

dpt_status dpt_grid_general(dpt_ctx *ctx, const dpt_grid_image *image, dpt_grid_complex complex, int max_dimension,
                            dpt_grid_diagram *diagram);

#endif
