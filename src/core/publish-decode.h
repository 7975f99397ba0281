/* publish-decode.h - from places in the plane to codes, and rows that are drawn from a cloud of places. */
#ifndef DPT_PUBLISH_DECODE_H
#define DPT_PUBLISH_DECODE_H

#include "base-context.h"

enum { DPT_DECODER_LATENT = 2 };

/* Given a place, the columns are independent, and the code of one has probabilities in proportion to exp(score). The
 * scores of all codes, column after column, are shift + slope' x. Here x is the place itself where `back` is NULL, and
 * then `features` is 2; else tanh(back_shift + back' place). All numbers are at most 1e100 in size. */
typedef struct {
  int columns;
  const int *size; /* codes of each column */
  ptrdiff_t cells, features;
  const double *back, *back_shift; /* 2 x features, features */
  const double *slope, *shift;     /* features x cells, cells */
} dpt_decoder;

/* The codes, rows x columns and from 0, at `rows` places (rows x 2): of column j the first whose cumulated probability is
 * above coin[., j], a number in (0, 1). */
void dpt_decode_places(dpt_ctx *ctx, const dpt_decoder *decoder, ptrdiff_t rows, const double *place,
                       const double *coin, int *code);

/* Where rows are: a uniformly drawn point of the cloud (points x 2), with normal numbers added that have these standard
 * deviations. */
typedef struct {
  const double *point;
  ptrdiff_t points;
  double width[DPT_DECODER_LATENT];
} dpt_cloud;

/* The codes of `rows` rows that are drawn from there. */
void dpt_decode_draw(dpt_ctx *ctx, const dpt_decoder *decoder, const dpt_cloud *cloud, ptrdiff_t rows, int *code);

#endif
