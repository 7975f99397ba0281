/* ffi-test-landmarks.c - inner loops of the distance to a measure at landmarks, for the tests: the portable loops,
 * which a machine with long vectors never runs, beside the loops of this machine. */
#include "ffi.h"

#include <math.h>
#include <string.h>

#include "ffi-read.h"
#include "dtm-landmarks-loops.h"

typedef struct {
  ffi_vector x, norm, weight, place, place_norm;
  double limit, low, high;
  bool norms, any;
} loops_request;

static SEXP copy_doubles(const double *from, ptrdiff_t count) {
  SEXP copy = ffi_new_doubles(count);
  if (count > 0) memcpy(REAL(copy), from, (size_t) count * sizeof(double));
  return copy;
}

static double *copy_vector(dpt_ctx *ctx, ffi_vector from) {
  double *copy = DPT_NEW(ctx, double, from.count);
  if (from.count > 0) memcpy(copy, from.at, (size_t) from.count * sizeof(double));
  return copy;
}

/* Returns the kept keys of one landmark: key, weight, keys of the band, the weight below it, and the keys that
 * remain after dropping all that are not below `low`. */
static SEXP show_kept(dpt_ctx *ctx, const dpt_landmark_loops *loops, const loops_request *request, dpt_kept *kept,
                      ptrdiff_t room) {
  dpt_band band = {.low = request->low,
                   .high = request->high,
                   .key = DPT_NEW(ctx, double, room),
                   .weight = DPT_NEW(ctx, double, room)};
  SEXP result = ffi_keep(ctx, Rf_allocVector(VECSXP, 7));
  SET_VECTOR_ELT(result, 0, copy_doubles(kept->key, kept->count));
  SET_VECTOR_ELT(result, 1, copy_doubles(kept->weight, kept->weight ? kept->count : 0));
  loops->find(kept, &band);
  SET_VECTOR_ELT(result, 2, copy_doubles(band.key, band.count));
  SET_VECTOR_ELT(result, 3, copy_doubles(band.weight, kept->weight ? band.count : 0));
  SET_VECTOR_ELT(result, 4, Rf_ScalarReal(band.below));
  kept->limit = request->low;
  loops->drop(kept);
  SET_VECTOR_ELT(result, 5, copy_doubles(kept->key, kept->count));
  SET_VECTOR_ELT(result, 6, copy_doubles(kept->weight, kept->weight ? kept->count : 0));
  return result;
}

static SEXP run_loops(dpt_ctx *ctx, void *data) {
  const loops_request *request = data;
  const bool weighted = request->weight.at != NULL;
  const ptrdiff_t rows = request->norm.count, room = rows + DPT_LANES;
  const dpt_landmark_loops loops = request->any ? dpt_landmark_any_loops(request->norms, weighted)
                                                : dpt_landmark_choose_loops(request->norms, weighted);
  const dpt_panels panels = {.rows = rows,
                             .panels = rows / DPT_LANES,
                             .x = copy_vector(ctx, request->x),
                             .norm = copy_vector(ctx, request->norm),
                             .weight = weighted ? copy_vector(ctx, request->weight) : NULL};
  dpt_landmark_six six = {.place = copy_vector(ctx, request->place)};
  dpt_kept kept[DPT_SIX];
  for (int i = 0; i < DPT_SIX; i++) {
    six.norm[i] = request->place_norm.at[i];
    kept[i] = (dpt_kept){.key = DPT_NEW(ctx, double, room),
                         .limit = request->limit,
                         .weight = weighted ? DPT_NEW(ctx, double, room) : NULL};
  }
  const ptrdiff_t half = panels.panels / 2;
  const int dimension = (int) (request->place.count / DPT_SIX);
  loops.scan(&panels, 0, half, dimension, &six, kept);
  loops.scan(&panels, half, panels.panels, dimension, &six, kept);
  SEXP result = ffi_keep(ctx, Rf_allocVector(VECSXP, DPT_SIX));
  for (int i = 0; i < DPT_SIX; i++) SET_VECTOR_ELT(result, i, show_kept(ctx, &loops, request, kept + i, room));
  return result;
}

/* Arguments as in the panels and the six of dtm-landmarks-loops.h. `any` selects the portable loops. */
SEXP ffi_test_landmark_loops(SEXP x, SEXP norm, SEXP weight, SEXP place, SEXP place_norm, SEXP limit, SEXP low,
                             SEXP high, SEXP norms, SEXP any, SEXP options) {
  loops_request request = {.x = ffi_doubles(x, "x"),
                           .norm = ffi_doubles(norm, "norm"),
                           .place = ffi_doubles(place, "place"),
                           .place_norm = ffi_doubles(place_norm, "place_norm"),
                           .limit = ffi_number(limit, 0, INFINITY, "limit"),
                           .low = ffi_number(low, 0, INFINITY, "low"),
                           .high = ffi_number(high, 0, INFINITY, "high"),
                           .norms = ffi_flag(norms, "norms"),
                           .any = ffi_flag(any, "any")};
  if (weight != R_NilValue) request.weight = ffi_doubles(weight, "weight");
  if (request.norm.count % DPT_LANES != 0 || (request.weight.at && request.weight.count != request.norm.count))
    ffi_refuse("norm", "of whole panels, and as many as the weights");
  if (request.place_norm.count != DPT_SIX || request.place.count == 0 || request.place.count % DPT_SIX != 0)
    ffi_refuse("place", "of six landmarks");
  if (request.x.count != request.norm.count * (request.place.count / DPT_SIX))
    ffi_refuse("x", "as wide as the landmarks");
  return ffi_call(run_loops, &request, options);
}
