/* ffi-publish-annealing.c - clouds moved toward a diagram. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "ffi.h"
#include "ffi-read.h"
#include "publish-annealing.h"

typedef struct {
  dpt_annealing annealing;
  ffi_matrix start;
  dpt_points target[DPT_ANNEALING_AXES];
} annealing_request;

static SEXP anneal(dpt_ctx *ctx, void *data) {
  annealing_request *request = data;
  const dpt_annealing *a = &request->annealing;
  SEXP points = ffi_keep(ctx, ffi_new_matrix(request->start.rows, request->start.columns));
  SEXP start = ffi_keep(ctx, ffi_new_doubles(a->dimensions));
  SEXP distance = ffi_keep(ctx, ffi_new_doubles(a->dimensions));
  memcpy(REAL(points), request->start.at, (size_t) (request->start.rows * request->start.columns) * sizeof(double));
  dpt_require(ctx, dpt_publish_anneal(ctx, a, REAL(points), REAL(start), REAL(distance)));
  return ffi_named_list(3, (const char *const[]){"points", "start", "distance"},
                        (const SEXP[]){points, start, distance});
}

static void read_axes(SEXP axes, dpt_annealing *a) {
  a->axes = (int) XLENGTH(ffi_list(axes, 1, DPT_ANNEALING_AXES, "axes"));
  double vertices = 1;
  for (int j = 0; j < a->axes; j++) {
    const ffi_vector axis = ffi_doubles_within(VECTOR_ELT(axes, j), -1e100, 1e100, "axes");
    if (axis.count < 1) ffi_refuse("axes", "lists of at least one number");
    a->axis[j] = axis.at;
    a->size[j] = axis.count;
    vertices *= (double) axis.count;
  }
  if (vertices > 1e6) ffi_refuse("axes", "a grid of at most 10^6 points");
}

static void read_targets(SEXP targets, annealing_request *request) {
  request->annealing.dimensions = (int) XLENGTH(ffi_list(targets, 1, request->annealing.axes, "targets"));
  for (int q = 0; q < request->annealing.dimensions; q++) {
    const ffi_matrix points = ffi_finite_matrix(VECTOR_ELT(targets, q), "targets");
    if (points.columns != 2) ffi_refuse("targets", "matrices of two columns");
    const double *birth = points.at, *death = points.at + points.rows;
    for (ptrdiff_t i = 0; i < points.rows; i++)
      if (!(birth[i] <= death[i])) ffi_refuse("targets", "births that are not above deaths");
    request->target[q] = (dpt_points){birth, death, points.rows};
  }
  request->annealing.target = request->target;
}

/* start: points x axes. proposal: steps x axes. which: points from 1. coin: in (0, 1). targets: matrices of births
 * and deaths by dimension. temperature: the first and the last. */
SEXP ffi_publish_anneal(SEXP start, SEXP proposal, SEXP which, SEXP coin, SEXP axes, SEXP neighbors, SEXP clip,
                        SEXP targets, SEXP temperature, SEXP options) {
  annealing_request request = {.start = ffi_finite_matrix(start, "start")};
  dpt_annealing *a = &request.annealing;
  read_axes(axes, a);
  read_targets(targets, &request);
  a->points = request.start.rows;
  if (a->points < 1 || a->points > 1000000) ffi_refuse("start", "a matrix of 1 to 10^6 rows");
  const ffi_matrix proposals = ffi_finite_matrix(proposal, "proposal");
  if (request.start.columns != a->axes || proposals.columns != a->axes)
    ffi_refuse("start", "as wide as there are axes");
  a->steps = proposals.rows;
  a->proposal = proposals.at;
  const ffi_vector place = ffi_doubles_within(which, 1, (double) a->points, "which");
  const ffi_vector coins = ffi_doubles_within(coin, DBL_MIN, 1, "coin");
  if (place.count != a->steps || coins.count != a->steps) ffi_refuse("which", "as long as there are proposals");
  a->which = place.at;
  a->coin = coins.at;
  a->neighbors = ffi_count(neighbors, 1, a->points, "neighbors");
  a->clip = ffi_number(clip, 1e-100, 1e100, "clip");
  const ffi_vector temperatures = ffi_doubles_within(temperature, 1e-100, 1e100, "temperature");
  if (temperatures.count != 2) ffi_refuse("temperature", "two numbers");
  a->first = temperatures.at[0];
  a->last = temperatures.at[1];
  return ffi_call(anneal, &request, options);
}
