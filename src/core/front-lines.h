/* front-lines.h - the lines of a text file as rows of fields, each row by itself. */
#ifndef DPT_FRONT_LINES_H
#define DPT_FRONT_LINES_H

#include "base-context.h"

/* Text without zero bytes. The separator is neither a quote nor a line break. */
typedef struct {
  const unsigned char *at;
  ptrdiff_t size;
  unsigned char separator;
} dpt_text;

/* A field without its quotes. The bytes are valid only during the call that receives them. */
typedef struct {
  const unsigned char *at;
  ptrdiff_t size;
  bool quoted;
} dpt_field;

/* Receives one field of a row, both counted from 0. */
typedef void (*dpt_take_field)(void *into, ptrdiff_t row, ptrdiff_t column, const dpt_field *field);

/* Passes on the fields of the first line (`take` may be NULL) and returns their number, or -1 if a quote is left
 * open or text follows a closing quote. `length` receives the number of bytes of the line, with the line break. */
ptrdiff_t dpt_lines_header(dpt_ctx *ctx, const dpt_text *text, dpt_take_field take, void *into, ptrdiff_t *length);

/* Does the same for all rows. Returns their number, or -1 if the text is not a table of rows with this many fields.
 * The caller then drops the fields received so far. */
ptrdiff_t dpt_lines_rows(dpt_ctx *ctx, const dpt_text *text, ptrdiff_t fields, dpt_take_field take, void *into);

#endif
