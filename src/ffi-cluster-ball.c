/* ffi-cluster-ball.c - counts of rows by distance from a public center, for R. */
#include "ffi.h"

#include <float.h>

#include "cluster-ball.h"
#include "ffi-base-rows.h"
#include "ffi-cluster-lattice.h"

typedef struct {
  dpt_ball ball;
  dpt_cluster_rows X;
} ball_request;

static SEXP ball_count(dpt_ctx *ctx, void *data) {
  const ball_request *request = data;
  const ptrdiff_t cells = request->ball.radii + 1;
  int64_t *counts = DPT_NEW(ctx, int64_t, cells);
  dpt_ball_count(ctx, &request->ball, request->X, counts);
  SEXP result = ffi_new_doubles(cells);
  for (ptrdiff_t i = 0; i < cells; i++) REAL(result)[i] = (double) counts[i];
  return result;
}

/* weights: an integer per row, or NULL for weights of one. squares: increasing squares of the radii. Returns the
 * total weight of the rows between consecutive radii, and last the weight beyond all. */
SEXP ffi_cluster_distances(SEXP points, SEXP weights, SEXP lower, SEXP upper, SEXP center, SEXP squares, SEXP options) {
  const ffi_matrix X = ffi_any_matrix(points, "points");
  if (X.columns < 1 || X.columns > DPT_LATTICE_MAX_DIMENSION) ffi_refuse("points", "of 1 to 1024 columns");
  const ffi_vector low = ffi_doubles_within(lower, -DBL_MAX, DBL_MAX, "lower");
  const ffi_vector high = ffi_doubles_within(upper, -DBL_MAX, DBL_MAX, "upper");
  const ffi_vector place = ffi_doubles_within(center, -DBL_MAX, DBL_MAX, "center");
  const ffi_vector square = ffi_doubles_within(squares, 0, DBL_MAX, "squares");
  if (low.count != X.columns || high.count != X.columns || place.count != X.columns)
    ffi_refuse("lower", "a number for each column of `points`, as `upper` and `center`");
  if (square.count < 1 || square.count > DPT_BALL_MAX_RADII) ffi_refuse("squares", "1 to 1024 numbers");
  for (ptrdiff_t i = 1; i < square.count; i++)
    if (!(square.at[i - 1] < square.at[i])) ffi_refuse("squares", "increasing");
  for (ptrdiff_t j = 0; j < X.columns; j++)
    if (!(low.at[j] <= high.at[j])) ffi_refuse("lower", "at most `upper`");
  ball_request request = {{(int) X.columns, (int) square.count, low.at, high.at, place.at, square.at},
                          ffi_cluster_rows(&X, ffi_read_weights(weights, X.rows))};
  return ffi_call(ball_count, &request, options);
}
