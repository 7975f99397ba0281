/* cluster-morse.h - the modes of a mixture of normal distributions, and the passes between them. */
#ifndef DPT_CLUSTER_MORSE_H
#define DPT_CLUSTER_MORSE_H

#include "cluster-mixture.h"

/* Between any two modes there is one pass: the highest level of a way between them that was found, by a saddle or by
 * the lowest place of a way. */
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

/* label receives, for each row of X (rows x dimension), the number (from 1) of the mode that it ascends to, among
 * `modes` ones (each `dimension` numbers); 0 where that is none of them or nothing can be told. */
void dpt_morse_basins(dpt_ctx *ctx, const dpt_mixture *mixture, ptrdiff_t modes, const double *mode, ptrdiff_t rows,
                      const double *X, double *label);

#endif
