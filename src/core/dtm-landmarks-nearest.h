/* dtm-landmarks-nearest.h - the k smallest of keys that come one after the other, and the distance to a measure
 * that they make in whole numbers. */
#ifndef DPT_DTM_LANDMARKS_NEAREST_H
#define DPT_DTM_LANDMARKS_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

#include "dtm.h"
#include "dtm-landmarks-loops.h"

/* What is kept of keys, which are squares of distances, so that these hold:
 *
 *     the k smallest of all keys, cut at the square of the clip, are the smallest of the kept ones, and the limit as
 *     often as the weights of these are too few.
 *
 * They hold at the beginning, where nothing is kept and the limit is the square of the clip, and remain true if keys
 * below the limit are kept, and through the functions below. After a limit that was guessed they may not. */
typedef struct {
  double neighbors, r, clip; /* k, and as in dtm.h */
  const dpt_dtm_lattice *lattice;
  dpt_landmark_loops loops;
} dpt_nearest_rule;

/* Scratch memory of a thread, as large as the room for the keys; weights of one where none are kept. */
typedef struct {
  double *key, *weight;
} dpt_nearest_scratch;

dpt_nearest_scratch dpt_nearest_new_scratch(dpt_ctx *ctx, ptrdiff_t room);

/* The key at which the weights reach `target`, or the limit if they never do. Safe inside parallel regions, as all
 * below. What is in the scratch memory is lost, but for ones. */
double dpt_nearest_select(const dpt_nearest_rule *rule, const dpt_kept *kept, dpt_nearest_scratch scratch,
                          double target);

/* Lowers the limit to the key at which the weights reach k, and drops what is not below; gives back false, and does
 * nothing, if they never do. */
bool dpt_nearest_lower(const dpt_nearest_rule *rule, dpt_kept *kept, dpt_nearest_scratch scratch);

/* The value, once all keys have been seen and the limit has been lowered. */
double dpt_nearest_value(const dpt_nearest_rule *rule, const dpt_kept *kept);

#endif
