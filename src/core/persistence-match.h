/* persistence-match.h - bottleneck matching of points in the plane, in the maximum norm. */
#ifndef DPT_PERSISTENCE_MATCH_H
#define DPT_PERSISTENCE_MATCH_H

#include "persistence-points.h"

/* Matches points of `from`, each to its own point of `to`. A point may also leave by its exit, at the cost of its
 * distance to the diagonal. The points are finite, and `to` must not be empty. */
typedef struct dpt_matcher dpt_matcher;

dpt_matcher *dpt_match_new(dpt_ctx *ctx, const dpt_points *from, const dpt_points *to);

/* Whether every point whose exit costs more than t has a partner within t. */
bool dpt_match_covers(dpt_ctx *ctx, dpt_matcher *matcher, double t);

/* The largest cost of a point's cheapest edge or exit, if all partners were free: a lower bound of the bottleneck,
 * at least `floor`. */
double dpt_match_floor(dpt_ctx *ctx, dpt_matcher *matcher, double floor);

/* The smallest t >= floor that covers. It is `floor`, an exit's cost or a distance, bit for bit. */
double dpt_match_bottleneck(dpt_ctx *ctx, dpt_matcher *matcher, double floor);

#endif
