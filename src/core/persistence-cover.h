/* persistence-cover.h - a matching of rows into columns that is kept up while edges come and go. */
#ifndef DPT_PERSISTENCE_COVER_H
#define DPT_PERSISTENCE_COVER_H

#include "base-context.h"

typedef struct {
  ptrdiff_t rows, columns, words; /* words of a row of bits */
  uint64_t *edges;                /* a row of bits for each row */
  ptrdiff_t *column_of, *row_of;  /* the matching; -1: none */
  uint64_t *unmatched;            /* columns */
  /* The last search: the rows it reached (the first `reached` of `queue`), the columns, and from where. */
  ptrdiff_t *queue, *finder, reached;
  bool *is_reached; /* of a search that failed; all false after one that did not */
  uint64_t *seen;
} dpt_cover;

dpt_cover dpt_cover_new(dpt_ctx *ctx, ptrdiff_t rows, ptrdiff_t columns);

static inline void dpt_cover_add(dpt_cover *cover, ptrdiff_t row, ptrdiff_t column) {
  cover->edges[row * cover->words + column / 64] |= UINT64_C(1) << column % 64;
}

/* Takes an edge away, from the matching too. */
static inline void dpt_cover_drop(dpt_cover *cover, ptrdiff_t row, ptrdiff_t column) {
  const uint64_t bit = UINT64_C(1) << column % 64;
  cover->edges[row * cover->words + column / 64] &= ~bit;
  if (cover->column_of[row] != column) return;
  cover->column_of[row] = cover->row_of[column] = -1;
  cover->unmatched[column / 64] |= bit;
}

/* Matches each of the first `forced` rows, or says that this cannot be. Then the rows reached have fewer columns than
 * they are, all of them seen. */
bool dpt_cover_complete(dpt_ctx *ctx, dpt_cover *cover, ptrdiff_t forced);

/* Whether a new edge leads out of the rows and columns of the search that failed: no other can help. */
static inline bool dpt_cover_helps(const dpt_cover *cover, ptrdiff_t row, ptrdiff_t column) {
  return cover->is_reached[row] && !(cover->seen[column / 64] >> column % 64 & 1);
}

#endif
