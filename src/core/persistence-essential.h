/* persistence-essential.h - separates infinite points of a diagram from finite points. */
#ifndef DPT_PERSISTENCE_ESSENTIAL_H
#define DPT_PERSISTENCE_ESSENTIAL_H

#include "persistence-points.h"

/* Infinite points come in three kinds: no death, no birth, neither. Points of one kind are matched by their finite
 * coordinate. */
enum { DPT_DEATHLESS, DPT_BIRTHLESS, DPT_BOTH_LESS, DPT_ENDLESS_KINDS };

/* The finite points of a diagram, without a copy if all are finite, and the sorted coordinates of the others, which
 * are 0 for points without a finite coordinate. */
typedef struct {
  dpt_points finite;
  double *level[DPT_ENDLESS_KINDS];
  ptrdiff_t count[DPT_ENDLESS_KINDS];
} dpt_split_points;

dpt_split_points dpt_split_essential(dpt_ctx *ctx, const dpt_points *points);

#endif
