/* ffi-topology-dtm.c - the distance to a measure, from R. */
#include "ffi.h"

#include "topology-dtm.h"

static SEXP evaluate(dpt_ctx *ctx, void *data, dpt_status *status) {
  const dpt_dtm_problem *problem = data;
  SEXP values = PROTECT(Rf_allocVector(REALSXP, problem->query_count));
  *status = dpt_dtm_evaluate(ctx, problem, REAL(values));
  UNPROTECT(1);
  return values;
}

/* points, queries: double matrices with the same columns; weights: doubles or NULL. */
SEXP ffi_topology_dtm(SEXP points, SEXP weights, SEXP queries, SEXP neighbors, SEXP r, SEXP clip, SEXP options) {
  dpt_dtm_problem problem = {.points = REAL(points),
                             .weight = weights == R_NilValue ? NULL : REAL(weights),
                             .count = Rf_nrows(points),
                             .queries = REAL(queries),
                             .query_count = Rf_nrows(queries),
                             .dimension = Rf_ncols(points),
                             .neighbors = Rf_asReal(neighbors),
                             .r = Rf_asReal(r),
                             .clip = Rf_asReal(clip)};
  return ffi_call(evaluate, &problem, options);
}
