/* ffi-topology-read.h - what the entry points of the family read alike: points of diagrams, and the rule by which rows
 * become a distance to a measure. */
#ifndef FFI_TOPOLOGY_READ_H
#define FFI_TOPOLOGY_READ_H

#include "ffi-read.h"
#include "topology-dtm.h"
#include "topology-points.h"

/* Births and deaths of one diagram, infinite ones included. */
dpt_points topology_read_points(SEXP birth, SEXP death);

/* Weights of the rows (NULL in R, and no count, where they have none) and how many neighbors count, of their total. */
typedef struct {
  ffi_vector weight;
  double neighbors;
} topology_mass;

topology_mass topology_read_mass(ptrdiff_t rows, SEXP weights, SEXP neighbors);

/* The same in whole numbers, as `dpt_dtm_lattice` says: `neighbors` is whole, r is 1 or 2, clip a number of steps. */
typedef struct {
  topology_mass mass;
  double r, clip;
  dpt_dtm_lattice lattice;
} topology_rule;

topology_rule topology_read_rule(ptrdiff_t rows, SEXP weights, SEXP neighbors, SEXP r, SEXP clip, SEXP scale,
                                 SEXP change, SEXP steps);

/* Refuses a scale that is no power of two. */
void topology_check_scale(const topology_rule *rule);

#endif
