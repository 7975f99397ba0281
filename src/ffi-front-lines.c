/* ffi-front-lines.c - text files as columns of strings, for R. */
#include <limits.h>
#include <string.h>

#include "ffi.h"
#include "ffi-call.h"
#include "ffi-read.h"
#include "front-lines.h"

static dpt_text read_text(SEXP bytes, SEXP separator) {
  const ffi_bytes all = ffi_raw(bytes, "bytes");
  const char *between = CHAR(ffi_string(separator, "separator"));
  if (strlen(between) != 1 || strchr("\"\r\n", between[0])) ffi_refuse("separator", "one character between fields");
  if (all.count > 0 && memchr(all.at, 0, (size_t) all.count)) ffi_refuse("bytes", "text without zero bytes");
  return (dpt_text){all.at, all.count, (unsigned char) between[0]};
}

/* Destination of fields: `place` has for each column the number of its strings in `into`, or -1. If `marked`, an NA
 * without quotes is a missing value. */
typedef struct {
  dpt_ctx *ctx;
  SEXP into;
  const int *place;
  bool marked;
} columns;

static SEXP string_of(const columns *all, const dpt_field *field) {
  if (field->size > INT_MAX) dpt_escape(all->ctx, DPT_ERROR_SIZE, "a field of the file has more than 2^31 bytes");
  if (all->marked && !field->quoted && field->size == 2 && memcmp(field->at, "NA", 2) == 0) return NA_STRING;
  return Rf_mkCharLenCE((const char *) field->at, (int) field->size, CE_UTF8);
}

static void take_field(void *into, ptrdiff_t row, ptrdiff_t column, const dpt_field *field) {
  const columns *all = into;
  /* An earlier pass checked that no row has more columns. */
  const int place = all->place[column];
  if (place >= 0) SET_STRING_ELT(VECTOR_ELT(all->into, place), row, string_of(all, field));
}

static void take_name(void *into, ptrdiff_t row, ptrdiff_t column, const dpt_field *field) {
  (void) row;
  const columns *all = into;
  SET_STRING_ELT(all->into, column, string_of(all, field));
}

typedef struct {
  dpt_text text;
  ptrdiff_t fields;
  ffi_integers wanted;
  bool marked;
} lines_request;

static SEXP header(dpt_ctx *ctx, void *data) {
  const lines_request *request = data;
  ptrdiff_t length;
  const ptrdiff_t fields = dpt_lines_header(ctx, &request->text, NULL, NULL, &length);
  if (fields < 0) return R_NilValue;
  columns all = {.ctx = ctx, .into = ffi_keep(ctx, ffi_new_strings(fields))};
  dpt_lines_header(ctx, &request->text, take_name, &all, &length);
  static const char *const names[] = {"names", "length"};
  const SEXP values[] = {all.into, ffi_keep(ctx, Rf_ScalarReal((double) length))};
  return ffi_named_list(2, names, values);
}

/* Returns list(names, length): the fields of the first line, and its number of bytes with the line break. Returns
 * NULL if a quote is left open there, or text follows a closing quote. */
SEXP ffi_front_header(SEXP bytes, SEXP separator, SEXP options) {
  lines_request request = {.text = read_text(bytes, separator)};
  return ffi_call(header, &request, options);
}

static SEXP rows(dpt_ctx *ctx, void *data) {
  const lines_request *request = data;
  const ptrdiff_t count = dpt_lines_rows(ctx, &request->text, request->fields, NULL, NULL);
  if (count < 0) return R_NilValue;
  int *place = DPT_NEW(ctx, int, request->fields);
  for (ptrdiff_t j = 0; j < request->fields; j++) place[j] = -1;
  columns all = {.ctx = ctx,
                 .into = ffi_keep(ctx, Rf_allocVector(VECSXP, request->wanted.count)),
                 .place = place,
                 .marked = request->marked};
  for (int j = 0; j < (int) request->wanted.count; j++) {
    place[request->wanted.at[j] - 1] = j;
    SET_VECTOR_ELT(all.into, j, ffi_new_strings(count));
  }
  dpt_lines_rows(ctx, &request->text, request->fields, take_field, &all);
  return all.into;
}

/* Reads rows of `fields` fields after the first `skip` bytes. Returns the columns with the `wanted` numbers, each
 * used once, as a list of character vectors. If `marked`, an NA without quotes is a missing value. Returns NULL if
 * the text is not a table of such rows. */
SEXP ffi_front_rows(SEXP bytes, SEXP separator, SEXP skip, SEXP fields, SEXP wanted, SEXP marked, SEXP options) {
  lines_request request = {
      .text = read_text(bytes, separator), .wanted = ffi_whole(wanted, "wanted"), .marked = ffi_flag(marked, "marked")};
  const ptrdiff_t from = ffi_count(skip, 0, request.text.size, "skip");
  request.text.at += from;
  request.text.size -= from;
  request.fields = ffi_count(fields, 1, INT_MAX, "fields");
  for (ptrdiff_t j = 0; j < request.wanted.count; j++)
    if (request.wanted.at[j] < 1 || request.wanted.at[j] > request.fields) ffi_refuse("wanted", "numbers of fields");
  return ffi_call(rows, &request, options);
}
