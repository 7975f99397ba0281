/* persistence-bottleneck.h - the bottleneck distance of two persistence diagrams, and its decision procedure. */
#ifndef DPT_PERSISTENCE_BOTTLENECK_H
#define DPT_PERSISTENCE_BOTTLENECK_H

#include "persistence-points.h"

/* Whether every point of `from` with persistence above 2t can be matched to its own point of `to` within t. Points
 * are finite, and `to` is sorted by birth. With few such points the cost is a binary search and a scan of the births
 * within t for each of them, without memory. */
bool dpt_bottleneck_covers(dpt_ctx *ctx, const dpt_points *from, const dpt_points *to, double t);

/* Whether the distance is at most t. Points are finite, and both diagrams are sorted by birth. */
bool dpt_bottleneck_within(dpt_ctx *ctx, const dpt_points *x, const dpt_points *y, double t);

/* The distance, exactly: a difference of two births or of two deaths, or half a persistence, as doubles compute
 * them. Points may be in any order. Infinite points are matched within their kind, and unequal numbers of a kind
 * give infinity. */
double dpt_bottleneck_distance(dpt_ctx *ctx, const dpt_points *x, const dpt_points *y);

#endif
