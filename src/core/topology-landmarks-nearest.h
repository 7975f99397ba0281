/* topology-landmarks-nearest.h - the k smallest of keys that come one after the other, and the distance to a measure
 * that they make in whole numbers. */
#ifndef DPT_TOPOLOGY_LANDMARKS_NEAREST_H
#define DPT_TOPOLOGY_LANDMARKS_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

#include "topology-dtm.h"

/* What has been kept of the keys seen so far, which are squares of distances: the `count` of those below `limit`, with
 * weights that are positive whole numbers. The `neighbors` smallest of all are the smallest of those kept, and `limit`
 * as often as the weights of those kept are too few. That is so at the beginning, where `limit` is the square of the
 * clip, and remains so; only after a limit that was guessed it must be asked for. */
typedef struct {
  double *key, *weight;
  ptrdiff_t count;
  double limit;
  bool guessed;
} dpt_nearest;

/* What is made of them; `clip` and `lattice` as in topology-dtm.h. */
typedef struct {
  double neighbors, r, clip;
  const dpt_dtm_lattice *lattice;
} dpt_nearest_rule;

/* Lowers the limit to the key at which the weights reach `neighbors`, which they must do, and drops what is not below.
 * Safe inside parallel regions. */
void dpt_nearest_compact(dpt_nearest *nearest, double neighbors);

/* The value once all keys have been seen; or false, and nothing is written, if the limit was guessed too low. What was kept is
 * lost. Safe inside parallel regions. */
bool dpt_nearest_value(dpt_nearest *nearest, dpt_nearest_rule rule, double *value);

#endif
