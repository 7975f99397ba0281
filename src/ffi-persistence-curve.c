/* ffi-persistence-curve.c - curves of persistence diagrams, for R. */
#include "ffi.h"

#include <math.h>

#include "ffi-read.h"
#include "persistence-curve.h"

typedef struct {
  dpt_curve curve;
  dpt_curve_points points;
} curve_request;

static SEXP compute_curves(dpt_ctx *ctx, void *data) {
  const curve_request *request = data;
  SEXP result = ffi_keep(ctx, ffi_new_matrix(request->points.diagrams, request->curve.size));
  dpt_curve_values(ctx, &request->curve, &request->points, REAL(result));
  return result;
}

static ffi_vector read_grid(SEXP grid, const double *range) {
  const ffi_vector levels = ffi_doubles_within(grid, range[0], range[1], "grid");
  bool rises = levels.count > 0;
  for (ptrdiff_t j = 1; j < levels.count; j++) rises = rises && levels.at[j - 1] < levels.at[j];
  if (!rises) ffi_refuse("grid", "increasing numbers within `range`");
  return levels;
}

static ffi_vector read_counts(SEXP counts, ptrdiff_t total) {
  const ffi_vector sizes = ffi_doubles_within(counts, 0, (double) total, "counts");
  double sum = 0;
  bool whole = true;
  for (ptrdiff_t i = 0; i < sizes.count; i++) {
    sum += sizes.at[i];
    whole = whole && sizes.at[i] == floor(sizes.at[i]);
  }
  if (!whole || sum != (double) total) ffi_refuse("counts", "integers whose sum is the number of points");
  return sizes;
}

/* birth, death: the points of all diagrams in one dimension, any doubles. counts: the number of points of each
 * diagram. kind: a dpt_curve_kind. level: of the landscape. range: two finite numbers. Returns a matrix with one row
 * per diagram and one column per value of the grid. */
SEXP ffi_persistence_curves(SEXP birth, SEXP death, SEXP counts, SEXP kind, SEXP level, SEXP range, SEXP grid,
                            SEXP options) {
  const ffi_vector births = ffi_doubles(birth, "birth"), deaths = ffi_doubles(death, "death");
  if (births.count != deaths.count) ffi_refuse("death", "as long as `birth`");
  const ffi_vector sizes = read_counts(counts, births.count);
  const ffi_vector ends = ffi_doubles_within(range, -1e300, 1e300, "range");
  if (ends.count != 2 || ends.at[0] >= ends.at[1]) ffi_refuse("range", "two increasing numbers");
  const ffi_vector levels = read_grid(grid, ends.at);
  curve_request request = {
      .curve = {.kind = (dpt_curve_kind) ffi_choice(kind, 0, 3, "kind"),
                .level = ffi_count(level, 1, 1000, "level"),
                .lower = ends.at[0],
                .upper = ends.at[1],
                .grid = levels.at,
                .size = levels.count},
      .points = {.birth = births.at, .death = deaths.at, .counts = sizes.at, .diagrams = sizes.count}};
  return ffi_call(compute_curves, &request, options);
}
