/* publish-counts.c - joint counts of coded columns, many sets of columns (scopes) at once.
 *
 * A scope is counted in chunks of rows that stay in the first cache: column by column the chunk's codes turn into the
 * numbers of cells, and then these are counted. Scopes are counted in batches whose tables fit a cache together.
 * Threads share the scopes of a batch if the work takes about 10 ms or more (less work is done before a thread is
 * awake). Codes have 16 bits, so that all columns of 10^5 rows fit the second cache and are read from memory once, for
 * any number of scopes. Cost: O(rows x columns of the scope + cells) for each scope.
 *
 * Counting itself is the limit: 84 sets of three of nine columns of 45,222 rows take about 5 ms on one thread, 1.3 ns
 * per row and set (7 ns if cells are computed without vectors). Consecutive rows in one cell wait for each other, so
 * rows take turns in four tables if these fit the first cache together. This takes 5.5 ms instead of 11 if most rows
 * share a cell, and makes no difference otherwise. All times were measured beside other work.
 *
 * Rows with weights (base-people.h) are added to the counts themselves, because sums of weights need more than the 32
 * bits of a table of rows. Not tried: separate tables that weighted rows take in turn, and leaving out rows of weight
 * zero.
 *
 * Also not tried: keeping the cells of the first columns for the next scope, and summing tables from one table of many
 * columns.
 *
 * No row is counted twice and sums are integers, so that nothing depends on the number of threads. */
#include "publish-counts.h"

#include <string.h>

#include "base-simd.h"

enum { CHUNK = 2048, BATCH = 256, BLOCK = 1 << 20, LANES = 4, LANE_CELLS = 2048 };

static const ptrdiff_t BATCH_CELLS = 1 << 20;

/* Waking a thread takes as long as counting some thousand rows, and longer if its core is busy. */
static const ptrdiff_t TOGETHER = 10000000;

static int lanes_of(const dpt_scope *scope) { return scope->cells <= LANE_CELLS ? LANES : 1; }

static void add_cells(const uint32_t *cell, int count, int lanes, ptrdiff_t cells, uint32_t *number) {
  int i = 0;
  if (lanes == LANES) {
    for (; i + LANES <= count; i += LANES) {
      number[cell[i]]++;
      number[cells + cell[i + 1]]++;
      number[2 * cells + cell[i + 2]]++;
      number[3 * cells + cell[i + 3]]++;
    }
  }
  for (; i < count; i++) number[cell[i]]++;
}

/* Adds weights to counts, integers that stay below 2^53. */
static void add_weights(const uint32_t *cell, int count, const int32_t *weight, double *number) {
  for (int i = 0; i < count; i++) number[cell[i]] += (double) weight[i];
}

/* `number`: counts of rows without weights. */
static void count_block(const dpt_codes *codes, const dpt_scope *scope, ptrdiff_t from, ptrdiff_t to,
                        uint32_t *number) {
  uint32_t cell[CHUNK];
  for (ptrdiff_t first = from; first < to; first += CHUNK) {
    const int count = to - first < CHUNK ? (int) (to - first) : CHUNK;
    uint32_t stride = 1;
    memset(cell, 0, (size_t) count * sizeof *cell);
    for (int j = 0; j < scope->count; j++) {
      const uint16_t *code = codes->code + scope->column[j] * codes->rows + first;
      DPT_SIMD("omp simd")
      for (int i = 0; i < count; i++) cell[i] += stride * code[i];
      stride *= (uint32_t) codes->size[scope->column[j]];
    }
    if (codes->weight) add_weights(cell, count, codes->weight + first, scope->number);
    else add_cells(cell, count, lanes_of(scope), scope->cells, number);
  }
}

/* Returns the number of scopes, at least one, that are counted together. */
static ptrdiff_t batch_size(const dpt_scope *scopes, ptrdiff_t count, ptrdiff_t *cells) {
  ptrdiff_t many = 0;
  *cells = 0;
  while (many < count && many < BATCH &&
         (many == 0 || *cells + lanes_of(scopes + many) * scopes[many].cells <= BATCH_CELLS)) {
    *cells += lanes_of(scopes + many) * scopes[many].cells;
    many++;
  }
  return many;
}

static void add_lanes(const dpt_scope *scope, const uint32_t *number) {
  for (ptrdiff_t i = 0; i < scope->cells; i++) {
    double sum = 0;
    for (int lane = 0; lane < lanes_of(scope); lane++) sum += (double) number[lane * scope->cells + i];
    scope->number[i] = sum;
  }
}

static void count_batch(dpt_ctx *ctx, const dpt_codes *codes, const dpt_scope *scopes, ptrdiff_t count,
                        ptrdiff_t cells) {
  const dpt_arena_mark here = dpt_arena_here(&ctx->arena);
  uint32_t *number = DPT_NEW(ctx, uint32_t, cells);
  uint32_t *table[BATCH];
  int64_t width = 0;
  memset(number, 0, (size_t) cells * sizeof *number);
  for (ptrdiff_t s = 0; s < count; s++) {
    for (ptrdiff_t i = 0; codes->weight && i < scopes[s].cells; i++) scopes[s].number[i] = 0;
    table[s] = s == 0 ? number : table[s - 1] + lanes_of(scopes + s - 1) * scopes[s - 1].cells;
    width += scopes[s].count + 3;
  }
  const ptrdiff_t block = BLOCK / count > CHUNK ? BLOCK / count : CHUNK;
  const bool together = ctx->threads > 1 && count > 1 && codes->rows > TOGETHER / count;
  (void) together; /* only used by OpenMP */
  for (ptrdiff_t from = 0; from < codes->rows; from += block) {
    const ptrdiff_t to = codes->rows - from < block ? codes->rows : from + block;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads(ctx->threads) if (together)
#endif
    for (ptrdiff_t s = 0; s < count; s++) count_block(codes, scopes + s, from, to, table[s]);
    dpt_tick(ctx, width * (to - from) / 2);
  }
  for (ptrdiff_t s = 0; !codes->weight && s < count; s++) add_lanes(scopes + s, table[s]);
  dpt_tick(ctx, cells);
  dpt_arena_release(&ctx->arena, here);
}

void dpt_scopes_count(dpt_ctx *ctx, const dpt_codes *codes, dpt_scope *scopes, ptrdiff_t count) {
  for (ptrdiff_t done = 0; done < count;) {
    ptrdiff_t cells;
    const ptrdiff_t many = batch_size(scopes + done, count - done, &cells);
    count_batch(ctx, codes, scopes + done, many, cells);
    done += many;
    ctx->fraction = (double) done / (double) count;
  }
}
