/* persistence-cover.c - a matching of rows into columns that is updated while edges come and go.
 *
 * Edges are bits. A search for an augmenting path goes breadth first from one row without a column. A word of bits
 * gives up to 64 columns that were not seen before, so that a search costs at most rows * columns / 64 words and
 * usually a few of them. A search that fails leaves a proof (Hall): the rows it reached have no columns except the
 * seen columns, which are one fewer. The proof remains valid, even if edges are removed, until an edge is added
 * between a row reached and a column not seen. */
#include "persistence-cover.h"

#include <string.h>

#define NONE ((ptrdiff_t) -1)

dpt_cover dpt_cover_new(dpt_ctx *ctx, ptrdiff_t rows, ptrdiff_t columns) {
  dpt_cover cover = {.rows = rows, .columns = columns, .words = (columns + 63) / 64};
  cover.edges = DPT_NEW(ctx, uint64_t, rows * cover.words);
  cover.column_of = DPT_NEW(ctx, ptrdiff_t, rows);
  cover.row_of = DPT_NEW(ctx, ptrdiff_t, columns);
  cover.unmatched = DPT_NEW(ctx, uint64_t, cover.words);
  cover.queue = DPT_NEW(ctx, ptrdiff_t, rows);
  cover.finder = DPT_NEW(ctx, ptrdiff_t, columns);
  cover.is_reached = DPT_NEW(ctx, bool, rows);
  cover.seen = DPT_NEW(ctx, uint64_t, cover.words);
  memset(cover.edges, 0, (size_t) (rows * cover.words) * sizeof(uint64_t));
  memset(cover.unmatched, 0, (size_t) cover.words * sizeof(uint64_t));
  memset(cover.is_reached, 0, (size_t) rows * sizeof(bool));
  for (ptrdiff_t row = 0; row < rows; row++) cover.column_of[row] = NONE;
  for (ptrdiff_t column = 0; column < columns; column++) {
    cover.row_of[column] = NONE;
    cover.unmatched[column / 64] |= UINT64_C(1) << column % 64;
  }
  return cover;
}

static inline int lowest_bit(uint64_t bits) {
#if defined(__GNUC__)
  return __builtin_ctzll(bits);
#else
  int bit = 0;
  while (!(bits >> bit & 1)) bit++;
  return bit;
#endif
}

/* Gives `column`, found by the search from `root`, to the row that found it. This row's column goes to the row that
 * found it in turn, and so on. */
static void augment(dpt_cover *cover, ptrdiff_t root, ptrdiff_t column) {
  cover->unmatched[column / 64] &= ~(UINT64_C(1) << column % 64);
  for (;;) {
    ptrdiff_t row = cover->finder[column], before = cover->column_of[row];
    cover->column_of[row] = column;
    cover->row_of[column] = row;
    if (row == root) return;
    column = before;
  }
}

/* Returns an unmatched column of the row, or NONE. */
static ptrdiff_t find_unmatched(const dpt_cover *cover, ptrdiff_t row) {
  const uint64_t *edges = cover->edges + row * cover->words;
  for (ptrdiff_t word = 0; word < cover->words; word++) {
    uint64_t open = edges[word] & cover->unmatched[word];
    if (open) return 64 * word + lowest_bit(open);
  }
  return NONE;
}

/* Marks the columns of a row that were not seen as seen. All are matched, and their rows are queued. */
static void see_columns(dpt_cover *cover, ptrdiff_t row) {
  const uint64_t *edges = cover->edges + row * cover->words;
  for (ptrdiff_t word = 0; word < cover->words; word++) {
    uint64_t fresh = edges[word] & ~cover->seen[word];
    cover->seen[word] |= fresh;
    for (; fresh; fresh &= fresh - 1) {
      ptrdiff_t column = 64 * word + lowest_bit(fresh);
      cover->finder[column] = row;
      cover->queue[cover->reached++] = cover->row_of[column];
    }
  }
}

static bool search(dpt_ctx *ctx, dpt_cover *cover, ptrdiff_t root) {
  memset(cover->seen, 0, (size_t) cover->words * sizeof(uint64_t));
  cover->queue[0] = root;
  cover->reached = 1;
  for (ptrdiff_t head = 0; head < cover->reached; head++) {
    ptrdiff_t row = cover->queue[head], column = find_unmatched(cover, row);
    dpt_tick(ctx, 2 * cover->words + 5);
    if (column != NONE) {
      cover->finder[column] = row;
      augment(cover, root, column);
      return true;
    }
    see_columns(cover, row);
  }
  return false;
}

bool dpt_cover_complete(dpt_ctx *ctx, dpt_cover *cover, ptrdiff_t forced) {
  for (ptrdiff_t place = 0; place < cover->reached; place++) cover->is_reached[cover->queue[place]] = false;
  cover->reached = 0;
  for (ptrdiff_t row = 0; row < forced; row++) {
    if (cover->column_of[row] != NONE || search(ctx, cover, row)) continue;
    for (ptrdiff_t place = 0; place < cover->reached; place++) cover->is_reached[cover->queue[place]] = true;
    return false;
  }
  return true;
}
