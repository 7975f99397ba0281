/* topology-multiplicity.h - in how many ways the cover proposes one and the same diagram. */
#ifndef DPT_TOPOLOGY_MULTIPLICITY_H
#define DPT_TOPOLOGY_MULTIPLICITY_H

#include "topology-cover.h"

/* Is the proposal in the ball? If so, in how many ways it can be proposed (at least 1), else 0. */
double dpt_cover_multiplicity(dpt_ctx *ctx, const dpt_release *release, const dpt_cover *cover, double t,
                              const dpt_labels *labels);

#endif
