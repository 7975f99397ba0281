/* topology-grid-persistence-reduce.c - reduction of a sparse matrix mod 2 by columns.
 *
 * Left to right, a column whose last row is already the pivot of another is added to that one, until its last row is
 * new or nothing is left. The working column is a bit tree: a bit for each row, and above it, 64 to one, bits that tell
 * which words are not zero. Adding an entry flips a bit and seldom more, the last row is found by descending the tree, and
 * pairs of equal rows cancel for free, which heaps and sorted lists pay for (Bauer, Kerber, Reininghaus and Wagner, PHAT,
 * 2017, compare them). Reduced columns are kept as lists. */
#include "topology-grid-persistence-nd.h"

enum { WORD = 64, LEVELS = 6, POOL = 1 << 16 };

typedef struct {
  uint64_t *level[LEVELS]; /* 0: the rows; each word of a level is a bit of the next */
  int levels;
} bit_tree;

static void open_tree(dpt_ctx *ctx, bit_tree *tree, ptrdiff_t rows) {
  tree->levels = 0;
  ptrdiff_t words = rows;
  do {
    words = (words + WORD - 1) / WORD;
    tree->level[tree->levels] = DPT_NEW(ctx, uint64_t, words);
    memset(tree->level[tree->levels], 0, (size_t) words * sizeof(uint64_t));
    tree->levels++;
  } while (words > 1);
}

static inline void flip(bit_tree *tree, int32_t row) {
  uint32_t at = (uint32_t) row;
  for (int level = 0; level < tree->levels; level++) {
    uint64_t *word = &tree->level[level][at / WORD];
    const uint64_t before = *word;
    *word ^= UINT64_C(1) << at % WORD;
    if (before != 0 && *word != 0) return;
    at /= WORD;
  }
}

static inline uint32_t highest_bit(uint64_t word) {
#if defined(__GNUC__)
  return 63 - (uint32_t) __builtin_clzll(word);
#else
  uint32_t bit = 0;
  while (word >>= 1) bit++;
  return bit;
#endif
}

static inline int32_t last_row(const bit_tree *tree) {
  int level = tree->levels - 1;
  if (tree->level[level][0] == 0) return -1;
  uint32_t at = 0;
  for (; level >= 0; level--) at = at * WORD + highest_bit(tree->level[level][at]);
  return (int32_t) at;
}

/* Reduced columns, by pivot. */
typedef struct {
  const int32_t *rows;
  ptrdiff_t count;
} column;

typedef struct {
  dpt_ctx *ctx;
  bit_tree tree;
  column *owner; /* of each row: the reduced column whose pivot it is, or NULL rows */
  int32_t *pool;
  ptrdiff_t pool_left;
} reducer;

static void add_rows(reducer *r, const int32_t *rows, ptrdiff_t count) {
  for (ptrdiff_t i = 0; i < count; i++) flip(&r->tree, rows[i]);
  dpt_tick(r->ctx, 4 * count);
}

static int32_t *take_pool(reducer *r, ptrdiff_t count) {
  if (count > r->pool_left) {
    r->pool_left = count > POOL ? count : POOL;
    r->pool = DPT_NEW(r->ctx, int32_t, r->pool_left);
  }
  int32_t *rows = r->pool;
  r->pool += count;
  r->pool_left -= count;
  return rows;
}

/* Empties the tree into a list. */
static column keep_column(reducer *r, ptrdiff_t most, int32_t *scratch) {
  ptrdiff_t count = 0;
  for (int32_t row = last_row(&r->tree); row >= 0 && count < most; row = last_row(&r->tree)) {
    scratch[count++] = row;
    flip(&r->tree, row);
  }
  int32_t *rows = take_pool(r, count);
  memcpy(rows, scratch, (size_t) count * sizeof *rows);
  dpt_tick(r->ctx, 10 * count);
  const column kept = {rows, count};
  return kept;
}

static int32_t largest(const int32_t *rows, ptrdiff_t count) {
  int32_t most = -1;
  for (ptrdiff_t i = 0; i < count; i++)
    if (rows[i] > most) most = rows[i];
  return most;
}

void dpt_grid_reduce(dpt_ctx *ctx, const dpt_grid_matrix *matrix, int32_t *pivot_of) {
  reducer r = {.ctx = ctx};
  open_tree(ctx, &r.tree, matrix->rows);
  int32_t *scratch = DPT_NEW(ctx, int32_t, matrix->rows);
  r.owner = DPT_NEW(ctx, column, matrix->rows);
  for (ptrdiff_t i = 0; i < matrix->rows; i++) r.owner[i].rows = NULL;
  for (ptrdiff_t j = 0; j < matrix->columns; j++) {
    column own = {matrix->row + matrix->start[j], matrix->start[j + 1] - matrix->start[j]};
    int32_t pivot = largest(own.rows, own.count);
    if (pivot >= 0 && r.owner[pivot].rows) {
      add_rows(&r, own.rows, own.count);
      while (pivot >= 0 && r.owner[pivot].rows) {
        add_rows(&r, r.owner[pivot].rows, r.owner[pivot].count);
        pivot = last_row(&r.tree);
      }
      if (pivot >= 0) own = keep_column(&r, matrix->rows, scratch);
    }
    if (pivot >= 0) r.owner[pivot] = own;
    pivot_of[j] = pivot;
    dpt_tick(ctx, 20);
  }
}
