/* ffi-test-lattice.c - weights and counts of the integer sampler, and draws with given weights and roundings, for
 * the tests. */
#include <math.h>
#include <string.h>

#include "ffi-diagram-private.h"

/* ---- weights --------------------------------------------------------------------------------------------------- */

/* Integers up to 2^60 do not fit into doubles: two columns, multiples of 2^30 and the rest. */
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
  if (!good) ffi_refuse("knots", "a matrix of integers with two columns");
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
  double epsilon;
  table_request table;
} weights_request;

static SEXP build_weights(dpt_ctx *ctx, void *data) {
  const weights_request *request = data;
  dpt_weights weights;
  double used;
  dpt_require(ctx, dpt_weights_build(ctx, request->steps, request->epsilon, &weights, &used));
  SEXP knots = ffi_keep(ctx, knots_to_matrix(&weights)), stride = ffi_keep(ctx, Rf_ScalarReal((double) weights.stride));
  SEXP part = ffi_keep(ctx, Rf_ScalarReal(used));
  return ffi_named_list(3, (const char *const[]){"knots", "stride", "used"}, (const SEXP[]){knots, stride, part});
}

/* Returns the verified table of weights of a loss with sensitivity 2 * steps: its knots (two columns, multiples of
 * 2^30 and the rest), the losses between two of them, and the fraction of epsilon that it uses. Raises an error,
 * which depends on these public numbers only, if there is none. */
SEXP ffi_test_lattice_weights(SEXP steps, SEXP epsilon, SEXP options) {
  weights_request request = {.steps = ffi_count(steps, 1, (ptrdiff_t) LATTICE_MOST_BOUND, "steps"),
                             .epsilon = ffi_number(epsilon, 0, LATTICE_MOST_EPSILON, "epsilon")};
  return ffi_call(build_weights, &request, options);
}

static SEXP verify_table(dpt_ctx *ctx, void *data) {
  const weights_request *request = data;
  dpt_weights weights = make_table(ctx, request->table);
  return Rf_ScalarLogical(dpt_weights_hold(ctx, &weights, request->steps, request->epsilon));
}

/* Whether this table is valid for a loss that moves by `move`. */
SEXP ffi_test_lattice_holds(SEXP knots, SEXP stride, SEXP move, SEXP epsilon, SEXP options) {
  weights_request request = {.table = read_table(knots, stride),
                             .steps = ffi_count(move, 1, (ptrdiff_t) 1 << 40, "move"),
                             .epsilon = ffi_number(epsilon, 0, LATTICE_MOST_EPSILON, "epsilon")};
  return ffi_call(verify_table, &request, options);
}

/* ---- draws ----------------------------------------------------------------------------------------------------- */

typedef struct {
  lattice_request draws;
  table_request table;
} trial_request;

static SEXP draw_trials(dpt_ctx *ctx, void *data) {
  trial_request *request = data;
  request->draws.mechanism.weights = make_table(ctx, request->table);
  return lattice_draws(ctx, &request->draws);
}

/* Draws with a given table of weights and products of a given number of binary digits, with or without the coins
 * that correct roundings. */
SEXP ffi_test_lattice_trial(SEXP diagrams, SEXP bound, SEXP knots, SEXP stride, SEXP most, SEXP learn, SEXP draws,
                            SEXP digits, SEXP careless, SEXP options) {
  trial_request request = {
      .draws = {diagrams, lattice_read_mechanism(bound, most, learn), ffi_count(draws, 0, FFI_COUNT_MOST, "draws")},
      .table = read_table(knots, stride)};
  dpt_rounding *rounding = &request.draws.mechanism.rounding;
  rounding->digits = ffi_choice(digits, 1, DPT_SCALED_DIGITS, "digits");
  if (rounding->digits < 30) rounding->units = rounding->digits;
  rounding->careless = ffi_flag(careless, "careless");
  return ffi_call(draw_trials, &request, options);
}

/* ---- counts ---------------------------------------------------------------------------------------------------- */

typedef struct {
  SEXP diagram;
  int64_t bound, tau;
  int forced;
} count_request;

static SEXP count_places(dpt_ctx *ctx, void *data) {
  const count_request *request = data;
  dpt_points points = lattice_read_points(request->diagram, request->bound);
  double counts[4];
  dpt_require(ctx, dpt_lattice_counts(ctx, &points, request->bound, request->tau, request->forced, counts));
  SEXP result = ffi_keep(ctx, ffi_new_doubles(4));
  memcpy(REAL(result), counts, sizeof counts);
  return result;
}

/* Numbers of lattice points in the band of radius tau, in the staircase of all but the `forced` most persistent
 * points, in the staircase of all, and in the union of the squares of the forced. */
SEXP ffi_test_lattice_counts(SEXP diagram, SEXP bound, SEXP tau, SEXP forced, SEXP options) {
  count_request request = {diagram, ffi_count(bound, 1, (ptrdiff_t) LATTICE_MOST_BOUND, "bound"),
                           ffi_count(tau, 0, (ptrdiff_t) LATTICE_MOST_BOUND, "tau"),
                           ffi_choice(forced, 0, DPT_LATTICE_MOST, "forced")};
  if (request.tau > request.bound) ffi_refuse("tau", "at most the bound");
  return ffi_call(count_places, &request, options);
}
