/* graph-response.c - randomized response of edgeFlip and laplaceFlip (Karwa, Krivitsky and Slavkovic 2017;
 * Vishwanath and Hehir), exact for a probability of 128 binary digits. Proof: inst/proofs/graph-response.md.
 *
 * Many pairs flipped: the digits of U decide U < p, for 64 pairs in a word. Five planes of random words decide all
 * but one pair in 32. The others take their further digits 16 at a time: 5.5 random bits per pair. (Two would
 * suffice in theory. Word by word until all 64 are decided takes 7.3, digits of 32 bits take 6.) A tile of 4,096
 * pairs has its own stream, so threads share nothing and do not change the result. 0.8 ns per pair and core with
 * AVX2, two thirds of it for the cipher.
 *
 * Few pairs flipped: from candidate to candidate by exact geometric gaps, about 400 ns each, from the system's
 * entropy. The caller chooses the algorithm, from p alone. */
#include "graph-response.h"

#include <math.h>
#include <string.h>

#include "base-bits.h"
#include "base-chacha.h"
#include "base-draws.h"
#include "graph-bits.h"
#include "privacy-noise.h"

/* ---- many pairs flipped -------------------------------------------------------------------------------------- */

enum {
  PLANES = 5, /* decided for 64 pairs at a time */
  PIECE = 16, /* binary digits that an undecided pair takes at a time */
  PIECES = 8, /* 5 + 8 x 16 = 133 digits are enough for 128 */
  FIRST = 40, /* blocks of the cipher that hold the planes of a tile; pieces come eight blocks at a time, 256 of them */
  TILES = 256,       /* tiles flipped between ticks by one thread */
  MANY_TILES = 4096, /* tiles flipped between ticks by several threads, which wait for each other at the end */
  CHUNK = 64
};

/* The digits of p, arranged for the comparisons. */
typedef struct {
  uint64_t plane[PLANES]; /* all ones where the digit is 1 */
  uint32_t piece[PIECES];
} digits;

static digits cut(dpt_fraction p) {
  digits cut;
  for (int k = 0; k < PLANES; k++) cut.plane[k] = -(p.high >> (63 - k) & 1);
  const uint64_t high = p.high << PLANES | p.low >> (64 - PLANES), low = p.low << PLANES;
  for (int k = 0; k < PIECES; k++) cut.piece[k] = (uint32_t) ((k < 4 ? high : low) >> (48 - k % 4 * PIECE)) & 0xffff;
  return cut;
}

/* The random words of one tile. */
typedef struct {
  const uint32_t *key;
  uint32_t nonce[3], counter;
  int word, shift; /* of the next piece */
  int end;         /* number of words */
  uint64_t at[FIRST * DPT_CHACHA_WORDS];
} stream;

static void open_stream(stream *random, const uint32_t *key, uint64_t tile) {
  random->key = key;
  random->nonce[0] = (uint32_t) tile;
  random->nonce[1] = (uint32_t) (tile >> 32);
  random->nonce[2] = 0;
  random->counter = FIRST;
  random->word = PLANES * DPT_GRAPH_TILE;
  random->shift = 0;
  random->end = FIRST * DPT_CHACHA_WORDS;
  dpt_chacha_fill(key, random->nonce, 0, FIRST, random->at);
}

static uint32_t next_piece(stream *random) {
  if (random->word == random->end) {
    dpt_chacha_fill(random->key, random->nonce, random->counter, DPT_CHACHA_WIDE, random->at);
    random->counter += DPT_CHACHA_WIDE;
    random->word = 0;
    random->end = DPT_CHACHA_WIDE * DPT_CHACHA_WORDS;
  }
  const uint32_t piece = (uint32_t) (random->at[random->word] >> random->shift) & 0xffff;
  random->shift = (random->shift + PIECE) % 64;
  random->word += random->shift == 0;
  return piece;
}

static bool is_below(stream *random, const digits *p) {
  for (int k = 0; k < PIECES; k++) {
    const uint32_t piece = next_piece(random);
    if (piece != p->piece[k]) return piece < p->piece[k];
  }
  return false;
}

/* `pair`: in each row, the bits that belong to pairs. */
static void draw_tile(stream *random, const digits *p, const uint64_t pair[DPT_GRAPH_TILE],
                      uint64_t flip[DPT_GRAPH_TILE]) {
  uint64_t open[DPT_GRAPH_TILE];
  for (int row = 0; row < DPT_GRAPH_TILE; row++) {
    uint64_t randomized = 0, undecided = pair[row];
    for (int k = 0; k < PLANES; k++) {
      const uint64_t differs = random->at[k * DPT_GRAPH_TILE + row] ^ p->plane[k];
      randomized |= undecided & differs & p->plane[k];
      undecided &= ~differs;
    }
    flip[row] = randomized;
    open[row] = undecided;
  }
  for (int row = 0; row < DPT_GRAPH_TILE; row++)
    for (uint64_t undecided = open[row]; undecided; undecided &= undecided - 1)
      if (is_below(random, p)) flip[row] |= undecided & -undecided;
}

/* The panel of a tile. The first guess is off by one at most. */
static ptrdiff_t tile_panel(ptrdiff_t tile) {
  ptrdiff_t panel = (ptrdiff_t) ((sqrt(8.0 * (double) tile + 1) - 1) / 2);
  while (panel * (panel + 1) / 2 > tile) panel--;
  while ((panel + 1) * (panel + 2) / 2 <= tile) panel++;
  return panel;
}

static void flip_tile(const uint32_t *key, ptrdiff_t n, const digits *p, ptrdiff_t tile, unsigned char *bits) {
  const ptrdiff_t panel = tile_panel(tile), first = (tile - panel * (panel + 1) / 2) * DPT_GRAPH_TILE;
  uint64_t pair[DPT_GRAPH_TILE], flip[DPT_GRAPH_TILE];
  stream random;
  for (int row = 0; row < DPT_GRAPH_TILE; row++) pair[row] = dpt_graph_bits_mask(n, panel, first + row);
  open_stream(&random, key, (uint64_t) tile);
  draw_tile(&random, p, pair, flip);
  for (int row = 0; row < DPT_GRAPH_TILE; row++) {
    const ptrdiff_t word = tile * DPT_GRAPH_TILE + row;
    dpt_graph_bits_store(bits, word, dpt_graph_bits_load(bits, word) ^ flip[row]);
  }
}

void dpt_graph_randomize_bits(dpt_ctx *ctx, ptrdiff_t n, dpt_fraction p, unsigned char *bits) {
  const digits cut_p = cut(p);
  const ptrdiff_t tiles = dpt_graph_bits_tiles(n);
  const uint32_t *key = ctx->random.cipher;
  const ptrdiff_t step = ctx->threads > 1 ? MANY_TILES : TILES;
  for (ptrdiff_t from = 0; from < tiles; from += step) {
    const ptrdiff_t to = from + step < tiles ? from + step : tiles;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, CHUNK) num_threads(ctx->threads) if (step == MANY_TILES && to - from > CHUNK)
#endif
    for (ptrdiff_t tile = from; tile < to; tile++) flip_tile(key, n, &cut_p, tile, bits);
    ctx->fraction = (double) to / (double) tiles;
    dpt_tick(ctx, (to - from) * 4000);
    dpt_chacha_check(ctx);
  }
}

/* ---- lists --------------------------------------------------------------------------------------------------- */

enum { TICK_ITEMS = 4096 };

/* Sorts by the bytes of the numbers, the lowest first, up to the highest byte in use. */
static void sort_numbers(dpt_ctx *ctx, uint64_t *at, ptrdiff_t count, uint64_t most) {
  uint64_t *from = at, *to = DPT_NEW(ctx, uint64_t, count);
  for (int shift = 0; shift < 64 && most >> shift; shift += 8) {
    ptrdiff_t place[256] = {0}, before = 0;
    for (ptrdiff_t i = 0; i < count; i++) place[from[i] >> shift & 255]++;
    for (int byte = 0; byte < 256; byte++) {
      const ptrdiff_t here = place[byte];
      place[byte] = before;
      before += here;
    }
    for (ptrdiff_t i = 0; i < count; i++) {
      to[place[from[i] >> shift & 255]++] = from[i];
      if (i % TICK_ITEMS == 0) dpt_tick(ctx, TICK_ITEMS * 5);
    }
    uint64_t *other = from;
    from = to;
    to = other;
  }
  if (from != at) memcpy(at, from, (size_t) count * sizeof *at);
}

static ptrdiff_t keep_distinct(uint64_t *at, ptrdiff_t count) {
  ptrdiff_t kept = 0;
  for (ptrdiff_t i = 0; i < count; i++)
    if (i == 0 || at[i] != at[i - 1]) at[kept++] = at[i];
  return kept;
}

dpt_pairs dpt_graph_sort(dpt_ctx *ctx, ptrdiff_t n, const int *from, const int *to, ptrdiff_t count) {
  dpt_pairs pairs = {DPT_NEW(ctx, uint64_t, count), 0};
  for (ptrdiff_t k = 0; k < count; k++) {
    const int i = from[k] < to[k] ? from[k] : to[k], j = from[k] < to[k] ? to[k] : from[k];
    if (i >= 1 && i < j && j <= n) pairs.at[pairs.count++] = dpt_graph_pair_number((uint64_t) i - 1, (uint64_t) j - 1);
    if (k % TICK_ITEMS == 0) dpt_tick(ctx, TICK_ITEMS * 3);
  }
  sort_numbers(ctx, pairs.at, pairs.count, n > 1 ? dpt_graph_pair_number((uint64_t) n - 2, (uint64_t) n - 1) : 0);
  pairs.count = keep_distinct(pairs.at, pairs.count);
  return pairs;
}

dpt_pairs dpt_graph_merge(dpt_ctx *ctx, dpt_pairs a, dpt_pairs b) {
  dpt_pairs merged = {DPT_NEW(ctx, uint64_t, a.count + b.count), 0};
  ptrdiff_t i = 0, j = 0;
  while (i < a.count || j < b.count) {
    if (j == b.count || (i < a.count && a.at[i] < b.at[j])) merged.at[merged.count++] = a.at[i++];
    else if (i == a.count || b.at[j] < a.at[i]) merged.at[merged.count++] = b.at[j++];
    else i++, j++;
    if ((i + j) % TICK_ITEMS == 0) dpt_tick(ctx, TICK_ITEMS * 5);
  }
  return merged;
}

/* The largest j with j (j - 1) / 2 <= number. The first guess is off by a few at most. */
static uint64_t pair_column(uint64_t number) {
  uint64_t j = (uint64_t) ((1 + sqrt(8 * (double) number + 1)) / 2);
  while (j * (j - 1) / 2 > number) j--;
  while (j * (j + 1) / 2 <= number) j++;
  return j;
}

void dpt_graph_split(dpt_ctx *ctx, dpt_pairs pairs, int *from, int *to) {
  for (ptrdiff_t k = 0; k < pairs.count; k++) {
    const uint64_t j = pair_column(pairs.at[k]);
    from[k] = (int) (pairs.at[k] - j * (j - 1) / 2 + 1);
    to[k] = (int) (j + 1);
    if (k % TICK_ITEMS == 0) dpt_tick(ctx, TICK_ITEMS * 10);
  }
}

/* ---- few pairs flipped --------------------------------------------------------------------------------------- */

static bool is_accepted(dpt_ctx *ctx, dpt_fraction p) {
  uint64_t bits = dpt_draw_bits(ctx);
  if (bits != p.high) return bits < p.high;
  return dpt_draw_bits(ctx) < p.low;
}

/* Draws the number of pairs before the next candidate, if each is a candidate with probability 1 - exp(-2^-m), or
 * any number above `most`. */
static uint64_t draw_gap(dpt_ctx *ctx, int m, uint64_t most) {
  uint64_t u, v = 0;
  do u = dpt_draw_below(ctx, UINT64_C(1) << m);
  while (!dpt_draw_bernoulli_exp(ctx, ldexp((double) u, -m)));
  while (v <= most >> m && dpt_draw_bernoulli_exp(ctx, 1)) v++;
  return u + (v << m);
}

static void add_pair(dpt_ctx *ctx, dpt_pairs *pairs, ptrdiff_t *room, uint64_t number) {
  if (pairs->count == *room) {
    uint64_t *larger = DPT_NEW(ctx, uint64_t, 2 * *room);
    memcpy(larger, pairs->at, (size_t) pairs->count * sizeof *larger);
    pairs->at = larger;
    *room *= 2;
  }
  pairs->at[pairs->count++] = number;
}

dpt_pairs dpt_graph_draw_response(dpt_ctx *ctx, ptrdiff_t n, dpt_graph_skip skip) {
  ptrdiff_t room = 1024;
  dpt_pairs response = {DPT_NEW(ctx, uint64_t, room), 0};
  const uint64_t end = n > 1 ? dpt_graph_pair_number(0, (uint64_t) n) : 0; /* number of pairs */
  for (uint64_t place = 0; place < end; place++) {
    place += draw_gap(ctx, skip.m, end);
    if (place < end && is_accepted(ctx, skip.accept)) add_pair(ctx, &response, &room, place);
    ctx->fraction = (double) (place < end ? place : end) / (double) end;
    dpt_tick(ctx, 400);
  }
  return response;
}
