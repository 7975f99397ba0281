/* topology-grid-persistence-nd.h - persistence on any grid complex of two to four dimensions. */
#ifndef DPT_TOPOLOGY_GRID_PERSISTENCE_ND_H
#define DPT_TOPOLOGY_GRID_PERSISTENCE_ND_H

#include "topology-grid-persistence-diagram.h"
#include "topology-grid-persistence-image.h"

dpt_status dpt_grid_general(dpt_ctx *ctx, const dpt_grid_image *image, dpt_grid_complex complex, int max_dimension,
                            dpt_grid_diagram *diagram);

#endif
