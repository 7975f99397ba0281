/* ffi-diagram-private.h - code that entry points of the integer sampler share with entry points for its tests. */
#ifndef FFI_DIAGRAM_PRIVATE_H
#define FFI_DIAGRAM_PRIVATE_H

#include "ffi-read.h"
#include "ffi.h"
#include "diagram-private.h"

static const double LATTICE_MOST_BOUND = 2147483647, LATTICE_MOST_EPSILON = 1024;

typedef struct {
  SEXP diagrams; /* list of two-column matrices (birth, death), one for each dimension */
  dpt_lattice_mechanism mechanism;
  ptrdiff_t draws;
} lattice_request;

dpt_lattice_mechanism lattice_read_mechanism(SEXP bound, SEXP most, SEXP learn);
dpt_points lattice_read_points(SEXP diagram, int64_t bound);

/* Draws for a request that has its weights, inside of ffi_call(): list(points, proposals, words). */
SEXP lattice_draws(dpt_ctx *ctx, const lattice_request *request);

#endif
