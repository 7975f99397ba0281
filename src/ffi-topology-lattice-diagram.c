/* ffi-topology-lattice-diagram.c - from R's diagrams of whole numbers to the sampler in whole numbers. */
#include <math.h>
#include <string.h>

#include "ffi-read.h"
#include "ffi.h"
#include "topology-lattice-diagram.h"

static const double MOST_BOUND = 2147483647, MOST_EPSILON = 1024;

/* ---- weights --------------------------------------------------------------------------------------------------- */

/* Whole numbers up to 2^60 do not fit into doubles: two columns, multiples of 2^30 and the rest. */
static const double HALF_WORD = 1073741824;

static SEXP knots_to_matrix(const dpt_weights *weights) {
  SEXP matrix = PROTECT(ffi_new_matrix(weights->knots + 1, 2));
  for (int64_t j = 0; j <= weights->knots; j++) {
    REAL(matrix)[j] = (double) (weights->knot[j] >> 30);
    REAL(matrix)[j + weights->knots + 1] = (double) (weights->knot[j] & ((UINT64_C(1) << 30) - 1));
  }
  UNPROTECT(1);
  return matrix;
}

typedef struct {
  ffi_matrix knots;
  int64_t stride;
} table_request;

static table_request read_table(SEXP knots, SEXP stride) {
  ffi_matrix matrix = ffi_finite_matrix(knots, "knots");
  bool good = matrix.columns == 2 && matrix.rows >= 2 && matrix.rows <= DPT_WEIGHTS_KNOTS + 1;
  for (ptrdiff_t i = 0; good && i < 2 * matrix.rows; i++)
    good = matrix.at[i] >= 0 && matrix.at[i] <= 4 * HALF_WORD && matrix.at[i] == floor(matrix.at[i]);
  if (!good) ffi_refuse("knots", "a matrix of whole numbers with two columns");
  return (table_request){matrix, ffi_count(stride, 1, FFI_COUNT_MOST, "stride")};
}

static dpt_weights make_table(dpt_ctx *ctx, table_request request) {
  uint64_t *knot = DPT_NEW(ctx, uint64_t, request.knots.rows);
  for (ptrdiff_t j = 0; j < request.knots.rows; j++)
    knot[j] = ((uint64_t) request.knots.at[j] << 30) + (uint64_t) request.knots.at[j + request.knots.rows];
  int64_t knots = request.knots.rows - 1;
  return (dpt_weights){knots, request.stride, request.stride > INT64_C(1) << 40 ? 0 : knots * request.stride, knot};
}

typedef struct {
  int64_t steps;
  double epsilon, range;
  table_request table;
} weights_request;

static SEXP build_weights(dpt_ctx *ctx, void *data, dpt_status *status) {
  const weights_request *request = data;
  dpt_weights weights;
  double used;
  *status = dpt_weights_build(ctx, request->steps, request->epsilon, &weights, &used);
  if (*status != DPT_OK) return R_NilValue;
  SEXP knots = PROTECT(knots_to_matrix(&weights)), stride = PROTECT(Rf_ScalarReal((double) weights.stride));
  SEXP part = PROTECT(Rf_ScalarReal(used));
  SEXP result = ffi_named_list(3, (const char *const[]){"knots", "stride", "used"}, (const SEXP[]){knots, stride, part});
  UNPROTECT(3);
  return result;
}

/* The verified table of weights of a loss whose sensitivity is 2 * steps: its knots (two columns, multiples of 2^30 and the
 * rest), the losses between two of them, and the part of epsilon that it uses. An error, by these public numbers, if
 * there is none. */
SEXP ffi_topology_lattice_weights(SEXP steps, SEXP epsilon, SEXP options) {
  weights_request request = {.steps = ffi_count(steps, 1, (ptrdiff_t) MOST_BOUND, "steps"),
                             .epsilon = ffi_number(epsilon, 0, MOST_EPSILON, "epsilon")};
  return ffi_call(build_weights, &request, options);
}

static SEXP plan_steps(dpt_ctx *ctx, void *data, dpt_status *status) {
  const weights_request *request = data;
  int64_t steps = 0;
  *status = dpt_weights_plan(ctx, request->range, request->epsilon, &steps);
  return Rf_ScalarReal((double) steps);
}

/* How many steps a sensitivity should have where the values range over `range` sensitivities. */
SEXP ffi_topology_lattice_plan(SEXP range, SEXP epsilon, SEXP options) {
  weights_request request = {.range = ffi_number(range, 0, INFINITY, "range"),
                             .epsilon = ffi_number(epsilon, 0, MOST_EPSILON, "epsilon")};
  return ffi_call(plan_steps, &request, options);
}

static SEXP verify_table(dpt_ctx *ctx, void *data, dpt_status *status) {
  const weights_request *request = data;
  dpt_weights weights = make_table(ctx, request->table);
  *status = DPT_OK;
  return Rf_ScalarLogical(dpt_weights_hold(ctx, &weights, request->steps, request->epsilon));
}

/* For the tests: does this table hold for a loss that moves by `move`? */
SEXP ffi_topology_lattice_holds(SEXP knots, SEXP stride, SEXP move, SEXP epsilon, SEXP options) {
  weights_request request = {.table = read_table(knots, stride), .steps = ffi_count(move, 1, (ptrdiff_t) 1 << 40, "move"),
                             .epsilon = ffi_number(epsilon, 0, MOST_EPSILON, "epsilon")};
  return ffi_call(verify_table, &request, options);
}

/* ---- draws ----------------------------------------------------------------------------------------------------- */

typedef struct {
  SEXP diagrams; /* list of two-column matrices (birth, death), one for each dimension */
  dpt_lattice_mechanism mechanism;
  bool given; /* the table of weights is given, else it is made from steps and epsilon */
  weights_request weights;
  ptrdiff_t draws;
} release_request;

static dpt_points read_points(SEXP diagram, int64_t bound) {
  ffi_matrix matrix = ffi_finite_matrix(diagram, "diagrams");
  bool good = matrix.columns == 2;
  for (ptrdiff_t i = 0; good && i < matrix.rows; i++) {
    double birth = matrix.at[i], death = matrix.at[i + matrix.rows];
    good = birth >= 0 && birth <= death && death <= (double) bound && birth == floor(birth) && death == floor(death);
  }
  if (!good) ffi_refuse("diagrams", "a list of two-column matrices of whole numbers, 0 <= birth <= death <= bound");
  return (dpt_points){matrix.at, matrix.at + matrix.rows, matrix.rows};
}

static int read_diagrams(SEXP diagrams, int64_t bound, dpt_points *points) {
  int dimensions = (int) XLENGTH(ffi_list(diagrams, 1, DPT_LATTICE_DIMENSIONS, "diagrams"));
  for (int q = 0; q < dimensions; q++) points[q] = read_points(VECTOR_ELT(diagrams, q), bound);
  return dimensions;
}

/* Draws in order, within a draw dimensions in order, one row a point: (draw, dimension, birth, death) as columns. */
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

static SEXP draw_releases(dpt_ctx *ctx, void *data, dpt_status *status) {
  release_request *request = data;
  dpt_points points[DPT_LATTICE_DIMENSIONS];
  dpt_lattice_labels labels[DPT_LATTICE_DIMENSIONS];
  dpt_lattice_sampler *sampler;
  if (request->given) request->mechanism.weights = make_table(ctx, request->weights.table);
  else {
    *status = dpt_weights_build(ctx, request->weights.steps, request->weights.epsilon, &request->mechanism.weights, NULL);
    if (*status != DPT_OK) return R_NilValue;
  }
  int dimensions = read_diagrams(request->diagrams, request->mechanism.bound, points);
  *status = dpt_lattice_open(ctx, &request->mechanism, points, dimensions, &sampler);
  if (*status != DPT_OK) return R_NilValue;
  table rows = {0, 0, NULL};
  double proposals = 0;
  for (ptrdiff_t draw = 1; draw <= request->draws; draw++) {
    proposals += (double) dpt_lattice_draw(ctx, sampler, labels);
    for (int q = 0; q < dimensions; q++) append(ctx, &rows, (double) draw, q, &labels[q]);
  }
  SEXP points_drawn = PROTECT(table_to_matrix(&rows));
  SEXP tries = PROTECT(Rf_ScalarReal(proposals)), words = PROTECT(Rf_ScalarReal((double) ctx->random.words));
  SEXP result = ffi_named_list(3, (const char *const[]){"points", "proposals", "words"},
                               (const SEXP[]){points_drawn, tries, words});
  UNPROTECT(3);
  return result;
}

static dpt_lattice_mechanism read_mechanism(SEXP bound, SEXP most, SEXP learn) {
  return (dpt_lattice_mechanism){.bound = ffi_count(bound, 1, (ptrdiff_t) MOST_BOUND, "bound"),
                                 .most = ffi_choice(most, 0, DPT_LATTICE_MOST, "most"),
                                 .learn = ffi_flag(learn, "learn"), .rounding = dpt_lattice_rounding()};
}

/* `draws` exact draws: a matrix with columns draw, dimension, birth, death, whole numbers up to `bound`; and the numbers of
 * proposals and of random words, which depend on the data and are for tests and benchmarks alone. A row moves the
 * diagrams by at most `steps`; epsilon is that of this group of dimensions. */
SEXP ffi_topology_lattice_draws(SEXP diagrams, SEXP bound, SEXP steps, SEXP epsilon, SEXP most, SEXP learn, SEXP draws,
                                SEXP options) {
  release_request request = {.diagrams = diagrams, .mechanism = read_mechanism(bound, most, learn),
                             .draws = ffi_count(draws, 0, FFI_COUNT_MOST, "draws")};
  request.weights.steps = ffi_count(steps, 1, (ptrdiff_t) MOST_BOUND, "steps");
  request.weights.epsilon = ffi_number(epsilon, 0, MOST_EPSILON, "epsilon");
  return ffi_call(draw_releases, &request, options);
}

/* For the tests: the same with a given table of weights, products of so many binary digits, and with or without the coins
 * that repay roundings. */
SEXP ffi_topology_lattice_trial(SEXP diagrams, SEXP bound, SEXP knots, SEXP stride, SEXP most, SEXP learn, SEXP draws,
                                SEXP digits, SEXP careless, SEXP options) {
  release_request request = {.diagrams = diagrams, .mechanism = read_mechanism(bound, most, learn), .given = true,
                             .draws = ffi_count(draws, 0, FFI_COUNT_MOST, "draws")};
  request.weights.table = read_table(knots, stride);
  request.mechanism.rounding.digits = ffi_choice(digits, 1, DPT_SCALED_DIGITS, "digits");
  if (request.mechanism.rounding.digits < 30) request.mechanism.rounding.units = request.mechanism.rounding.digits;
  request.mechanism.rounding.careless = ffi_flag(careless, "careless");
  return ffi_call(draw_releases, &request, options);
}

/* ---- counts ---------------------------------------------------------------------------------------------------- */

typedef struct {
  SEXP diagram;
  int64_t bound, tau;
  int forced;
} count_request;

static SEXP count_places(dpt_ctx *ctx, void *data, dpt_status *status) {
  const count_request *request = data;
  dpt_points points = read_points(request->diagram, request->bound);
  double counts[4];
  *status = dpt_lattice_counts(ctx, &points, request->bound, request->tau, request->forced, counts);
  if (*status != DPT_OK) return R_NilValue;
  SEXP result = PROTECT(ffi_new_doubles(4));
  memcpy(REAL(result), counts, sizeof counts);
  UNPROTECT(1);
  return result;
}

/* For the tests: lattice points in the band of radius tau, in the staircase of all but the `forced` most persistent points,
 * in the staircase of all, and in the union of the squares of the forced. */
SEXP ffi_topology_lattice_counts(SEXP diagram, SEXP bound, SEXP tau, SEXP forced, SEXP options) {
  count_request request = {diagram, ffi_count(bound, 1, (ptrdiff_t) MOST_BOUND, "bound"),
                           ffi_count(tau, 0, (ptrdiff_t) MOST_BOUND, "tau"),
                           ffi_choice(forced, 0, DPT_LATTICE_MOST, "forced")};
  if (request.tau > request.bound) ffi_refuse("tau", "at most the bound");
  return ffi_call(count_places, &request, options);
}
