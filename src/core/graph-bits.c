/* graph-bits.c - packed graphs from lists and matrices, and back.
 *
 * From a list: one bit per record, at a random address, which costs one cache miss per record, 30 ns. From a matrix:
 * column by column, with two reads per pair. Symmetry is checked tile by tile, because one of the two entries of a
 * pair is far from its neighbors. To a list: two passes over each panel. The first counts the edges of each column,
 * so that the list is sorted: 1 ns per word and 2 ns per edge. */
#include "graph-bits.h"

#include "base-bits.h"

static int lowest_bit(uint64_t x) { return dpt_bit_length(x & -x) - 1; }

void dpt_graph_bits_pack(dpt_ctx *ctx, ptrdiff_t n, const int *from, const int *to, ptrdiff_t count,
                         unsigned char *bits) {
  enum { CHUNK = 4096 };
  for (ptrdiff_t i = 0; i < count; i++) {
    const ptrdiff_t a = from[i], b = to[i];
    if (a >= 1 && b >= 1 && a <= n && b <= n) dpt_graph_bits_add(bits, a - 1, b - 1);
    if (i % CHUNK == 0) dpt_tick(ctx, CHUNK * 30);
  }
}

static bool is_entry(const double *real, const int *whole, ptrdiff_t at) {
  return real ? real[at] != 0 : whole[at] != 0;
}

void dpt_graph_bits_pack_matrix(dpt_ctx *ctx, ptrdiff_t n, const double *real, const int *whole, unsigned char *bits) {
  for (ptrdiff_t j = 0; j < n; j++) {
    for (ptrdiff_t i = 0; i < n; i++)
      if (is_entry(real, whole, i + j * n)) dpt_graph_bits_add(bits, i, j);
    dpt_tick(ctx, 2 * n + 100);
  }
}

static ptrdiff_t tile_end(ptrdiff_t n, ptrdiff_t first) {
  return n - first < DPT_GRAPH_TILE ? n : first + DPT_GRAPH_TILE;
}

bool dpt_graph_is_symmetric(dpt_ctx *ctx, ptrdiff_t n, const double *real, const int *whole) {
  bool symmetric = true;
  for (ptrdiff_t right = 0; right < n; right += DPT_GRAPH_TILE)
    for (ptrdiff_t top = 0; top <= right; top += DPT_GRAPH_TILE) {
      for (ptrdiff_t j = right; j < tile_end(n, right); j++)
        for (ptrdiff_t i = top; i < tile_end(n, top); i++)
          symmetric = symmetric && is_entry(real, whole, i + j * n) == is_entry(real, whole, j + i * n);
      dpt_tick(ctx, DPT_GRAPH_TILE * DPT_GRAPH_TILE);
    }
  return symmetric;
}

static bool is_one(const double *real, const int *whole, ptrdiff_t at) { return real ? real[at] == 1 : whole[at] == 1; }

bool dpt_graph_is_binary(dpt_ctx *ctx, ptrdiff_t n, const double *real, const int *whole) {
  bool binary = true;
  for (ptrdiff_t j = 0; j < n; j++) {
    for (ptrdiff_t i = 0; i < n; i++)
      binary = binary && (i == j || is_one(real, whole, i + j * n) || !is_entry(real, whole, i + j * n));
    dpt_tick(ctx, 2 * n + 100);
  }
  return binary;
}

ptrdiff_t dpt_graph_bits_count(ptrdiff_t n, const unsigned char *bits) {
  ptrdiff_t count = 0;
  for (ptrdiff_t word = 0; word < dpt_graph_bits_words(n); word++) {
    uint64_t x = dpt_graph_bits_load(bits, word);
#if defined(__GNUC__)
    count += __builtin_popcountll(x);
#else
    for (; x; x &= x - 1) count++;
#endif
  }
  return count;
}

void dpt_graph_bits_unpack(dpt_ctx *ctx, ptrdiff_t n, const unsigned char *bits, int *from, int *to) {
  ptrdiff_t done = 0, next[DPT_GRAPH_TILE];
  for (ptrdiff_t panel = 0; panel < dpt_graph_bits_panels(n); panel++) {
    const ptrdiff_t first = dpt_graph_bits_panel(panel), rows = dpt_graph_bits_rows(n, panel);
    ptrdiff_t count[DPT_GRAPH_TILE] = {0};
    for (ptrdiff_t i = 0; i < rows; i++)
      for (uint64_t x = dpt_graph_bits_load(bits, first + i) & dpt_graph_bits_mask(n, panel, i); x; x &= x - 1)
        count[lowest_bit(x)]++;
    for (int column = 0; column < DPT_GRAPH_TILE; column++) {
      next[column] = done;
      done += count[column];
    }
    for (ptrdiff_t i = 0; i < rows; i++) {
      for (uint64_t x = dpt_graph_bits_load(bits, first + i) & dpt_graph_bits_mask(n, panel, i); x; x &= x - 1) {
        const int column = lowest_bit(x);
        from[next[column]] = (int) (i + 1);
        to[next[column]++] = (int) (panel * DPT_GRAPH_TILE + column + 1);
      }
      if (i % 1024 == 0) dpt_tick(ctx, 1024 * 50);
    }
  }
}

/* Each step can be undone, for the sum and for the word, so one changed word never cancels. The shift brings changes
 * of high digits back to low ones. Without it, two changes of the highest digit would cancel. Byte by byte, as in
 * base-checksum.h, a graph of 100,000 vertices takes a second, and this a quarter of that. */
uint64_t dpt_graph_bits_digest(const unsigned char *bits, ptrdiff_t bytes) {
  uint64_t sum = UINT64_C(0xcbf29ce484222325) ^ (uint64_t) bytes;
  for (ptrdiff_t i = 0; i < bytes; i += 8) {
    uint64_t word = 0;
    if (bytes - i >= 8) word = dpt_graph_bits_load(bits, i / 8);
    else
      for (ptrdiff_t k = i; k < bytes; k++) word |= (uint64_t) bits[k] << (8 * (k - i));
    sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    sum ^= sum >> 29;
  }
  return sum;
}

bool dpt_graph_bits_are_whole(ptrdiff_t n, const unsigned char *bits) {
  uint64_t beyond = 0;
  for (ptrdiff_t panel = 0; panel < dpt_graph_bits_panels(n); panel++) {
    const ptrdiff_t first = panel * DPT_GRAPH_TILE;
    /* Rows above the last tile of a panel have no padding bits, except in the last panel. */
    for (ptrdiff_t i = panel + 1 < dpt_graph_bits_panels(n) ? first : 0; i < first + DPT_GRAPH_TILE; i++)
      beyond |= dpt_graph_bits_load(bits, dpt_graph_bits_panel(panel) + i) & ~dpt_graph_bits_mask(n, panel, i);
  }
  return beyond == 0;
}
