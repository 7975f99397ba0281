/* ffi-dtm-read.c - arguments that all entry points of the family read. */
#include "ffi-dtm-read.h"

#include <float.h>
#include <math.h>

static ffi_vector read_weights(SEXP weights, ptrdiff_t count) {
  if (weights == R_NilValue) return (ffi_vector){NULL, 0};
  ffi_vector weight = ffi_doubles_within(weights, 0, (double) FFI_COUNT_MOST, "weights");
  if (weight.count != count) ffi_refuse("weights", "as many as there are rows");
  return weight;
}

static double total_weight(const ffi_vector *weight, ptrdiff_t count) {
  if (!weight->at) return (double) count;
  double total = 0;
  for (ptrdiff_t i = 0; i < weight->count; i++) total += weight->at[i];
  return total;
}

dtm_mass dtm_read_mass(ptrdiff_t rows, SEXP weights, SEXP neighbors) {
  dtm_mass mass = {.weight = read_weights(weights, rows)};
  mass.neighbors = ffi_number(neighbors, 1, total_weight(&mass.weight, rows), "neighbors");
  return mass;
}

static double read_whole(SEXP x, ptrdiff_t most, const char *what) { return (double) ffi_count(x, 1, most, what); }

dtm_rule dtm_read_rule(ptrdiff_t rows, SEXP weights, SEXP neighbors, SEXP r, SEXP clip, SEXP scale, SEXP change,
                       SEXP steps, SEXP unit) {
  dtm_rule rule = {.mass = dtm_read_mass(rows, weights, neighbors)};
  const double count = rule.mass.neighbors;
  rule.r = ffi_choice(r, 1, 2, "r");
  rule.clip = read_whole(clip, 1 << 26, "clip");
  if (count != floor(count) || count * rule.clip > (double) FFI_COUNT_MOST)
    ffi_refuse("neighbors", "an integer that times `clip` is at most 2^52");
  rule.lattice.scale = ffi_number(scale, DBL_TRUE_MIN, DBL_MAX, "scale");
  rule.lattice.change = read_whole(change, 1 << 26, "change");
  rule.lattice.steps = read_whole(steps, INT32_MAX, "steps");
  rule.lattice.unit = read_whole(unit, 1 << 20, "unit");
  if (rule.lattice.change * rule.lattice.change * rule.lattice.unit > 0x1p64)
    ffi_refuse("unit", "so small that times the square of `change` it is at most 2^64");
  const double units = count / rule.lattice.unit, norm = rule.clip * (rule.r == 1 ? units : sqrt(units));
  if (norm * rule.lattice.steps / rule.lattice.change > 0x1p31)
    ffi_refuse("steps", "so few that no value exceeds 2^31");
  return rule;
}

void dtm_check_scale(const dtm_rule *rule) {
  int exponent = 0;
  if (rule->lattice.scale < DBL_MIN || frexp(rule->lattice.scale, &exponent) > 0.5)
    ffi_refuse("scale", "a power of two");
}
