/* ffi-dtm-read.h - arguments that all entry points of the family read: the rule that turns rows into a distance to a
 * measure. */
#ifndef FFI_DTM_READ_H
#define FFI_DTM_READ_H

#include "ffi-read.h"
#include "dtm.h"

/* Weights of the rows (in R NULL, here no count, if they have none) and the number of neighbors, as a part of their
 * total. */
typedef struct {
  ffi_vector weight;
  double neighbors;
} dtm_mass;

dtm_mass dtm_read_mass(ptrdiff_t rows, SEXP weights, SEXP neighbors);

/* The same in integers, as in `dpt_dtm_lattice`: `neighbors` is an integer, r is 1 or 2, clip a number of steps. */
typedef struct {
  dtm_mass mass;
  double r, clip;
  dpt_dtm_lattice lattice;
} dtm_rule;

dtm_rule dtm_read_rule(ptrdiff_t rows, SEXP weights, SEXP neighbors, SEXP r, SEXP clip, SEXP scale, SEXP change,
                       SEXP steps, SEXP unit);

/* Refuses a scale that is not a power of two. */
void dtm_check_scale(const dtm_rule *rule);

#endif
