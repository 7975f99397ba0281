/* publish-decode.h - codes drawn at places in the plane, and rows drawn from a cloud of places. */
#ifndef DPT_PUBLISH_DECODE_H
#define DPT_PUBLISH_DECODE_H

#include "base-context.h"

enum { DPT_DECODER_LATENT = 2 };

/* A model of codes given a place. Columns are independent, and the probabilities of a column's codes are proportional
 * to exp(score). The scores of all codes, column after column, are shift + slope' x. If `back` is NULL, x is the place
 * itself and `features` is 2. Otherwise x = tanh(back_shift + back' place). All numbers are at most 1e100 in size. */
typedef struct {
  int columns;
  const int *size; /* codes of each column */
  ptrdiff_t cells, features;
  const double *back, *back_shift; /* 2 x features, features */
  const double *slope, *shift;     /* features x cells, cells */
} dpt_decoder;

/* Writes the codes (rows x columns, from 0) at `rows` places (rows x 2). The code of column j is the first whose
 * cumulative probability is above coin[., j], a number in (0, 1). */
void dpt_decode_places(dpt_ctx *ctx, const dpt_decoder *decoder, ptrdiff_t rows, const double *place,
                       const double *coin, int *code);

/* The distribution of places: a uniformly drawn point of the cloud (points x 2), plus normal noise with these standard
 * deviations. */
typedef struct {
  const double *point;
  ptrdiff_t points;
  double width[DPT_DECODER_LATENT];
} dpt_cloud;

/* Writes the codes of `rows` rows drawn from this distribution. */
void dpt_decode_draw(dpt_ctx *ctx, const dpt_decoder *decoder, const dpt_cloud *cloud, ptrdiff_t rows, int *code);

#endif
