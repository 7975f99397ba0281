/* base-random.c - the random sources. base-draws.c draws from them.
 *
 * A release draws from the operating system: 256 bytes at a time, wiped after use. The buffer lives in the context
 * of one call, so a fork or a saved session never uses it twice. If the system gives no entropy, the call fails
 * without a fallback.
 *
 * rng = "R" is for reproducible research: the boundary draws a 256-bit key from R, and the kernel runs xoshiro256++
 * (Blackman and Vigna 2021), keyed through splitmix64. R's own generator is never open in a kernel. */
#if !defined(_WIN32) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* getentropy() under a strict -std */
#endif
#include "base-random.h"

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

/* memset() that the compiler must not remove */
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
  /* Each word of the state depends on all words of the key, and the state is never all zero. */
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
  random->words++;
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
