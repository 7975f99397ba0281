/* ffi-diagram-private.c - from R's diagrams of integers to the integer sampler. */
#include <math.h>
#include <string.h>

#include "ffi-diagram-private.h"

typedef struct {
  double range, epsilon;
} plan_request;

static SEXP plan_steps(dpt_ctx *ctx, void *data) {
  const plan_request *request = data;
  int64_t steps = 0;
  dpt_require(ctx, dpt_weights_plan(ctx, request->range, request->epsilon, &steps));
  return Rf_ScalarReal((double) steps);
}

/* Returns the number of steps of a sensitivity, for values that range over `range` sensitivities. */
SEXP ffi_diagram_private_plan(SEXP range, SEXP epsilon, SEXP options) {
  plan_request request = {ffi_number(range, 0, INFINITY, "range"),
                          ffi_number(epsilon, 0, LATTICE_MOST_EPSILON, "epsilon")};
  return ffi_call(plan_steps, &request, options);
}

dpt_points lattice_read_points(SEXP diagram, int64_t bound) {
  ffi_matrix matrix = ffi_finite_matrix(diagram, "diagrams");
  bool good = matrix.columns == 2;
  for (ptrdiff_t i = 0; good && i < matrix.rows; i++) {
    double birth = matrix.at[i], death = matrix.at[i + matrix.rows];
    good = birth >= 0 && birth <= death && death <= (double) bound && birth == floor(birth) && death == floor(death);
  }
  if (!good) ffi_refuse("diagrams", "a list of two-column matrices of integers, 0 <= birth <= death <= bound");
  return (dpt_points){matrix.at, matrix.at + matrix.rows, matrix.rows};
}

static int read_diagrams(SEXP diagrams, int64_t bound, dpt_points *points) {
  int dimensions = (int) XLENGTH(ffi_list(diagrams, 1, DPT_LATTICE_DIMENSIONS, "diagrams"));
  for (int q = 0; q < dimensions; q++) points[q] = lattice_read_points(VECTOR_ELT(diagrams, q), bound);
  return dimensions;
}

/* Draws in order, dimensions in order within a draw, one row per point, with the columns draw, dimension, birth,
 * death. */
typedef struct {
  ptrdiff_t count, room;
  double *row;
} table;

static void append(dpt_ctx *ctx, table *rows, double draw, double dimension, const dpt_lattice_labels *labels) {
  if (rows->count + labels->count > rows->room) {
    ptrdiff_t room = 2 * rows->room + DPT_LATTICE_MOST;
    double *grown = DPT_NEW(ctx, double, 4 * room);
    if (rows->count) memcpy(grown, rows->row, (size_t) (4 * rows->count) * sizeof *grown);
    rows->row = grown;
    rows->room = room;
  }
  for (int i = 0; i < labels->count; i++) {
    double *row = rows->row + 4 * rows->count++;
    row[0] = draw;
    row[1] = dimension;
    row[2] = (double) labels->birth[i];
    row[3] = (double) labels->death[i];
  }
}

static SEXP table_to_matrix(const table *rows) {
  SEXP matrix = PROTECT(ffi_new_matrix(rows->count, 4));
  for (ptrdiff_t i = 0; i < rows->count; i++)
    for (int j = 0; j < 4; j++) REAL(matrix)[i + j * rows->count] = rows->row[4 * i + j];
  UNPROTECT(1);
  return matrix;
}

SEXP lattice_draws(dpt_ctx *ctx, const lattice_request *request) {
  dpt_points points[DPT_LATTICE_DIMENSIONS];
  dpt_lattice_labels labels[DPT_LATTICE_DIMENSIONS];
  dpt_lattice_sampler *sampler;
  int dimensions = read_diagrams(request->diagrams, request->mechanism.bound, points);
  dpt_require(ctx, dpt_lattice_open(ctx, &request->mechanism, points, dimensions, &sampler));
  table rows = {0, 0, NULL};
  double proposals = 0;
  for (ptrdiff_t draw = 1; draw <= request->draws; draw++) {
    proposals += (double) dpt_lattice_draw(ctx, sampler, labels);
    for (int q = 0; q < dimensions; q++) append(ctx, &rows, (double) draw, q, &labels[q]);
  }
  SEXP points_drawn = ffi_keep(ctx, table_to_matrix(&rows));
  SEXP tries = ffi_keep(ctx, Rf_ScalarReal(proposals)),
       words = ffi_keep(ctx, Rf_ScalarReal((double) ctx->random.words));
  return ffi_named_list(3, (const char *const[]){"points", "proposals", "words"},
                        (const SEXP[]){points_drawn, tries, words});
}

dpt_lattice_mechanism lattice_read_mechanism(SEXP bound, SEXP most, SEXP learn) {
  return (dpt_lattice_mechanism){.bound = ffi_count(bound, 1, (ptrdiff_t) LATTICE_MOST_BOUND, "bound"),
                                 .most = ffi_choice(most, 0, DPT_LATTICE_MOST, "most"),
                                 .learn = ffi_flag(learn, "learn"),
                                 .rounding = dpt_lattice_rounding()};
}

typedef struct {
  lattice_request draws;
  int64_t steps;
  double epsilon;
} release_request;

static SEXP draw_releases(dpt_ctx *ctx, void *data) {
  release_request *request = data;
  dpt_require(ctx, dpt_weights_build(ctx, request->steps, request->epsilon, &request->draws.mechanism.weights, NULL));
  return lattice_draws(ctx, &request->draws);
}

/* Returns `draws` exact draws, a matrix with columns draw, dimension, birth, death, integers up to `bound`. Also
 * returns the numbers of proposals and random words, which depend on the data and are only for tests and benchmarks.
 * A row moves the diagrams by at most `steps`. `epsilon` is the epsilon of this group of dimensions. */
SEXP ffi_diagram_private_draws(SEXP diagrams, SEXP bound, SEXP steps, SEXP epsilon, SEXP most, SEXP learn, SEXP draws,
                               SEXP options) {
  release_request request = {
      .draws = {diagrams, lattice_read_mechanism(bound, most, learn), ffi_count(draws, 0, FFI_COUNT_MOST, "draws")},
      .steps = ffi_count(steps, 1, (ptrdiff_t) LATTICE_MOST_BOUND, "steps"),
      .epsilon = ffi_number(epsilon, 0, LATTICE_MOST_EPSILON, "epsilon")};
  return ffi_call(draw_releases, &request, options);
}
