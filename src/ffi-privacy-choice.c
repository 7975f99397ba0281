/* ffi-privacy-choice.c - indices drawn by the exponential mechanism, for R. */
#include "ffi.h"

#include <float.h>
#include <math.h>

#include "ffi-read.h"
#include "privacy-choice.h"

/* Returns the largest rate that keeps epsilon, one for each sensitivity. */
SEXP ffi_privacy_choice_rate(SEXP epsilon, SEXP sensitivity) {
  double measure = ffi_number(epsilon, DBL_TRUE_MIN, DBL_MAX, "epsilon");
  ffi_vector sensitivities = ffi_doubles_within(sensitivity, 1, DPT_CHOICE_MOST_SCORE, "sensitivity");
  SEXP rate = PROTECT(ffi_new_doubles(sensitivities.count));
  for (ptrdiff_t i = 0; i < sensitivities.count; i++) REAL(rate)[i] = dpt_choice_rate(measure, sensitivities.at[i]);
  UNPROTECT(1);
  return rate;
}

typedef struct {
  ffi_vector score;
  double rate;
  ptrdiff_t count;
} choice_request;

static SEXP draw_choice(dpt_ctx *ctx, void *data) {
  const choice_request *request = data;
  SEXP place = ffi_keep(ctx, ffi_new_doubles(request->count));
  for (ptrdiff_t i = 0; i < request->count; i++)
    REAL(place)[i] = (double) (1 + dpt_draw_choice(ctx, request->score.at, request->score.count, request->rate));
  return place;
}

/* Draws `count` scores and returns their indices from 1. Scores are integers that one row moves by at most
 * `sensitivity`. */
SEXP ffi_privacy_draw_choice(SEXP score, SEXP epsilon, SEXP sensitivity, SEXP count, SEXP options) {
  const double measure = ffi_number(epsilon, DBL_TRUE_MIN, DBL_MAX, "epsilon");
  choice_request request = {ffi_doubles_within(score, -DPT_CHOICE_MOST_SCORE, DPT_CHOICE_MOST_SCORE, "score"),
                            dpt_choice_rate(measure, ffi_number(sensitivity, 1, DPT_CHOICE_MOST_SCORE, "sensitivity")),
                            ffi_count(count, 0, FFI_COUNT_MOST, "count")};
  if (request.score.count == 0) ffi_refuse("score", "at least one number");
  for (ptrdiff_t i = 0; i < request.score.count; i++)
    if (request.score.at[i] != floor(request.score.at[i])) ffi_refuse("score", "integers");
  return ffi_call(draw_choice, &request, options);
}
