/* persistence-grid-sort.c - a stable radix sort of keyed records.
 *
 * Least significant digit first, digits of 11 bits: six passes over 16-byte records, each a streaming read and 2048
 * streams of writes, about 2 ns per record and pass. All six histograms come from one reading. A digit that is the
 * same for all records costs no pass, so images with few distinct values (counts, plateaus) sort in one or two
 * passes. */
#include "persistence-grid-sort.h"

#include "persistence-grid-image.h"

enum { DIGIT_BITS = 11, DIGIT_VALUES = 1 << DIGIT_BITS, DIGITS = 6 };

static inline size_t digit_of(uint64_t key, int digit) { return (key >> (DIGIT_BITS * digit)) & (DIGIT_VALUES - 1); }

static void count_digits(dpt_ctx *ctx, const dpt_grid_record *records, ptrdiff_t count,
                         ptrdiff_t counts[DIGITS][DIGIT_VALUES]) {
  memset(counts, 0, sizeof(ptrdiff_t) * DIGITS * DIGIT_VALUES);
  for (ptrdiff_t i = 0; i < count; i++) {
    for (int digit = 0; digit < DIGITS; digit++) counts[digit][digit_of(records[i].key, digit)]++;
    if (i % DPT_GRID_CHUNK == 0) dpt_tick(ctx, 4 * DPT_GRID_CHUNK);
  }
}

static void scatter(dpt_ctx *ctx, const dpt_grid_record *from, dpt_grid_record *to, ptrdiff_t count, int digit,
                    ptrdiff_t *counts) {
  ptrdiff_t start = 0;
  for (int value = 0; value < DIGIT_VALUES; value++) {
    ptrdiff_t here = counts[value];
    counts[value] = start;
    start += here;
  }
  for (ptrdiff_t i = 0; i < count; i++) {
    to[counts[digit_of(from[i].key, digit)]++] = from[i];
    if (i % DPT_GRID_CHUNK == 0) dpt_tick(ctx, 4 * DPT_GRID_CHUNK);
  }
}

void dpt_grid_sort(dpt_ctx *ctx, dpt_grid_record *records, ptrdiff_t count) {
  if (count < 2) return;
  dpt_arena_mark mark = dpt_arena_here(&ctx->arena);
  ptrdiff_t(*counts)[DIGIT_VALUES] = dpt_alloc(ctx, DIGITS, sizeof *counts);
  dpt_grid_record *from = records, *to = DPT_NEW(ctx, dpt_grid_record, count);
  count_digits(ctx, records, count, counts);
  for (int digit = 0; digit < DIGITS; digit++) {
    if (counts[digit][digit_of(from[0].key, digit)] == count) continue;
    scatter(ctx, from, to, count, digit, counts[digit]);
    dpt_grid_record *swap = from;
    from = to;
    to = swap;
  }
  if (from != records) memcpy(records, from, (size_t) count * sizeof *records);
  dpt_arena_release(&ctx->arena, mark);
}
