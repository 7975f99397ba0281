/* ffi-test-rounded.c - the steps of a rounded normal variate, for the tests. */
#include "ffi.h"

#include <math.h>
#include <string.h>

#include "ffi-read.h"
#include "privacy-rounded-normal.h"

/* Entries of 64 bits as two numbers, the lower half first. */
static void write_halves(uint64_t x, double *halves) {
  halves[0] = (double) (x & UINT32_MAX);
  halves[1] = (double) (x >> 32);
}

static SEXP write_ranges(dpt_ctx *ctx, void *data) {
  (void) data;
  enum { ROWS = 4, COUNT = DPT_NORMAL_CELLS + 2 };
  dpt_rounded_normal sampler;
  dpt_rounded_normal_open(ctx, &sampler, 0);
  SEXP ranges = ffi_keep(ctx, ffi_new_matrix(ROWS, COUNT));
  for (int c = 0; c < COUNT; c++) {
    write_halves(sampler.first[c], REAL(ranges) + ROWS * c);
    write_halves(sampler.sure[c], REAL(ranges) + ROWS * c + 2);
  }
  return ranges;
}

/* Returns a column per entry: the first point, and the first that is not sure, in halves of 32 bits. */
SEXP ffi_test_normal_ranges(SEXP options) { return ffi_call(write_ranges, NULL, options); }

typedef struct {
  ptrdiff_t count;
  double doubt, point, cell;
  int shift;
  ffi_vector scale, cells, limbs;
  ptrdiff_t rows; /* limbs of a cell */
  int places;
  bool wide;
} request;

static SEXP draw_variates(dpt_ctx *ctx, void *data) {
  const request *wanted = data;
  enum { ROWS = 3 };
  dpt_rounded_normal sampler;
  dpt_rounded_normal_open(ctx, &sampler, (uint64_t) wanted->doubt);
  SEXP drawn = ffi_keep(ctx, ffi_new_matrix(ROWS, wanted->count));
  for (ptrdiff_t i = 0; i < wanted->count; i++) {
    double *column = REAL(drawn) + ROWS * i;
    dpt_rounded_normal_variate(ctx, &sampler);
    column[0] = (double) sampler.y.whole;
    column[2] = (double) sampler.y.count;
    column[1] = 0;
    for (int j = 0; j < 3; j++)
      column[1] += ldexp((double) dpt_variate_limb(ctx, &sampler.source, &sampler.y, j), -16 * (j + 1));
    dpt_tick(ctx, 100);
  }
  return drawn;
}

/* Draws absolute values of standard normal variates, in columns: the cell, the fraction, and the number of limbs that
 * were used. The last `doubt` points of sure ranges are decided by further bits. */
SEXP ffi_test_normal_variates(SEXP count, SEXP doubt, SEXP options) {
  request wanted = {.count = ffi_count(count, 0, FFI_COUNT_MOST, "count"),
                    .doubt = ffi_number(doubt, 0, 0x1p62, "doubt")};
  return ffi_call(draw_variates, &wanted, options);
}

static SEXP draw_coins(dpt_ctx *ctx, void *data) {
  const request *wanted = data;
  dpt_rounded_normal sampler;
  dpt_rounded_normal_open(ctx, &sampler, 0);
  ptrdiff_t heads = 0;
  for (ptrdiff_t i = 0; i < wanted->count; i++) {
    heads += dpt_rounded_normal_coin(ctx, &sampler, (uint64_t) wanted->point, (uint64_t) wanted->cell, wanted->shift);
    dpt_tick(ctx, 10000);
  }
  return Rf_ScalarReal((double) heads);
}

/* Returns the number of successes in `count` coins with probability 3 2^(59 + shift) exp(-cell^2/128) - point. */
SEXP ffi_test_normal_coins(SEXP count, SEXP point, SEXP cell, SEXP shift, SEXP options) {
  request wanted = {.count = ffi_count(count, 0, 1000000, "count"),
                    .point = ffi_number(point, 0, 0x1p62, "point"),
                    .cell = ffi_number(cell, 0, 300, "cell"),
                    .shift = ffi_choice(shift, 0, 4096, "shift")};
  return ffi_call(draw_coins, &wanted, options);
}

static SEXP cell_of_words(dpt_ctx *ctx, void *data) {
  const ffi_bytes *words = data;
  dpt_rounded_normal sampler;
  dpt_rounded_normal_open(ctx, &sampler, 0);
  dpt_random_open_system(&ctx->random);
  memcpy(ctx->random.buffer, words->at, DPT_RANDOM_BUFFER);
  ctx->random.used = 0;
  return Rf_ScalarReal((double) dpt_rounded_normal_cell(ctx, &sampler));
}

/* Returns the cell that 32 words of 64 bits give, so that tests reach points that chance does not. */
SEXP ffi_test_normal_cell(SEXP words, SEXP options) {
  ffi_bytes all = ffi_raw(words, "words");
  if (all.count != DPT_RANDOM_BUFFER) ffi_refuse("words", "256 bytes");
  return ffi_call(cell_of_words, &all, options);
}

static SEXP round_variates(dpt_ctx *ctx, void *data) {
  const request *wanted = data;
  const ptrdiff_t rows = wanted->rows;
  dpt_rounded_normal sampler;
  dpt_rounded_normal_open(ctx, &sampler, 0);
  uint16_t *limb = DPT_NEW(ctx, uint16_t, rows + 1);
  SEXP rounded = ffi_keep(ctx, ffi_new_doubles(wanted->cells.count));
  for (ptrdiff_t i = 0; i < wanted->cells.count; i++) {
    for (ptrdiff_t j = 0; j < rows; j++) limb[j] = (uint16_t) wanted->limbs.at[rows * i + j];
    sampler.y = (dpt_variate){.whole = (uint64_t) wanted->cells.at[i], .limb = limb, .count = rows, .room = rows};
    const double scale = wanted->scale.at[i % wanted->scale.count];
    int64_t size;
    const bool is_decided = dpt_rounded_normal_round(ctx, &sampler, scale, wanted->places, wanted->wide, &size);
    REAL(rounded)[i] = is_decided ? (double) size : NA_REAL;
    dpt_tick(ctx, 100);
  }
  return rounded;
}

/* Rounds `scale` times each variate by the first `places` bits of its fraction, or returns NA if they do not decide.
 * `limbs` has the same number of 16-bit limbs for each cell, in multiples of 4, and at least `places` bits. */
SEXP ffi_test_round_normal(SEXP cell, SEXP limbs, SEXP places, SEXP scale, SEXP wide, SEXP options) {
  request wanted = {.cells = ffi_doubles_within(cell, 0, 0x1p62, "cell"),
                    .limbs = ffi_doubles_within(limbs, 0, UINT16_MAX, "limbs"),
                    .places = ffi_choice(places, 0, 4096, "places"),
                    .scale = ffi_doubles_within(scale, 0, 0x1p40, "scale"),
                    .wide = ffi_flag(wide, "wide")};
  if (wanted.scale.count == 0) ffi_refuse("scale", "at least one number");
  if (wanted.cells.count > 0) wanted.rows = wanted.limbs.count / wanted.cells.count;
  if (wanted.rows * wanted.cells.count != wanted.limbs.count || wanted.rows % 4 != 0 ||
      16 * wanted.rows < wanted.places)
    ffi_refuse("limbs", "as many bits as `places` for each cell");
  return ffi_call(round_variates, &wanted, options);
}
