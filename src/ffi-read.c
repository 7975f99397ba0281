/* ffi-read.c - arguments from R, read by type and size, and memory for results. */
#include "ffi-read.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ffi-raise.h"

_Noreturn void ffi_refuse(const char *what, const char *wanted) {
  char message[DPT_MESSAGE_SIZE];
  snprintf(message, sizeof message, "The argument `%s` of a kernel must be %s.", what, wanted);
  ffi_raise(DPT_ERROR_ARGUMENT, message);
}

static bool is_plain_number(SEXP x) {
  return (TYPEOF(x) == REALSXP || (TYPEOF(x) == INTSXP && !Rf_inherits(x, "factor"))) && XLENGTH(x) == 1;
}

/* Turns NA of the integers into NaN, which no range contains. */
static double plain_number(SEXP x) {
  if (TYPEOF(x) == REALSXP) return REAL(x)[0];
  return INTEGER(x)[0] == NA_INTEGER ? NAN : (double) INTEGER(x)[0];
}

double ffi_number(SEXP x, double least, double most, const char *what) {
  double value = is_plain_number(x) ? plain_number(x) : NAN;
  if (!(value >= least && value <= most)) ffi_refuse(what, "one number within its range");
  return value;
}

ptrdiff_t ffi_count(SEXP x, ptrdiff_t least, ptrdiff_t most, const char *what) {
  double value = is_plain_number(x) ? plain_number(x) : NAN;
  if (!(value >= (double) least && value <= (double) most && value == floor(value)))
    ffi_refuse(what, "one integer within its range");
  return (ptrdiff_t) value;
}

int ffi_choice(SEXP x, int least, int most, const char *what) { return (int) ffi_count(x, least, most, what); }

SEXP ffi_strings(SEXP x, const char *what) {
  bool good = TYPEOF(x) == STRSXP;
  for (R_xlen_t i = 0; good && i < XLENGTH(x); i++) good = STRING_ELT(x, i) != NA_STRING;
  if (!good) ffi_refuse(what, "strings");
  return x;
}

SEXP ffi_string(SEXP x, const char *what) {
  if (TYPEOF(x) != STRSXP || XLENGTH(x) != 1 || STRING_ELT(x, 0) == NA_STRING) ffi_refuse(what, "one string");
  return STRING_ELT(x, 0);
}

ffi_bytes ffi_raw(SEXP x, const char *what) {
  if (TYPEOF(x) != RAWSXP) ffi_refuse(what, "bytes");
  return (ffi_bytes){RAW(x), (ptrdiff_t) XLENGTH(x)};
}

ffi_integers ffi_whole(SEXP x, const char *what) {
  if (TYPEOF(x) != INTSXP) ffi_refuse(what, "integers");
  return (ffi_integers){INTEGER_RO(x), (ptrdiff_t) XLENGTH(x)};
}

bool ffi_flag(SEXP x, const char *what) {
  if (TYPEOF(x) != LGLSXP || XLENGTH(x) != 1 || LOGICAL(x)[0] == NA_LOGICAL) ffi_refuse(what, "TRUE or FALSE");
  return LOGICAL(x)[0] != 0;
}

ffi_vector ffi_doubles(SEXP x, const char *what) {
  if (TYPEOF(x) != REALSXP) ffi_refuse(what, "doubles");
  return (ffi_vector){REAL_RO(x), (ptrdiff_t) XLENGTH(x)};
}

/* One pass without a branch, which takes as long as reading the memory: nothing compared with any kernel. */
static bool all_within(const double *value, ptrdiff_t count, double least, double most) {
  bool good = true;
  for (ptrdiff_t i = 0; i < count; i++) good &= (value[i] >= least) & (value[i] <= most);
  return good;
}

ffi_vector ffi_doubles_within(SEXP x, double least, double most, const char *what) {
  ffi_vector vector = ffi_doubles(x, what);
  if (!all_within(vector.at, vector.count, least, most)) ffi_refuse(what, "doubles within their range");
  return vector;
}

static ffi_matrix shape_matrix(SEXP x, ffi_vector all, const char *what) {
  SEXP sides = Rf_getAttrib(x, R_DimSymbol);
  if (sides == R_NilValue && all.count <= INT_MAX) return (ffi_matrix){all.at, all.count, 1};
  if (TYPEOF(sides) != INTSXP || XLENGTH(sides) != 2) ffi_refuse(what, "a matrix");
  const ptrdiff_t rows = INTEGER(sides)[0], columns = INTEGER(sides)[1];
  if (rows < 0 || columns < 0 || rows * columns != all.count) ffi_refuse(what, "a matrix of its own size");
  return (ffi_matrix){all.at, rows, columns};
}

ffi_matrix ffi_any_matrix(SEXP x, const char *what) { return shape_matrix(x, ffi_doubles(x, what), what); }

ffi_matrix ffi_doubles_matrix(SEXP x, const char *what) {
  return shape_matrix(x, ffi_doubles_within(x, -INFINITY, INFINITY, what), what);
}

ffi_matrix ffi_finite_matrix(SEXP x, const char *what) {
  return shape_matrix(x, ffi_doubles_within(x, -DBL_MAX, DBL_MAX, what), what);
}

SEXP ffi_list(SEXP x, ptrdiff_t least, ptrdiff_t most, const char *what) {
  if (TYPEOF(x) != VECSXP || XLENGTH(x) < least || XLENGTH(x) > most) ffi_refuse(what, "a list of the right length");
  return x;
}

SEXP ffi_element(SEXP list, const char *name) {
  if (TYPEOF(list) != VECSXP) ffi_refuse(name, "an element of a list");
  SEXP names = Rf_getAttrib(list, R_NamesSymbol);
  if (TYPEOF(names) != STRSXP) return R_NilValue; /* a list without names */
  if (XLENGTH(names) != XLENGTH(list)) ffi_refuse(name, "an element of a list");
  for (R_xlen_t i = 0; i < XLENGTH(names); i++)
    if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0) return VECTOR_ELT(list, i);
  return R_NilValue;
}

/* ---- room for results ---------------------------------------------------------------------------------------- */

typedef struct {
  SEXPTYPE type;
  bool matrix;
  ptrdiff_t rows, columns;
} room;

static SEXP allocate(void *data) {
  const room *wanted = data;
  if (!wanted->matrix) return Rf_allocVector(wanted->type, wanted->rows);
  return Rf_allocMatrix(wanted->type, (int) wanted->rows, (int) wanted->columns);
}

static SEXP no_room(SEXP condition, void *data) {
  (void) condition;
  (void) data;
  return R_NilValue;
}

/* Allocates with a classed error, because R's own error for memory has no class. Small vectors are made directly,
 * since a handler costs microseconds. */
static SEXP new_room(room wanted) {
  double size = (double) wanted.rows * (double) wanted.columns;
  bool fits = wanted.rows >= 0 && wanted.columns >= 0 && size <= (double) R_XLEN_T_MAX &&
              (!wanted.matrix || (wanted.rows <= INT_MAX && wanted.columns <= INT_MAX));
  if (!fits) ffi_raise(DPT_ERROR_SIZE, "the result has more numbers than fit into a matrix");
  if (size < 1e6) return allocate(&wanted);
  SEXP result = R_tryCatchError(allocate, &wanted, no_room, NULL);
  if (result == R_NilValue) ffi_raise(DPT_ERROR_MEMORY, "not enough memory for the result");
  return result;
}

SEXP ffi_new_doubles(ptrdiff_t count) { return new_room((room){REALSXP, false, count, 1}); }

SEXP ffi_new_integers(ptrdiff_t count) { return new_room((room){INTSXP, false, count, 1}); }

SEXP ffi_new_bytes(ptrdiff_t count) { return new_room((room){RAWSXP, false, count, 1}); }

SEXP ffi_new_strings(ptrdiff_t count) { return new_room((room){STRSXP, false, count, 1}); }

SEXP ffi_new_matrix(ptrdiff_t rows, ptrdiff_t columns) { return new_room((room){REALSXP, true, rows, columns}); }

SEXP ffi_new_integer_matrix(ptrdiff_t rows, ptrdiff_t columns) { return new_room((room){INTSXP, true, rows, columns}); }
