/* graph-bits.h - an undirected graph without loops on n vertices, one bit per pair: the packed strict upper
 * triangle.
 *
 * Columns are grouped by 64: panel c holds the columns 64 c .. 64 c + 63, and one word of 64 bits for each of the
 * rows 0 .. 64 c + 63. Rows and columns count from 0. The pair {i, j}, i < j, is
 *
 *     panel  c = j / 64          word  32 c (c + 1) + i          bit  j % 64
 *
 * A word is stored as 8 bytes, the lowest bits first, on every machine. These are the bytes of a raw vector of R,
 * which may be saved on one machine and read on another. The pair {i, j} is therefore bit j % 8 of byte 8 (32 c (c +
 * 1) + i) + (j % 64) / 8.
 *
 * Bits that do not belong to a pair (i >= j, or a column from n on) are zero in every packed graph, and rows from n
 * on have no pair. A kernel may therefore count, multiply and compare entire words. 64 rows of a panel are a tile:
 * 64 words, 512 bytes, 4,096 pairs (2,016 on the diagonal). Tile (r, c), r <= c, has number c (c + 1) / 2 + r, and
 * tiles follow each other by number.
 *
 * n = 100,000 take 626 MB. Reason for panels instead of rows: a product with a vector needs 64 numbers of the vector
 * and of the result at a time for an entire panel, and each tile is flipped from one stream of random words. */
#ifndef DPT_GRAPH_BITS_H
#define DPT_GRAPH_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base-context.h"

enum { DPT_GRAPH_TILE = 64 }; /* rows and columns of a tile, and words */

/* The largest number of vertices: a vertex is an int of R, and a pair has a number below 2^61. */
#define DPT_GRAPH_MOST ((ptrdiff_t) 2147483647)

static inline ptrdiff_t dpt_graph_bits_panels(ptrdiff_t n) { return (n + DPT_GRAPH_TILE - 1) / DPT_GRAPH_TILE; }

static inline ptrdiff_t dpt_graph_bits_tiles(ptrdiff_t n) {
  ptrdiff_t panels = dpt_graph_bits_panels(n);
  return panels * (panels + 1) / 2;
}

static inline ptrdiff_t dpt_graph_bits_words(ptrdiff_t n) { return dpt_graph_bits_tiles(n) * DPT_GRAPH_TILE; }
static inline ptrdiff_t dpt_graph_bits_bytes(ptrdiff_t n) { return dpt_graph_bits_words(n) * 8; }

/* The first row of a panel. Row i of it is i words further. */
static inline ptrdiff_t dpt_graph_bits_panel(ptrdiff_t panel) { return 32 * panel * (panel + 1); }

/* Number of rows of a panel that have a pair in it. */
static inline ptrdiff_t dpt_graph_bits_rows(ptrdiff_t n, ptrdiff_t panel) {
  ptrdiff_t last = panel * DPT_GRAPH_TILE + DPT_GRAPH_TILE - 1; /* column */
  return last < n ? last : (n > 0 ? n - 1 : 0);
}

/* Mask of the bits of row i in a panel that belong to pairs: columns above i and below n. */
static inline uint64_t dpt_graph_bits_mask(ptrdiff_t n, ptrdiff_t panel, ptrdiff_t i) {
  ptrdiff_t first = panel * DPT_GRAPH_TILE, from = i + 1 - first, to = n - first;
  if (from < 0) from = 0;
  if (to > DPT_GRAPH_TILE) to = DPT_GRAPH_TILE;
  if (from >= to) return 0;
  return (~UINT64_C(0) << from) & (~UINT64_C(0) >> (DPT_GRAPH_TILE - to));
}

static inline uint64_t dpt_graph_bits_load(const unsigned char *bits, ptrdiff_t word) {
  uint64_t x;
  memcpy(&x, bits + 8 * word, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  x = __builtin_bswap64(x);
#endif
  return x;
}

static inline void dpt_graph_bits_store(unsigned char *bits, ptrdiff_t word, uint64_t x) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  x = __builtin_bswap64(x);
#endif
  memcpy(bits + 8 * word, &x, 8);
}

/* Byte of the pair {i, j}, i < j. */
static inline ptrdiff_t dpt_graph_bits_byte(ptrdiff_t i, ptrdiff_t j) {
  return 8 * (dpt_graph_bits_panel(j / DPT_GRAPH_TILE) + i) + j % DPT_GRAPH_TILE / 8;
}

static inline bool dpt_graph_bits_has(const unsigned char *bits, ptrdiff_t i, ptrdiff_t j) {
  if (i > j) return dpt_graph_bits_has(bits, j, i);
  return i != j && (bits[dpt_graph_bits_byte(i, j)] >> (j % 8) & 1);
}

static inline void dpt_graph_bits_add(unsigned char *bits, ptrdiff_t i, ptrdiff_t j) {
  if (i > j) {
    dpt_graph_bits_add(bits, j, i);
  } else if (i != j) {
    ptrdiff_t byte = dpt_graph_bits_byte(i, j);
    bits[byte] = (unsigned char) (bits[byte] | 1u << (j % 8));
  }
}

/* Adds the pairs {from, to} of a list, with vertices counted from 1. Loops and edges with an invalid endpoint add
 * nothing. */
void dpt_graph_bits_pack(dpt_ctx *ctx, ptrdiff_t n, const int *from, const int *to, ptrdiff_t count,
                         unsigned char *bits);

/* Adds the pairs with a nonzero entry in either triangle of an n x n matrix. One of `real` and `whole` is NULL. */
void dpt_graph_bits_pack_matrix(dpt_ctx *ctx, ptrdiff_t n, const double *real, const int *whole, unsigned char *bits);

/* Whether, for each pair, both entries of such a matrix are 0 or both are not. */
bool dpt_graph_is_symmetric(dpt_ctx *ctx, ptrdiff_t n, const double *real, const int *whole);

/* Whether such a matrix has only entries 0 and 1 off its diagonal. */
bool dpt_graph_is_binary(dpt_ctx *ctx, ptrdiff_t n, const double *real, const int *whole);

/* The number of edges. Then all edges, from < to, vertices from 1, sorted by `to`, then `from`. */
ptrdiff_t dpt_graph_bits_count(ptrdiff_t n, const unsigned char *bits);
void dpt_graph_bits_unpack(dpt_ctx *ctx, ptrdiff_t n, const unsigned char *bits, int *from, int *to);

/* 64 bits that detect accidental changes of any number of bytes. A change within one word is always detected, and
 * others go unnoticed with probability about 2^-64. It does not protect against forgery. The same on every machine. */
uint64_t dpt_graph_bits_digest(const unsigned char *bits, ptrdiff_t bytes);

/* Whether all bits that do not belong to a pair are zero. */
bool dpt_graph_bits_are_whole(ptrdiff_t n, const unsigned char *bits);

#endif
