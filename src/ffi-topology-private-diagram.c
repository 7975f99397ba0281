/* ffi-topology-private-diagram.c - from R's diagrams to the exact sampler and to the Metropolis chain. */
#include <float.h>
#include <string.h>

#include "ffi.h"
#include "ffi-read.h"
#include "topology-chain.h"

typedef struct {
  SEXP diagrams; /* list of two-column matrices (birth, death), one for each dimension */
  dpt_mechanism mechanism;
  ptrdiff_t draws, steps;
  bool sum;
  double step_sd;
} release_request;

/* Without a diagram the release has no dimension. */
static int read_diagrams(SEXP diagrams, dpt_points *points) {
  int dimensions = (int) XLENGTH(ffi_list(diagrams, 1, DPT_RELEASE_DIMENSIONS, "diagrams"));
  for (int q = 0; q < dimensions; q++) {
    ffi_matrix matrix = ffi_finite_matrix(VECTOR_ELT(diagrams, q), "diagrams");
    if (matrix.columns != 2) ffi_refuse("diagrams", "a list of matrices with two columns");
    points[q] = (dpt_points){matrix.at, matrix.at + matrix.rows, matrix.rows};
  }
  return dimensions;
}

static dpt_mechanism read_mechanism(SEXP bound, SEXP rate, SEXP most, bool learn) {
  return (dpt_mechanism){ffi_number(bound, DBL_TRUE_MIN, DBL_MAX, "bound"), ffi_number(rate, 0, DBL_MAX, "rate"),
                         ffi_choice(most, 0, DPT_COVER_MOST, "most"), learn};
}

/* Draws in order, within a draw dimensions in order, one row per point: (draw, dimension, birth, death) as columns. */
typedef struct {
  ptrdiff_t count, room;
  double *row;
} table;

static void append(dpt_ctx *ctx, table *rows, double draw, double dimension, const dpt_labels *labels) {
  if (rows->count + labels->count > rows->room) {
    ptrdiff_t room = 2 * rows->room + DPT_COVER_MOST;
    double *grown = DPT_NEW(ctx, double, 4 * room);
    if (rows->count) memcpy(grown, rows->row, (size_t) (4 * rows->count) * sizeof *grown);
    rows->row = grown;
    rows->room = room;
  }
  for (int i = 0; i < labels->count; i++) {
    double *row = rows->row + 4 * rows->count++;
    row[0] = draw;
    row[1] = dimension;
    row[2] = labels->birth[i];
    row[3] = labels->death[i];
  }
}

static SEXP table_to_matrix(const table *rows) {
  SEXP matrix = PROTECT(ffi_new_matrix(rows->count, 4));
  for (ptrdiff_t i = 0; i < rows->count; i++)
    for (int j = 0; j < 4; j++) REAL(matrix)[i + j * rows->count] = rows->row[4 * i + j];
  UNPROTECT(1);
  return matrix;
}

static SEXP draw_releases(dpt_ctx *ctx, void *data, dpt_status *status) {
  const release_request *request = data;
  dpt_points points[DPT_RELEASE_DIMENSIONS];
  dpt_labels labels[DPT_RELEASE_DIMENSIONS];
  dpt_sampler *sampler;
  int dimensions = read_diagrams(request->diagrams, points);
  *status = dpt_sampler_open(ctx, &request->mechanism, points, dimensions, &sampler);
  if (*status != DPT_OK) return R_NilValue;
  table rows = {0, 0, NULL};
  double proposals = 0;
  for (ptrdiff_t draw = 1; draw <= request->draws; draw++) {
    proposals += (double) dpt_sampler_draw(ctx, sampler, labels);
    for (int q = 0; q < dimensions; q++) append(ctx, &rows, (double) draw, q, &labels[q]);
  }
  SEXP points_drawn = PROTECT(table_to_matrix(&rows));
  SEXP taken = PROTECT(Rf_ScalarReal(proposals));
  SEXP result = ffi_named_list(2, (const char *const[]){"points", "proposals"}, (const SEXP[]){points_drawn, taken});
  UNPROTECT(2);
  return result;
}

/* `draws` exact draws: a matrix with columns draw, dimension, birth, death; and the number of proposals, which depends
 * on the data and is for the tests alone. */
SEXP ffi_topology_private_draws(SEXP diagrams, SEXP bound, SEXP rate, SEXP most, SEXP learn, SEXP draws, SEXP options) {
  release_request request = {.diagrams = diagrams,
                             .mechanism = read_mechanism(bound, rate, most, ffi_flag(learn, "learn")),
                             .draws = ffi_count(draws, 0, FFI_COUNT_MOST, "draws")};
  return ffi_call(draw_releases, &request, options);
}

static SEXP run_chain(dpt_ctx *ctx, void *data, dpt_status *status) {
  const release_request *request = data;
  dpt_points points[DPT_RELEASE_DIMENSIONS];
  dpt_labels labels[DPT_RELEASE_DIMENSIONS];
  int dimensions = read_diagrams(request->diagrams, points);
  SEXP distances = PROTECT(ffi_new_matrix(request->steps, dimensions));
  dpt_chain_run(ctx, &request->mechanism, points, dimensions, request->sum, request->steps, request->step_sd, labels,
                REAL(distances));
  *status = DPT_OK;
  table rows = {0, 0, NULL};
  for (int q = 0; q < dimensions; q++) append(ctx, &rows, 1, q, &labels[q]);
  SEXP last = PROTECT(table_to_matrix(&rows));
  SEXP result = ffi_named_list(2, (const char *const[]){"points", "distances"}, (const SEXP[]){last, distances});
  UNPROTECT(2);
  return result;
}

/* The last state of a Metropolis chain, and the distances of all its states from the true diagram: not private. */
SEXP ffi_topology_chain(SEXP diagrams, SEXP bound, SEXP rate, SEXP most, SEXP sum, SEXP steps, SEXP step_sd,
                        SEXP options) {
  release_request request = {.diagrams = diagrams,
                             .mechanism = read_mechanism(bound, rate, most, false),
                             .steps = ffi_count(steps, 0, FFI_COUNT_MOST, "steps"),
                             .sum = ffi_flag(sum, "sum"),
                             .step_sd = ffi_number(step_sd, 0, DBL_MAX, "step_sd")};
  return ffi_call(run_chain, &request, options);
}
