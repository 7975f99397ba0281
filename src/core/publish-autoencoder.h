/* publish-autoencoder.h - a small network from codes to a place in the plane and back, trained by noisy sums of cut
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

/* Returns the number of weights. The weights come layer by layer, each layer with its offsets last. First layer:
 * `hidden` numbers per cell, then `hidden`. Second: `hidden` for each of the two coordinates, then two. Third: two per
 * hidden unit, then `hidden`. Fourth: `hidden` per cell, then one per cell. */
ptrdiff_t dpt_autoencoder_weights(const dpt_autoencoder_rows *rows);

/* Computes the gradient of the loss of one row, as a fixed sequence of operations on this row. The loss is minus the
 * sum over columns of the log probability of the row's code. `scratch` has cells + 4 * hidden doubles. Returns the
 * loss. */
double dpt_autoencoder_gradient(const dpt_autoencoder_rows *rows, ptrdiff_t row, const double *weight, double *gradient,
                                double *scratch);

/* Computes integers q near 2^BITS / max(clip, |g|) times g. Their sum of squares is at most 4^DPT_AUTOENCODER_BITS,
 * which is enforced in integers. All are zero if g is not finite. */
void dpt_autoencoder_cut(ptrdiff_t count, const double *gradient, double clip, int32_t *q);

typedef struct {
  ptrdiff_t steps, batch;
  double clip;  /* positive: the length at which a gradient is cut */
  double scale; /* of the rounded Gaussian noise on a sum, in steps of clip / 2^BITS */
  double rate;  /* of learning */
} dpt_autoencoder_training;

/* Trains `weight` in place, by `steps` steps of Adam. Each step uses the noisy sum of the cut gradients of a uniformly
 * drawn set of `batch` rows. `weight` ends as the mean of the weights over the last half of the steps. */
dpt_status dpt_autoencoder_train(dpt_ctx *ctx, const dpt_autoencoder_rows *rows,
                                 const dpt_autoencoder_training *training, double *weight);

#endif
