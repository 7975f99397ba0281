/* graph-product.c - a packed triangle of bits, or a list of edges, times a vector.
 *
 * A panel is 64 columns. For its rows, each byte of a word selects one of the 256 sums of eight numbers of x in a
 * table: eight additions give 64 products ("four Russians"). For its columns, which are rows of the lower triangle,
 * the reverse: x[i] is added to a bucket for each byte of row i. When the panel is done, the 8 x 256 buckets are
 * folded into 64 sums. A table and its buckets stand side by side, 32 KB for all eight bytes, because the same byte
 * of the same word selects both. Cost: 16 additions per word for any bits. n = 20,000 takes less than 20 ms on one
 * core.
 *
 * Panels are dealt out to a fixed number of stripes, each with its own result, and results are added in order. The
 * sum is therefore the same for all numbers of threads. Every sum adds at most n numbers of x in some order.
 *
 * Rejected: a loop over the bits that are set (six times as long if half of all pairs are edges), and masks of
 * vector registers (not portable C, and no faster if the tables fit into the first cache). */
#include "graph-product.h"

#include <string.h>

#include "graph-bits.h"

enum {
  BYTES = 8, /* of a word */
  VALUES = 256,
  STRIPES = 8,
  ROUND = 1 << 22, /* words between two ticks */
  LIST_ROUND = 1 << 16
};

typedef struct {
  double sum;    /* sum of the numbers of x at the bits of the byte */
  double bucket; /* sum of the numbers of x at the rows that have the byte */
} entry;

/* Fills the table of sums over the bits of each byte. x has n numbers. */
static void fill_table(entry *table, const double *x, ptrdiff_t first, ptrdiff_t n) {
  for (int byte = 0; byte < BYTES; byte++, table += VALUES) {
    table[0].sum = 0;
    for (int bit = 0; bit < 8; bit++) {
      const ptrdiff_t column = first + 8 * byte + bit;
      const double here = column < n ? x[column] : 0;
      for (int low = 0; low < 1 << bit; low++) table[(1 << bit) + low].sum = table[low].sum + here;
    }
    for (int value = 0; value < VALUES; value++) table[value].bucket = 0;
  }
}

/* Each column's sum adds the buckets of the bytes that have its bit. Each step adds the upper half to the lower. */
static void fold_buckets(entry *table, double *y, ptrdiff_t first, ptrdiff_t n) {
  for (int byte = 0; byte < BYTES; byte++, table += VALUES) {
    for (int bit = 7; bit >= 0; bit--) {
      const int half = 1 << bit;
      double sum = 0;
      for (int low = 0; low < half; low++) {
        sum += table[half + low].bucket;
        table[low].bucket += table[half + low].bucket;
      }
      const ptrdiff_t column = first + 8 * byte + bit;
      if (column < n) y[column] += sum;
    }
  }
}

static void multiply_panel(entry *table, ptrdiff_t n, const unsigned char *bits, ptrdiff_t panel, const double *x,
                           double *y) {
  const ptrdiff_t first = panel * DPT_GRAPH_TILE, rows = dpt_graph_bits_rows(n, panel),
                  start = dpt_graph_bits_panel(panel);
  entry *t0 = table, *t1 = t0 + VALUES, *t2 = t1 + VALUES, *t3 = t2 + VALUES;
  entry *t4 = t3 + VALUES, *t5 = t4 + VALUES, *t6 = t5 + VALUES, *t7 = t6 + VALUES;
  fill_table(table, x, first, n);
  for (ptrdiff_t i = 0; i < rows; i++) {
    const uint64_t word = dpt_graph_bits_load(bits, start + i);
    const double here = x[i];
    entry *e0 = t0 + (word & 255), *e1 = t1 + (word >> 8 & 255), *e2 = t2 + (word >> 16 & 255),
          *e3 = t3 + (word >> 24 & 255);
    entry *e4 = t4 + (word >> 32 & 255), *e5 = t5 + (word >> 40 & 255), *e6 = t6 + (word >> 48 & 255),
          *e7 = t7 + (word >> 56);
    y[i] += ((e0->sum + e1->sum) + (e2->sum + e3->sum)) + ((e4->sum + e5->sum) + (e6->sum + e7->sum));
    e0->bucket += here;
    e1->bucket += here;
    e2->bucket += here;
    e3->bucket += here;
    e4->bucket += here;
    e5->bucket += here;
    e6->bucket += here;
    e7->bucket += here;
  }
  fold_buckets(table, y, first, n);
}

void dpt_graph_multiply_bits(dpt_ctx *ctx, ptrdiff_t n, const unsigned char *bits, const double *x, double *y) {
  const ptrdiff_t panels = dpt_graph_bits_panels(n), stripes = panels < STRIPES ? panels : STRIPES;
  entry *tables = DPT_NEW(ctx, entry, stripes * BYTES * VALUES);
  const ptrdiff_t numbers = stripes * n;
  double *sums = DPT_NEW(ctx, double, numbers);
  for (ptrdiff_t i = 0; i < numbers; i++) sums[i] = 0;
  for (ptrdiff_t from = 0, to; from < panels; from = to) {
    ptrdiff_t words = 0;
    for (to = from; to < panels && (words < ROUND || to - from < STRIPES); to++) words += dpt_graph_bits_rows(n, to);
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1) num_threads(ctx->threads) if (ctx->threads > 1 && words > 1 << 15)
#endif
    for (ptrdiff_t stripe = 0; stripe < stripes; stripe++) {
      entry *table = tables + stripe * BYTES * VALUES;
      const ptrdiff_t ahead = (stripe - from % stripes + stripes) % stripes;
      for (ptrdiff_t panel = from + ahead; panel < to; panel += stripes)
        multiply_panel(table, n, bits, panel, x, sums + stripe * n);
    }
    dpt_tick(ctx, words * 5);
  }
  for (ptrdiff_t i = 0; i < n; i++) {
    double sum = 0;
    for (ptrdiff_t stripe = 0; stripe < stripes; stripe++) sum += sums[stripe * n + i];
    y[i] = sum;
  }
}

dpt_status dpt_graph_multiply_list(dpt_ctx *ctx, ptrdiff_t n, const int *from, const int *to, ptrdiff_t count,
                                   const double *x, double *y) {
  for (ptrdiff_t i = 0; i < n; i++) y[i] = 0;
  for (ptrdiff_t edge = 0; edge < count; edge++) {
    const ptrdiff_t i = (ptrdiff_t) from[edge] - 1, j = (ptrdiff_t) to[edge] - 1;
    if (i < 0 || i >= n || j < 0 || j >= n)
      return dpt_fail(ctx, DPT_ERROR_ARGUMENT, "An end of an edge must be a vertex.");
    y[i] += x[j];
    y[j] += x[i];
    if (edge % LIST_ROUND == LIST_ROUND - 1) dpt_tick(ctx, LIST_ROUND * 5);
  }
  return DPT_OK;
}

void dpt_graph_debias(ptrdiff_t n, double flip, double contrast, const double *x, double *y) {
  double sum = 0;
  for (ptrdiff_t i = 0; i < n; i++) sum += x[i];
  for (ptrdiff_t i = 0; i < n; i++) y[i] = (y[i] - flip * (sum - x[i])) / contrast;
}
