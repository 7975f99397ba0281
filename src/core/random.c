/* random.c - the random sources and the elementary draws.
 *
 * A release draws from the operating system: 256 bytes at a time, wiped as they are handed out. The buffer lives in
 * the context of one call, so a fork or a saved session never sees it twice. If the system gives no entropy the call
 * fails; there is no fallback.
 *
 * rng = "R" gives reproducible research runs: the boundary draws a 256-bit key from R and the kernel runs
 * xoshiro256++ (Blackman and Vigna 2021), keyed through splitmix64. R's own generator is never open in a kernel. */
#if !defined(_WIN32) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* getentropy() under a strict -std */
#endif
#include "core.h"

#include <math.h>
#include <string.h>

#if defined(_WIN32)
#include <windows.h>
/* bcrypt.h needs windows.h first */
#include <bcrypt.h>
#elif defined(__APPLE__)
#include <sys/random.h>
#else
#include <sys/random.h>
#include <unistd.h>
#endif

static bool system_entropy(unsigned char *bytes, size_t count) {
#if defined(_WIN32)
  return BCryptGenRandom(NULL, bytes, (ULONG) count, BCRYPT_USE_SYSTEM_PREFERRED_RNG) == 0;
#else
  return getentropy(bytes, count) == 0;
#endif
}

/* memset() that the compiler may not leave out */
static void wipe(void *memory, size_t bytes) {
  volatile unsigned char *byte = memory;
  while (bytes--) *byte++ = 0;
}

void dpt_random_init(dpt_random *random) {
  memset(random, 0, sizeof *random);
  random->kind = DPT_RANDOM_NONE;
  random->used = DPT_RANDOM_BUFFER;
}

void dpt_random_open_system(dpt_random *random) {
  dpt_random_init(random);
  random->kind = DPT_RANDOM_SYSTEM;
}

static uint64_t splitmix(uint64_t *state) {
  uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

void dpt_random_open_keyed(dpt_random *random, const uint64_t key[4]) {
  dpt_random_init(random);
  random->kind = DPT_RANDOM_KEYED;
  /* each word of the state depends on all words of the key, and the state is never all zero */
  uint64_t mixer = 0;
  for (int i = 0; i < 4; i++) {
    mixer ^= key[i];
    random->state[i] = splitmix(&mixer);
  }
  for (int i = 0; i < 4; i++) random->state[i] ^= splitmix(&mixer);
  if (!(random->state[0] | random->state[1] | random->state[2] | random->state[3])) random->state[0] = 1;
}

void dpt_random_close(dpt_random *random) {
  wipe(random, sizeof *random);
  random->kind = DPT_RANDOM_NONE;
  random->used = DPT_RANDOM_BUFFER;
}

static uint64_t rotate_left(uint64_t x, int by) { return (x << by) | (x >> (64 - by)); }

static uint64_t xoshiro_next(uint64_t *s) {
  uint64_t result = rotate_left(s[0] + s[3], 23) + s[0];
  uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotate_left(s[3], 45);
  return result;
}

bool dpt_random_next(dpt_random *random, uint64_t *bits) {
  if (random->kind == DPT_RANDOM_KEYED) {
    *bits = xoshiro_next(random->state);
    return true;
  }
  if (random->kind != DPT_RANDOM_SYSTEM) return false;
  if (random->used + sizeof *bits > DPT_RANDOM_BUFFER) {
    if (!system_entropy(random->buffer, DPT_RANDOM_BUFFER)) return false;
    random->used = 0;
  }
  memcpy(bits, random->buffer + random->used, sizeof *bits);
  wipe(random->buffer + random->used, sizeof *bits);
  random->used += sizeof *bits;
  return true;
}

uint64_t dpt_random_bits(dpt_ctx *ctx) {
  uint64_t bits = 0;
  if (!dpt_random_next(&ctx->random, &bits))
    dpt_escape(ctx, DPT_ERROR_ENTROPY, "the operating system gave no entropy; nothing was released");
  return bits;
}

/* 1 to 64 bits. Entropy is most of the cost of a draw, so a word is shared out among small draws; what is left of it
 * is dropped when it cannot serve the next. */
static uint64_t random_few(dpt_ctx *ctx, int count) {
  dpt_random *random = &ctx->random;
  if (count == 64) return dpt_random_bits(ctx);
  if (random->pooled < count) {
    random->pool = dpt_random_bits(ctx);
    random->pooled = 64;
  }
  uint64_t bits = random->pool & ((UINT64_C(1) << count) - 1);
  random->pool >>= count;
  random->pooled -= count;
  return bits;
}

bool dpt_random_bit(dpt_ctx *ctx) { return random_few(ctx, 1); }

double dpt_random_unit(dpt_ctx *ctx) {
  /* the centers of 2^52 cells: 0.5 + integer is exact below 2^53 */
  return ((double) (dpt_random_bits(ctx) >> 12) + 0.5) * 0x1p-52;
}

/* As many bits as bound - 1 has, until they are below the bound: less than two tries on average. */
uint64_t dpt_random_below(dpt_ctx *ctx, uint64_t bound) {
  if (bound <= 1) return 0;
  int bits = 0;
  for (uint64_t rest = bound - 1; rest; rest >>= 1) bits++;
  uint64_t drawn;
  do drawn = random_few(ctx, bits);
  while (drawn >= bound);
  return drawn;
}

double dpt_random_between(dpt_ctx *ctx, double lower, double upper) {
  double x = lower + (upper - lower) * dpt_random_unit(ctx);
  return x < lower ? lower : (x > upper ? upper : x);
}

double dpt_random_exponential(dpt_ctx *ctx) { return -log(dpt_random_unit(ctx)); }

double dpt_random_normal(dpt_ctx *ctx) {
  dpt_random *random = &ctx->random;
  if (random->spare_is_set) {
    random->spare_is_set = false;
    return random->spare;
  }
  double x, y, square;
  do {
    x = 2 * dpt_random_unit(ctx) - 1;
    y = 2 * dpt_random_unit(ctx) - 1;
    square = x * x + y * y;
  } while (square >= 1 || square == 0);
  double scale = sqrt(-2 * log(square) / square);
  random->spare = y * scale;
  random->spare_is_set = true;
  return x * scale;
}
