/* ffi-diagram-chain.c - from R's diagrams to the Metropolis chain. */
#include <float.h>

#include "ffi-read.h"
#include "ffi.h"
#include "diagram-chain.h"

typedef struct {
  SEXP diagrams; /* list of two-column matrices (birth, death), one for each dimension */
  dpt_chain chain;
  ptrdiff_t steps;
  bool sum;
  double step_sd;
} chain_request;

/* Reads diagrams. Without a diagram there are no dimensions. */
static int read_diagrams(SEXP diagrams, dpt_points *points) {
  int dimensions = (int) XLENGTH(ffi_list(diagrams, 1, DPT_CHAIN_DIMENSIONS, "diagrams"));
  for (int q = 0; q < dimensions; q++) {
    ffi_matrix matrix = ffi_finite_matrix(VECTOR_ELT(diagrams, q), "diagrams");
    if (matrix.columns != 2) ffi_refuse("diagrams", "a list of matrices with two columns");
    points[q] = (dpt_points){matrix.at, matrix.at + matrix.rows, matrix.rows};
  }
  return dimensions;
}

/* Returns one row per point, with the columns draw, dimension, birth, death. */
static SEXP states_to_matrix(const dpt_chain_state *state, int dimensions) {
  ptrdiff_t rows = 0, row = 0;
  for (int q = 0; q < dimensions; q++) rows += state[q].count;
  SEXP matrix = PROTECT(ffi_new_matrix(rows, 4));
  double *at = REAL(matrix);
  for (int q = 0; q < dimensions; q++) {
    for (int i = 0; i < state[q].count; i++, row++) {
      at[row] = 1;
      at[row + rows] = q;
      at[row + 2 * rows] = state[q].birth[i];
      at[row + 3 * rows] = state[q].death[i];
    }
  }
  UNPROTECT(1);
  return matrix;
}

static SEXP run_chain(dpt_ctx *ctx, void *data) {
  const chain_request *request = data;
  dpt_points points[DPT_CHAIN_DIMENSIONS];
  dpt_chain_state state[DPT_CHAIN_DIMENSIONS];
  int dimensions = read_diagrams(request->diagrams, points);
  SEXP distances = ffi_keep(ctx, ffi_new_matrix(request->steps, dimensions));
  dpt_chain_run(ctx, &request->chain, points, dimensions, request->sum, request->steps, request->step_sd, state,
                REAL(distances));
  SEXP last = ffi_keep(ctx, states_to_matrix(state, dimensions));
  return ffi_named_list(2, (const char *const[]){"points", "distances"}, (const SEXP[]){last, distances});
}

/* Returns the last state of a Metropolis chain and the distances of all its states from the true diagram. This is
 * not private. */
SEXP ffi_diagram_chain(SEXP diagrams, SEXP bound, SEXP rate, SEXP most, SEXP sum, SEXP steps, SEXP step_sd,
                       SEXP options) {
  chain_request request = {.diagrams = diagrams,
                           .chain = {ffi_number(bound, DBL_TRUE_MIN, DBL_MAX, "bound"),
                                     ffi_number(rate, 0, DBL_MAX, "rate"), ffi_choice(most, 0, DPT_CHAIN_MOST, "most")},
                           .steps = ffi_count(steps, 0, FFI_COUNT_MOST, "steps"),
                           .sum = ffi_flag(sum, "sum"),
                           .step_sd = ffi_number(step_sd, 0, DBL_MAX, "step_sd")};
  return ffi_call(run_chain, &request, options);
}
