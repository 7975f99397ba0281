/* persistence-essential.h - points of a diagram that are not finite, apart from those that are. */
#ifndef DPT_PERSISTENCE_ESSENTIAL_H
#define DPT_PERSISTENCE_ESSENTIAL_H

#include "persistence-points.h"

/* Infinite points come in three kinds: no death, no birth, neither. Each is matched with its own by the coordinate that
 * is finite. */
enum { DPT_DEATHLESS, DPT_BIRTHLESS, DPT_BOTH_LESS, DPT_ENDLESS_KINDS };

/* The finite points of a diagram, without a copy where all are finite, and the sorted coordinates of the others: 0 for
 * those that have none. */
typedef struct {
  dpt_points finite;
  double *level[DPT_ENDLESS_KINDS];
  ptrdiff_t count[DPT_ENDLESS_KINDS];
} dpt_split_points;

dpt_split_points dpt_split_essential(dpt_ctx *ctx, const dpt_points *points);

#endif
