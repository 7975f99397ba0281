/* ffi-persistence-read.c - arguments that all entry points of the family read. */
#include "ffi-persistence-read.h"

#include <math.h>

dpt_points persistence_read_points(SEXP birth, SEXP death) {
  ffi_vector births = ffi_doubles_within(birth, -INFINITY, INFINITY, "birth");
  ffi_vector deaths = ffi_doubles_within(death, -INFINITY, INFINITY, "death");
  if (births.count != deaths.count) ffi_refuse("death", "as long as `birth`");
  return (dpt_points){births.at, deaths.at, births.count};
}
