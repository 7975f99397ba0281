/* base-chacha.c - ChaCha20 as a source of random words (Bernstein 2008; RFC 8439, section 2.4).
 *
 * Reason for a cipher: the operating system gives 0.3 GB of entropy per second, and a graph of 100,000 vertices
 * takes 3.5 GB. The cipher expands one key of that entropy, made for this call alone. Most operating systems use the
 * same cipher for their own entropy. Streams with different nonces share only the key, so parts of one release may
 * be drawn in any order and by any thread.
 *
 * Eight blocks are made side by side, one in each lane of a vector: 1.7 cycles per byte with AVX2, 2.7 without. The
 * resulting words have to be transposed from lanes into blocks, which costs a tenth of the time. Rejected: rounds on
 * the rows of one block (three shuffles for four operations), and fewer than 20 rounds (enough by all that is known,
 * but not a standard). */
#include "base-chacha.h"

#include <string.h>

#include "base-draws.h"

#ifndef _WIN32
#include <sys/types.h>
#include <unistd.h>
#endif

static int64_t this_process(void) {
#ifdef _WIN32 /* fork does not exist here */
  return 0;
#else
  return (int64_t) getpid();
#endif
}

void dpt_chacha_open(dpt_ctx *ctx) {
  for (int i = 0; i < 4; i++) {
    uint64_t bits = dpt_draw_bits(ctx);
    ctx->random.cipher[2 * i] = (uint32_t) bits;
    ctx->random.cipher[2 * i + 1] = (uint32_t) (bits >> 32);
  }
  ctx->random.process = this_process();
}

void dpt_chacha_check(dpt_ctx *ctx) {
  if (ctx->random.process != this_process())
    dpt_escape(ctx, DPT_ERROR_ENTROPY, "the process was forked while it drew; nothing was released");
}

/* The first row of the state, "expand 32-byte k". */
static const uint32_t constants[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};

#define ROTATE(x, by) (((x) << (by)) | ((x) >> (32 - (by))))
#define QUARTER(a, b, c, d)                                                                                            \
  do {                                                                                                                 \
    a += b, d ^= a, d = ROTATE(d, 16);                                                                                 \
    c += d, b ^= c, b = ROTATE(b, 12);                                                                                 \
    a += b, d ^= a, d = ROTATE(d, 8);                                                                                  \
    c += d, b ^= c, b = ROTATE(b, 7);                                                                                  \
  } while (0)
/* Applies to a state of numbers or of vectors: columns first, then diagonals. */
#define TWO_ROUNDS(x)                                                                                                  \
  do {                                                                                                                 \
    QUARTER(x[0], x[4], x[8], x[12]);                                                                                  \
    QUARTER(x[1], x[5], x[9], x[13]);                                                                                  \
    QUARTER(x[2], x[6], x[10], x[14]);                                                                                 \
    QUARTER(x[3], x[7], x[11], x[15]);                                                                                 \
    QUARTER(x[0], x[5], x[10], x[15]);                                                                                 \
    QUARTER(x[1], x[6], x[11], x[12]);                                                                                 \
    QUARTER(x[2], x[7], x[8], x[13]);                                                                                  \
    QUARTER(x[3], x[4], x[9], x[14]);                                                                                  \
  } while (0)

enum { ROUNDS = 20 };

static void start_state(const uint32_t key[8], const uint32_t nonce[3], uint32_t counter, uint32_t state[16]) {
  memcpy(state, constants, sizeof constants);
  memcpy(state + 4, key, 8 * sizeof *key);
  state[12] = counter;
  memcpy(state + 13, nonce, 3 * sizeof *nonce);
}

void dpt_chacha_fill_slowly(const uint32_t key[8], const uint32_t nonce[3], uint32_t counter, ptrdiff_t blocks,
                            uint64_t *words) {
  uint32_t first[16], x[16];
  start_state(key, nonce, counter, first);
  for (ptrdiff_t block = 0; block < blocks; block++, first[12]++, words += DPT_CHACHA_WORDS) {
    memcpy(x, first, sizeof x);
    for (int round = 0; round < ROUNDS; round += 2) TWO_ROUNDS(x);
    for (int k = 0; k < DPT_CHACHA_WORDS; k++)
      words[k] = (uint64_t) (x[2 * k] + first[2 * k]) | (uint64_t) (x[2 * k + 1] + first[2 * k + 1]) << 32;
  }
}

/* If vectors of the machine are shorter, the compiler splits these. */
typedef uint32_t lanes __attribute__((vector_size(4 * DPT_CHACHA_WIDE), may_alias));

__attribute__((always_inline)) static inline void fill_wide(const uint32_t first[16], uint64_t *words) {
  lanes start[16], x[16];
  for (int i = 0; i < 16; i++) start[i] = (lanes){0} + first[i];
  start[12] += (lanes){0, 1, 2, 3, 4, 5, 6, 7};
  for (int i = 0; i < 16; i++) x[i] = start[i];
  for (int round = 0; round < ROUNDS; round += 2) TWO_ROUNDS(x);
  uint32_t turned[16][DPT_CHACHA_WIDE];
  for (int i = 0; i < 16; i++) {
    x[i] += start[i];
    memcpy(turned[i], &x[i], sizeof x[i]);
  }
  for (int block = 0; block < DPT_CHACHA_WIDE; block++)
    for (int k = 0; k < DPT_CHACHA_WORDS; k++)
      words[block * DPT_CHACHA_WORDS + k] = (uint64_t) turned[2 * k][block] | (uint64_t) turned[2 * k + 1][block] << 32;
}

static void fill_any(const uint32_t first[16], uint64_t *words) { fill_wide(first, words); }

#if defined(__x86_64__) && !defined(_WIN32) /* Windows aligns the stack to half of such a vector */
__attribute__((target("avx2"))) static void fill_long(const uint32_t first[16], uint64_t *words) {
  fill_wide(first, words);
}

static bool has_long_vectors(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2");
}
#else
#define fill_long fill_any
static bool has_long_vectors(void) { return false; }
#endif

void dpt_chacha_fill(const uint32_t key[8], const uint32_t nonce[3], uint32_t counter, ptrdiff_t blocks,
                     uint64_t *words) {
  uint32_t first[16];
  start_state(key, nonce, counter, first);
  void (*fill)(const uint32_t[16], uint64_t *) = has_long_vectors() ? fill_long : fill_any;
  for (; blocks >= DPT_CHACHA_WIDE; blocks -= DPT_CHACHA_WIDE, words += DPT_CHACHA_WIDE * DPT_CHACHA_WORDS) {
    fill(first, words);
    first[12] += DPT_CHACHA_WIDE;
  }
  dpt_chacha_fill_slowly(key, nonce, first[12], blocks, words);
}
