/* base-bits.h - binary digits of integers. */
#ifndef DPT_BASE_BITS_H
#define DPT_BASE_BITS_H

#include <stdint.h>

/* Number of binary digits of x. Zero has none. */
static inline int dpt_bit_length(uint64_t x) {
#if defined(__GNUC__)
  return x ? 64 - __builtin_clzll(x) : 0;
#else
  int bits = 0;
  for (; x; x >>= 1) bits++;
  return bits;
#endif
}

#endif
