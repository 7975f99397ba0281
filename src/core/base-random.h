/* base-random.h - the two random sources of a call: the operating system's entropy, and a keyed generator for
 * research. */
#ifndef DPT_BASE_RANDOM_H
#define DPT_BASE_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DPT_RANDOM_BUFFER = 256 };

typedef enum { DPT_RANDOM_NONE = 0, DPT_RANDOM_SYSTEM, DPT_RANDOM_KEYED } dpt_random_kind;

typedef struct {
  dpt_random_kind kind;
  int64_t words;                           /* 64-bit words used so far */
  size_t used;                             /* bytes of the buffer already used */
  unsigned char buffer[DPT_RANDOM_BUFFER]; /* entropy, wiped after use and on close */
  uint64_t state[4];                       /* xoshiro256++ */
  uint64_t pool;                           /* rest of the last word, for draws of a few bits */
  int pooled;                              /* bits in it */
  bool spare_is_set;                       /* second normal of the polar method */
  double spare;
  uint32_t cipher[8]; /* the key of base-chacha.h */
  int64_t process;    /* process that drew it */
} dpt_random;

void dpt_random_init(dpt_random *random);
void dpt_random_open_system(dpt_random *random);
void dpt_random_open_keyed(dpt_random *random, const uint64_t key[4]);
void dpt_random_close(dpt_random *random);

/* Next 64 bits, or false if the source has none. Kernels call dpt_draw_bits() instead. */
bool dpt_random_next(dpt_random *random, uint64_t *bits);

#endif
