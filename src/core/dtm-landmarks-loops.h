/* dtm-landmarks-loops.h - the inner loops of the distance to a measure at landmarks, for the vectors of the running
 * machine. */
#ifndef DPT_DTM_LANDMARKS_LOOPS_H
#define DPT_DTM_LANDMARKS_LOOPS_H

#include <stdbool.h>
#include <stddef.h>

/* DPT_LANES rows make a panel, and DPT_SIX landmarks are processed together. */
enum { DPT_LANES = 8, DPT_SIX = 6 };

/* Rows in integers: coordinate j of a panel's rows is at j * DPT_LANES, panels one after the other. Empty places of
 * the last panel are farther than any clip, with weight zero. */
typedef struct {
  ptrdiff_t rows, panels;
  double *x, *norm, *weight; /* norm: squares of lengths; weight: NULL for all one */
} dpt_panels;

/* Six landmarks: coordinate j is at j * DPT_SIX, and multiplied by -2 if norms are used. */
typedef struct {
  double *place;
  double norm[DPT_SIX];
} dpt_landmark_six;

/* Keys below a limit that were kept, with positive weights, or NULL for weights of one. */
typedef struct {
  double *key, *weight;
  ptrdiff_t count;
  double limit;
} dpt_kept;

/* Keys from `low` to `high`, and the weight of the keys below. Room for four more than are found. */
typedef struct {
  double low, high;
  double *key, *weight;
  ptrdiff_t count;
  double below;
} dpt_band;

typedef struct {
  /* Appends, for each of six landmarks, the keys of rows that are below its limit. There must be room for all rows
   * and one more panel. A key is the squared distance: a sum of squares of differences or, with norms, the sum of
   * two norms and the products. */
  void (*scan)(const dpt_panels *rows, ptrdiff_t from, ptrdiff_t to, int dimension, const dpt_landmark_six *six,
               dpt_kept *kept);
  /* Drops keys that are not below the limit. */
  void (*drop)(dpt_kept *kept);
  void (*find)(const dpt_kept *kept, dpt_band *band);
} dpt_landmark_loops;

dpt_landmark_loops dpt_landmark_choose_loops(bool norms, bool weighted);

/* The loops for vectors of any length. */
dpt_landmark_loops dpt_landmark_any_loops(bool norms, bool weighted);

#endif
