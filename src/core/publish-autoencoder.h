/* publish-autoencoder.h - a small network from codes to a place in the plane and back, trained on noisy sums of cut
 * gradients. */
#ifndef DPT_PUBLISH_AUTOENCODER_H
#define DPT_PUBLISH_AUTOENCODER_H

#include "base-context.h"

enum { DPT_AUTOENCODER_LATENT = 2, DPT_AUTOENCODER_BITS = 14 };

/* A row is a tuple of codes; `cells` is the sum of the sizes of the columns. */
typedef struct {
  const int *code; /* rows x columns, from 0 */
  ptrdiff_t rows;
  int columns;
  const int *size;
  ptrdiff_t cells, hidden;
} dpt_autoencoder_rows;

/* How many weights there are. Their order: for each cell `hidden` numbers and then `hidden` more, the first layer;
 * for each of the two places `hidden`, and then two; for each hidden one two, and then `hidden`; for each cell
 * `hidden`, and then one for each cell. */
ptrdiff_t dpt_autoencoder_weights(const dpt_autoencoder_rows *rows);

/* The gradient of the loss of one row, minus the sum over columns of the log probability of its code, as a fixed
 * sequence of operations on this row. `scratch` has cells + 4 * hidden doubles. Returns the loss. */
double dpt_autoencoder_gradient(const dpt_autoencoder_rows *rows, ptrdiff_t row, const double *weight, double *gradient,
                                double *scratch);

/* Whole numbers q with a sum of squares of at most 4^DPT_AUTOENCODER_BITS, enforced in integers: near 2^BITS /
 * max(clip, |g|) times g. All are zero where g is not finite. */
void dpt_autoencoder_cut(ptrdiff_t count, const double *gradient, double clip, int32_t *q);

typedef struct {
  ptrdiff_t steps, batch;
  double clip;  /* positive: the length at which a gradient is cut */
  double scale; /* of the discrete Gaussian noise on a sum, in steps of clip / 2^BITS */
  double rate;  /* of learning */
} dpt_autoencoder_training;

/* Trains `weight` in place: `steps` times the sum of the cut gradients of `batch` rows, a uniformly drawn set of
 * them, with noise, by Adam; the mean of the weights of the last half of the steps is left. */
dpt_status dpt_autoencoder_train(dpt_ctx *ctx, const dpt_autoencoder_rows *rows,
                                 const dpt_autoencoder_training *training, double *weight);

#endif
