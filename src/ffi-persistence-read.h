/* ffi-persistence-read.h - arguments that all entry points of the family read: the points of a diagram. */
#ifndef FFI_PERSISTENCE_READ_H
#define FFI_PERSISTENCE_READ_H

#include "ffi-read.h"
#include "persistence-points.h"

/* Reads births and deaths of one diagram, infinite ones included. */
dpt_points persistence_read_points(SEXP birth, SEXP death);

#endif
