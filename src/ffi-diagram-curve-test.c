/* ffi-diagram-curve-test.c - random divisions of people into two groups, and distances of the groups. */
#include "ffi.h"

#include <math.h>

#include "diagram-curve-test.h"
#include "ffi-read.h"

typedef struct {
  ptrdiff_t people, first, count;
  ffi_matrix value;
  const unsigned char *member;
  int shift;
} division_request;

static SEXP draw_divisions(dpt_ctx *ctx, void *data) {
  const division_request *request = data;
  SEXP member = ffi_keep(ctx, ffi_new_bytes(request->people * request->count));
  dpt_curve_divide(ctx, request->people, request->first, request->count, RAW(member));
  return member;
}

/* Draws `count` divisions of people, `first` of them in the first group. Returns bytes, people x count: 1 for the
 * first group. At most 2^29 bytes. */
SEXP ffi_diagram_curve_divide(SEXP people, SEXP first, SEXP count, SEXP options) {
  division_request request = {.people = ffi_count(people, 2, 1 << 26, "people")};
  request.count = ffi_count(count, 0, (1 << 29) / request.people, "count");
  request.first = ffi_count(first, 1, request.people - 1, "first");
  return ffi_call(draw_divisions, &request, options);
}

static SEXP measure_distances(dpt_ctx *ctx, void *data) {
  const division_request *request = data;
  SEXP distance = ffi_keep(ctx, ffi_new_doubles(request->count));
  dpt_curve_distances(ctx, request->value.at, request->value.rows, request->people, request->member, request->first,
                      request->count, request->shift, REAL(distance));
  return distance;
}

/* Returns floor(|n2 S1 - n1 S2| / 2^shift) for each division. value: a matrix of integers with one column for each
 * person. member: as above, with the same number of people in each first group. */
SEXP ffi_diagram_curve_distances(SEXP value, SEXP member, SEXP shift, SEXP options) {
  const ffi_bytes members = ffi_raw(member, "member");
  division_request request = {
      .value = ffi_finite_matrix(value, "value"), .member = members.at, .shift = ffi_choice(shift, 0, 60, "shift")};
  request.people = request.value.columns;
  if (request.people < 2) ffi_refuse("value", "a matrix with at least two columns");
  if (members.count == 0 || members.count % request.people != 0) ffi_refuse("member", "bytes for each person");
  request.count = members.count / request.people;
  double largest = 0;
  for (ptrdiff_t i = 0; i < request.value.rows * request.people; i++) {
    if (request.value.at[i] != floor(request.value.at[i])) ffi_refuse("value", "integers");
    largest = fmax(largest, fabs(request.value.at[i]));
  }
  for (ptrdiff_t b = 0; b < request.count; b++) {
    ptrdiff_t first = 0;
    for (ptrdiff_t i = 0; i < request.people; i++) first += members.at[b * request.people + i] != 0;
    if (b == 0) request.first = first;
    if (first != request.first) ffi_refuse("member", "groups of the same size");
  }
  if (request.first == 0 || request.first == request.people) ffi_refuse("member", "two groups");
  /* The limit of the kernel, for the longest vector of such integers. */
  const double pairs = (double) request.first * (double) (request.people - request.first);
  const double longest = 2 * pairs * largest * sqrt((double) request.value.rows);
  if (!(longest < 0x1p63) || !(longest < ldexp(0x1p53, request.shift))) ffi_refuse("value", "smaller integers");
  return ffi_call(measure_distances, &request, options);
}
