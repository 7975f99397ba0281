/* dtm-landmarks-loops.h - the inner loops of the distance to a measure at landmarks, for the vectors that the
 * running machine has. */
#ifndef DPT_DTM_LANDMARKS_LOOPS_H
#define DPT_DTM_LANDMARKS_LOOPS_H

#include <stdbool.h>
#include <stddef.h>

/* DPT_LANES rows make a panel, and DPT_SIX landmarks are looked at together. */
enum { DPT_LANES = 8, DPT_SIX = 6 };

/* Rows in whole numbers: coordinate j of those of a panel stands at j * DPT_LANES, panels one after the other. What is
 * left of the last panel is farther than any clip, with no weight. */
typedef struct {
  ptrdiff_t rows, panels;
  double *x, *norm, *weight; /* norm: squares of lengths; weight: NULL for all one */
} dpt_panels;

/* Six landmarks: coordinate j of those stands at j * DPT_SIX, and times -2 where norms are used. */
typedef struct {
  double *place;
  double norm[DPT_SIX];
} dpt_landmark_six;

/* Keys below a limit that were kept, with positive weights; NULL for all one. */
typedef struct {
  double *key, *weight;
  ptrdiff_t count;
  double limit;
} dpt_kept;

/* Keys from `low` to `high`, and the weight of those below. Room for four more than are found. */
typedef struct {
  double low, high;
  double *key, *weight;
  ptrdiff_t count;
  double below;
} dpt_band;

typedef struct {
  /* Appends to each of six the keys of rows that are below its limit, with room for as many as there are, and one panel
   * more. A key is the squared distance: a sum of squares of differences or, for norms, the sum of two norms and the
   * products. */
  void (*scan)(const dpt_panels *rows, ptrdiff_t from, ptrdiff_t to, int dimension, const dpt_landmark_six *six,
               dpt_kept *kept);
  /* Drops what is not below the limit. */
  void (*drop)(dpt_kept *kept);
  void (*find)(const dpt_kept *kept, dpt_band *band);
} dpt_landmark_loops;

dpt_landmark_loops dpt_landmark_choose_loops(bool norms, bool weighted);

/* Those for vectors of any length. */
dpt_landmark_loops dpt_landmark_any_loops(bool norms, bool weighted);

#endif
