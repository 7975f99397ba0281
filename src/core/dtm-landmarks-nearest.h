/* dtm-landmarks-nearest.h - the k smallest of a stream of keys, and the integer distance to a measure from them. */
#ifndef DPT_DTM_LANDMARKS_NEAREST_H
#define DPT_DTM_LANDMARKS_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

#include "dtm.h"
#include "dtm-landmarks-loops.h"

/* The kept keys, which are squares of distances, with the following property:
 *
 *     the k smallest of all keys, cut at the square of the clip, are the smallest of the kept ones, and the limit as
 *     often as the weights of these are too few.
 *
 * The property holds at the beginning, with no keys and the square of the clip as the limit. It remains true if keys
 * below the limit are kept, and through the functions below. With a guessed limit it may be false. */
typedef struct {
  double neighbors, r, clip; /* k, and as in dtm.h */
  const dpt_dtm_lattice *lattice;
  dpt_landmark_loops loops;
} dpt_nearest_rule;

/* Scratch memory of a thread, as large as the room for the keys, and weights of one if no weights are kept. */
typedef struct {
  double *key, *weight;
} dpt_nearest_scratch;

dpt_nearest_scratch dpt_nearest_new_scratch(dpt_ctx *ctx, ptrdiff_t room);

/* The key at which the weights sum to `target`, or the limit if they never do. Safe inside parallel regions, like
 * all functions below. Overwrites the scratch memory, except for the ones. */
double dpt_nearest_select(const dpt_nearest_rule *rule, const dpt_kept *kept, dpt_nearest_scratch scratch,
                          double target);

/* Lowers the limit to the key at which the weights sum to k, and drops keys that are not below. If they never do,
 * returns false and does nothing. */
bool dpt_nearest_lower(const dpt_nearest_rule *rule, dpt_kept *kept, dpt_nearest_scratch scratch);

/* The value, after all keys have been added and the limit has been lowered. */
double dpt_nearest_value(const dpt_nearest_rule *rule, const dpt_kept *kept);

#endif
