/* front-lines.c - the lines of a text file as rows of fields, each row by itself.
 *
 * Fields follow RFC 4180, read one line at a time from left to right. A field that begins with a quote, perhaps
 * after blanks, ends at the next single quote, and two quotes within it stand for one. Only blanks may follow the
 * closing quote. In any other field a quote is an ordinary character, as in 5'11". A line begins a row if, read from
 * its beginning, it has the requested number of fields, or if a quote is open at its end and it has no more fields
 * than requested. A row is one line that begins a row, together with the following lines while the quote is open. If
 * one of these lines also begins a row, the text is refused.
 *
 * Whether a line begins a row is therefore a property of this line, and no text of one row, not even an open quote,
 * decides how another row is read (inst/proofs/front-lines.md). The usual readers let an open quote swallow all
 * lines up to the next quote, wherever that is. R's readers were tried first, and scan() also opens quotes in the
 * middle of fields.
 *
 * Cost: one pass over the bytes. Lines within quotes are read twice. */
#include "front-lines.h"

#include <string.h>

typedef enum { LINE_WHOLE, LINE_OPEN, LINE_BROKEN } line_end;

/* A position in a row: before a field, or within quotes. */
typedef struct {
  const dpt_text *text;
  ptrdiff_t at;
  ptrdiff_t fields; /* number of complete fields */
  ptrdiff_t from;   /* start of the text within quotes */
  bool quoted;
} cursor;

/* Destination of fields, with room for text with doubled quotes. */
typedef struct {
  dpt_ctx *ctx;
  dpt_take_field take;
  void *into;
  ptrdiff_t row;
  unsigned char *room;
  ptrdiff_t size;
} sink;

static bool is_break(unsigned char byte) { return byte == '\n' || byte == '\r'; }

static ptrdiff_t behind_break(const dpt_text *text, ptrdiff_t at) {
  const bool two = text->at[at] == '\r' && at + 1 < text->size && text->at[at + 1] == '\n';
  return at + (two ? 2 : 1);
}

static ptrdiff_t behind_blanks(const dpt_text *text, ptrdiff_t at) {
  while (at < text->size && (text->at[at] == ' ' || text->at[at] == '\t') && text->at[at] != text->separator) at++;
  return at;
}

static void hand_over(sink *to, const cursor *place, ptrdiff_t from, ptrdiff_t end, bool quoted) {
  if (!to || !to->take) return;
  const unsigned char *bytes = place->text->at + from;
  ptrdiff_t size = end - from;
  if (quoted && (memchr(bytes, '"', (size_t) size) || memchr(bytes, '\r', (size_t) size))) {
    if (size > to->size) {
      to->size = 2 * size;
      to->room = DPT_NEW(to->ctx, unsigned char, to->size);
    }
    ptrdiff_t kept = 0;
    for (ptrdiff_t i = 0; i < size; i++) {
      to->room[kept++] = bytes[i] == '\r' ? '\n' : bytes[i];
      if (i + 1 < size && ((bytes[i] == '"' && bytes[i + 1] == '"') || (bytes[i] == '\r' && bytes[i + 1] == '\n'))) i++;
    }
    bytes = to->room;
    size = kept;
  }
  to->take(to->into, to->row, place->fields, &(dpt_field){bytes, size, quoted});
}

/* Reads from the position to the end of its line. Afterwards `at` is after the line break. */
static line_end read_line(cursor *place, sink *to) {
  const dpt_text *text = place->text;
  for (;;) {
    ptrdiff_t end;
    const ptrdiff_t opening = place->quoted ? place->at : behind_blanks(text, place->at);
    if (!place->quoted && opening < text->size && text->at[opening] == '"') {
      place->quoted = true;
      place->from = place->at = opening + 1;
    }
    if (place->quoted) {
      for (end = place->at; end < text->size && !is_break(text->at[end]); end++) {
        if (text->at[end] != '"') continue;
        if (end + 1 == text->size || text->at[end + 1] != '"') break;
        end++;
      }
      if (end == text->size || text->at[end] != '"') {
        place->at = end == text->size ? end : behind_break(text, end);
        return LINE_OPEN;
      }
      hand_over(to, place, place->from, end, true);
      place->quoted = false;
      end = behind_blanks(text, end + 1);
    } else {
      for (end = place->at; end < text->size && !is_break(text->at[end]) && text->at[end] != text->separator;) end++;
      hand_over(to, place, place->at, end, false);
    }
    place->fields++;
    if (end == text->size || is_break(text->at[end])) {
      place->at = end == text->size ? end : behind_break(text, end);
      return LINE_WHOLE;
    }
    if (text->at[end] != text->separator) return LINE_BROKEN;
    place->at = end + 1;
  }
}

static bool begins_row(const dpt_text *text, ptrdiff_t at, ptrdiff_t fields) {
  cursor place = {.text = text, .at = at};
  const line_end end = read_line(&place, NULL);
  return (end == LINE_WHOLE && place.fields == fields) || (end == LINE_OPEN && place.fields < fields);
}

ptrdiff_t dpt_lines_header(dpt_ctx *ctx, const dpt_text *text, dpt_take_field take, void *into, ptrdiff_t *length) {
  sink to = {.ctx = ctx, .take = take, .into = into};
  cursor place = {.text = text};
  if (read_line(&place, &to) != LINE_WHOLE) return -1;
  *length = place.at;
  return place.fields;
}

ptrdiff_t dpt_lines_rows(dpt_ctx *ctx, const dpt_text *text, ptrdiff_t fields, dpt_take_field take, void *into) {
  sink to = {.ctx = ctx, .take = take, .into = into};
  ptrdiff_t at = 0;
  while (at < text->size) {
    /* An empty line is a row of one empty field, but not a row of several. */
    if (fields > 1 && is_break(text->at[at])) {
      at = behind_break(text, at);
      continue;
    }
    cursor place = {.text = text, .at = at};
    line_end end = read_line(&place, &to);
    while (end == LINE_OPEN && place.at < text->size && !begins_row(text, place.at, fields)) {
      dpt_tick(ctx, place.at - at);
      at = place.at;
      end = read_line(&place, &to);
    }
    if (end != LINE_WHOLE || place.fields != fields) return -1;
    dpt_tick(ctx, place.at - at);
    at = place.at;
    to.row++;
  }
  return to.row;
}
