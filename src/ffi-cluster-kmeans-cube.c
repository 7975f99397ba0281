/* ffi-cluster-kmeans-cube.c - swaps of centers for candidates, and the rows of each center, for R. */
#include "ffi.h"

#include <math.h>

#include "cluster-kmeans-cube.h"
#include "ffi-cluster-lattice.h"

typedef struct {
  ffi_matrix X, place;
  ffi_row_weights weights;
  ffi_lattice lattice;
  ffi_vector taken;
  int step, clip;
} places_request;

static void read_places(places_request *request, SEXP points, SEXP weights, SEXP box, SEXP places) {
  request->X = ffi_doubles_matrix(points, "X");
  request->weights = ffi_read_weights(weights, request->X.rows);
  request->lattice = ffi_read_lattice(box, &request->X);
  request->place = ffi_finite_matrix(places, "places");
  /* With rows within 2^20, the squares of distances are at most 2^53. */
  ffi_whole_within(places, fmin(0x1p22, floor(sqrt(0x1p53 / (double) request->place.rows)) - 0x1p20), "places");
  if (request->place.rows != request->lattice.map.dimension || request->place.columns < 1 ||
      request->place.columns > 100000)
    ffi_refuse("places", "of a row for each number of the image, and 1 to 10^5 columns");
}

static dpt_lattice_places fill_places(dpt_ctx *ctx, places_request *request) {
  ffi_fill_map(ctx, &request->lattice);
  return (dpt_lattice_places){request->lattice.lattice, request->lattice.map, (int) request->place.columns,
                              request->place.at};
}

static SEXP swaps(dpt_ctx *ctx, void *data) {
  places_request *request = data;
  const dpt_lattice_places places = fill_places(ctx, request);
  const int clusters = (int) request->taken.count;
  const ptrdiff_t size = (ptrdiff_t) clusters * places.count;
  int *taken = DPT_NEW(ctx, int, clusters);
  for (int i = 0; i < clusters; i++) taken[i] = (int) request->taken.at[i] - 1;
  int64_t *loss = DPT_NEW(ctx, int64_t, size);
  dpt_kmeans_swaps(ctx, &places, taken, clusters, request->step, request->clip,
                   ffi_cluster_rows(&request->X, request->weights), loss);
  SEXP result = ffi_keep(ctx, ffi_new_matrix(clusters, places.count));
  for (ptrdiff_t i = 0; i < size; i++) REAL(result)[i] = (double) loss[i];
  return result;
}

/* weights: an integer per row, or NULL for weights of one. box: list(lower, upper, bits, matrix, shift). places: one
 * column per place, in integers of the image. taken: numbers of places, from 1. Returns one row for each of these,
 * and one column per place. */
SEXP ffi_cluster_swaps(SEXP points, SEXP weights, SEXP box, SEXP places, SEXP taken, SEXP step, SEXP clip,
                       SEXP options) {
  places_request request = {.step = 0};
  read_places(&request, points, weights, box, places);
  request.taken = ffi_whole_within(taken, 100000, "taken");
  if (request.taken.count < 1 || request.taken.count > 10000) ffi_refuse("taken", "1 to 10^4 numbers");
  for (ptrdiff_t i = 0; i < request.taken.count; i++)
    if (request.taken.at[i] < 1 || request.taken.at[i] > (double) request.place.columns)
      ffi_refuse("taken", "numbers of places");
  request.step = ffi_choice(step, 0, 60, "step");
  request.clip = ffi_choice(clip, 1, 1 << 20, "clip");
  if (request.weights.total * request.clip > 0x1p52) ffi_refuse("clip", "so small that the sums are exact");
  return ffi_call(swaps, &request, options);
}

static SEXP nearest(dpt_ctx *ctx, void *data) {
  places_request *request = data;
  const dpt_lattice_places places = fill_places(ctx, request);
  const ptrdiff_t size = 1 + places.lattice.dimension, count = size * places.count;
  int64_t *total = DPT_NEW(ctx, int64_t, count);
  dpt_kmeans_nearest(ctx, &places, ffi_cluster_rows(&request->X, request->weights), total);
  SEXP result = ffi_keep(ctx, ffi_new_matrix(size, places.count));
  for (ptrdiff_t i = 0; i < count; i++) REAL(result)[i] = (double) total[i];
  return result;
}

/* Returns one column per place: the total weight of the rows nearest to it, and their sums. */
SEXP ffi_cluster_nearest(SEXP points, SEXP weights, SEXP box, SEXP places, SEXP options) {
  places_request request = {.step = 0};
  read_places(&request, points, weights, box, places);
  if (ldexp(request.weights.total, request.lattice.lattice.bits) > 0x1p52)
    ffi_refuse("bits", "so few that the sums are exact");
  return ffi_call(nearest, &request, options);
}
