/* ffi-topology-private-diagram.c - from R's diagrams to the exact sampler and to the Metropolis chain. */
#include <string.h>

#include "ffi.h"
#include "topology-private-diagram.h"

typedef struct {
  SEXP diagrams; /* list of two-column matrices (birth, death), one for each dimension */
  dpt_mechanism mechanism;
  ptrdiff_t draws, steps;
  bool sum;
  double step_sd;
} release_request;

static int read_diagrams(SEXP diagrams, dpt_points *points) {
  int dimensions = (int) Rf_xlength(diagrams);
  for (int q = 0; q < dimensions && q < DPT_RELEASE_DIMENSIONS; q++) {
    SEXP matrix = VECTOR_ELT(diagrams, q);
    ptrdiff_t count = Rf_nrows(matrix);
    points[q] = (dpt_points){REAL(matrix), REAL(matrix) + count, count};
  }
  return dimensions;
}

static dpt_mechanism read_mechanism(SEXP bound, SEXP rate, SEXP most, SEXP learn) {
  dpt_mechanism mechanism = {Rf_asReal(bound), Rf_asReal(rate), Rf_asInteger(most), Rf_asLogical(learn) == TRUE};
  return mechanism;
}

/* Draws in order, within a draw dimensions in order, one row a point: (draw, dimension, birth, death) as columns. */
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
  SEXP matrix = PROTECT(Rf_allocMatrix(REALSXP, (int) rows->count, 4));
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
  SEXP tries = PROTECT(Rf_ScalarReal(proposals));
  SEXP result = ffi_named_list(2, (const char *const[]){"points", "proposals"}, (const SEXP[]){points_drawn, tries});
  UNPROTECT(2);
  return result;
}

/* `draws` exact draws: a matrix with columns draw, dimension, birth, death; and the number of proposals, which depends
 * on the data and is for the tests alone. */
SEXP ffi_topology_private_draws(SEXP diagrams, SEXP bound, SEXP rate, SEXP most, SEXP learn, SEXP draws,
                                SEXP options) {
  release_request request = {.diagrams = diagrams, .mechanism = read_mechanism(bound, rate, most, learn),
                             .draws = (ptrdiff_t) Rf_asReal(draws)};
  return ffi_call(draw_releases, &request, options);
}

static SEXP run_chain(dpt_ctx *ctx, void *data, dpt_status *status) {
  const release_request *request = data;
  dpt_points points[DPT_RELEASE_DIMENSIONS];
  dpt_labels labels[DPT_RELEASE_DIMENSIONS];
  int dimensions = read_diagrams(request->diagrams, points);
  SEXP distances = PROTECT(Rf_allocMatrix(REALSXP, (int) request->steps, dimensions));
  *status = dpt_chain_run(ctx, &request->mechanism, points, dimensions, request->sum, request->steps,
                          request->step_sd, labels, REAL(distances));
  table rows = {0, 0, NULL};
  if (*status == DPT_OK)
    for (int q = 0; q < dimensions; q++) append(ctx, &rows, 1, q, &labels[q]);
  SEXP last = PROTECT(table_to_matrix(&rows));
  SEXP result = ffi_named_list(2, (const char *const[]){"points", "distances"}, (const SEXP[]){last, distances});
  UNPROTECT(2);
  return result;
}

/* The last state of a Metropolis chain, and the distances of all its states from the true diagram: not private. */
SEXP ffi_topology_chain(SEXP diagrams, SEXP bound, SEXP rate, SEXP most, SEXP sum, SEXP steps, SEXP step_sd,
                        SEXP options) {
  release_request request = {.diagrams = diagrams, .mechanism = read_mechanism(bound, rate, most, Rf_ScalarLogical(0)),
                             .steps = (ptrdiff_t) Rf_asReal(steps), .sum = Rf_asLogical(sum) == TRUE,
                             .step_sd = Rf_asReal(step_sd)};
  return ffi_call(run_chain, &request, options);
}
