/* ffi-read.h - arguments from R, read by type and size, and memory for results.
 *
 * A kernel trusts its arguments: a list instead of a matrix, or a size below zero, would crash R. An entry point
 * therefore reads every argument by one of these functions, and in no other way. An argument of another type, size
 * or range is an error of class dptda_error_argument that names the argument and shows no value. All functions may
 * be called before ffi_call() and inside a body. */
#ifndef FFI_READ_H
#define FFI_READ_H

#include <R.h>
#include <Rinternals.h>

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  const double *at;
  ptrdiff_t count;
} ffi_vector;

typedef struct {
  const unsigned char *at;
  ptrdiff_t count;
} ffi_bytes;

typedef struct {
  const int *at;
  ptrdiff_t count;
} ffi_integers;

/* Columns, one after the other. */
typedef struct {
  const double *at;
  ptrdiff_t rows, columns;
} ffi_matrix;

/* Raises the error "The argument `what` of a kernel must be <wanted>." */
_Noreturn void ffi_refuse(const char *what, const char *wanted);

/* One number from `least` to `most`, not NaN. */
double ffi_number(SEXP x, double least, double most, const char *what);

/* One integer from `least` to `most`, both at most FFI_COUNT_MOST in absolute value. */
ptrdiff_t ffi_count(SEXP x, ptrdiff_t least, ptrdiff_t most, const char *what);

/* The same, small. */
int ffi_choice(SEXP x, int least, int most, const char *what);

/* The largest count that doubles represent without gaps: 2^52. */
#define FFI_COUNT_MOST ((ptrdiff_t) 1 << 52)

/* One string, or strings, none of them NA. */
SEXP ffi_string(SEXP x, const char *what);
SEXP ffi_strings(SEXP x, const char *what);

/* Bytes. */
ffi_bytes ffi_raw(SEXP x, const char *what);

/* Any integers. NA is the smallest int. */
ffi_integers ffi_whole(SEXP x, const char *what);

/* TRUE or FALSE. */
bool ffi_flag(SEXP x, const char *what);

/* Any doubles. */
ffi_vector ffi_doubles(SEXP x, const char *what);

/* Doubles from `least` to `most`, without NaN. */
ffi_vector ffi_doubles_within(SEXP x, double least, double most, const char *what);

/* A matrix of any doubles, with a vector as one column. R's own sizes: rows and columns are ints. */
ffi_matrix ffi_any_matrix(SEXP x, const char *what);

/* The same without NaN. */
ffi_matrix ffi_doubles_matrix(SEXP x, const char *what);

/* The same, all finite. */
ffi_matrix ffi_finite_matrix(SEXP x, const char *what);

/* A list with this many elements. */
SEXP ffi_list(SEXP x, ptrdiff_t least, ptrdiff_t most, const char *what);

/* The element of a named list with this name, or R's NULL. */
SEXP ffi_element(SEXP list, const char *name);

/* Allocates a result, unprotected. If R has no memory, raises an error of class dptda_error_memory. */
SEXP ffi_new_doubles(ptrdiff_t count);
SEXP ffi_new_integers(ptrdiff_t count);
SEXP ffi_new_bytes(ptrdiff_t count);
SEXP ffi_new_strings(ptrdiff_t count);
SEXP ffi_new_matrix(ptrdiff_t rows, ptrdiff_t columns);
SEXP ffi_new_integer_matrix(ptrdiff_t rows, ptrdiff_t columns);

#endif
