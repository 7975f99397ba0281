/* cluster-morse.h - the modes of a mixture of normal distributions, and the passes between them. */
#ifndef DPT_CLUSTER_MORSE_H
#define DPT_CLUSTER_MORSE_H

#include "cluster-mixture.h"

/* Modes and passes. Between any two modes there is one pass, the highest level found for a path between them: at a
 * saddle or at the lowest point of the path. */
typedef struct {
  ptrdiff_t modes;
  double *mode;       /* `dimension` numbers for each mode */
  double *mode_level; /* log density */
  ptrdiff_t *mode_of; /* of each component, the mode that its center ascends to */
  ptrdiff_t passes;   /* modes (modes - 1) / 2 */
  ptrdiff_t *from, *to;
  double *level;        /* log density */
  const double **place; /* the saddle, or NULL */
} dpt_morse_graph;

void dpt_morse_search(dpt_ctx *ctx, const dpt_mixture *mixture, dpt_morse_graph *graph);

/* Writes into label, for each row of X (rows x dimension), the number (from 1) of the mode to which it ascends, among
 * `modes` modes (each `dimension` numbers). The label is 0 if this is none of them or cannot be determined. */
void dpt_morse_basins(dpt_ctx *ctx, const dpt_mixture *mixture, ptrdiff_t modes, const double *mode, ptrdiff_t rows,
                      const double *X, double *label);

#endif
