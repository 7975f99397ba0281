/* persistence-cover.h - a matching of rows into columns that is updated while edges come and go. */
#ifndef DPT_PERSISTENCE_COVER_H
#define DPT_PERSISTENCE_COVER_H

#include "base-context.h"

typedef struct {
  ptrdiff_t rows, columns, words; /* words of a row of bits */
  uint64_t *edges;                /* a row of bits for each row */
  ptrdiff_t *column_of, *row_of;  /* the matching, or -1 */
  uint64_t *unmatched;            /* columns */
  /* The last search: the rows it reached (the first `reached` of `queue`), the columns, and the row that found each. */
  ptrdiff_t *queue, *finder, reached;
  bool *is_reached; /* for a search that failed; all false after a success */
  uint64_t *seen;
} dpt_cover;

dpt_cover dpt_cover_new(dpt_ctx *ctx, ptrdiff_t rows, ptrdiff_t columns);

static inline void dpt_cover_add(dpt_cover *cover, ptrdiff_t row, ptrdiff_t column) {
  cover->edges[row * cover->words + column / 64] |= UINT64_C(1) << column % 64;
}

/* Removes an edge, also from the matching. */
static inline void dpt_cover_drop(dpt_cover *cover, ptrdiff_t row, ptrdiff_t column) {
  const uint64_t bit = UINT64_C(1) << column % 64;
  cover->edges[row * cover->words + column / 64] &= ~bit;
  if (cover->column_of[row] != column) return;
  cover->column_of[row] = cover->row_of[column] = -1;
  cover->unmatched[column / 64] |= bit;
}

/* Matches each of the first `forced` rows, or returns false if this is impossible. The rows reached then have fewer
 * columns than their number, all of them seen. */
bool dpt_cover_complete(dpt_ctx *ctx, dpt_cover *cover, ptrdiff_t forced);

/* Whether a new edge leads out of the rows and columns of the failed search. No other edge can help. */
static inline bool dpt_cover_helps(const dpt_cover *cover, ptrdiff_t row, ptrdiff_t column) {
  return cover->is_reached[row] && !(cover->seen[column / 64] >> column % 64 & 1);
}

#endif
