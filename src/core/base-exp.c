/* base-exp.c - many exponentials at once.
 *
 * x is the sum of a multiple n of log(2) and a rest of at most log(2) / 2. For the rest, fourteen terms of the
 * series give all digits except the last or two. 2^n is assembled from its bits. Four numbers are computed side by
 * side, in longer vectors if the processor has them: about a nanosecond per number, compared with five to ten for
 * the library's function. The digits may differ between processors. Use it only for computations from releases,
 * never on the way to one. */
#include "base-exp.h"

#include <stdint.h>
#include <string.h>

typedef double four __attribute__((vector_size(32), aligned(8), may_alias));
typedef uint64_t four_bits __attribute__((vector_size(32), aligned(8), may_alias));

#define INTO __attribute__((always_inline))

INTO static inline void exponentiate(four *at) {
  const double round = 0x1.8p52; /* adding it to a number below 2^51 rounds the number into the last digits */
  static const double term[] = {
      1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720,
      1.0 / 120,       1.0 / 24,       1.0 / 6,       0.5,          1.0,         1.0};
  const four x = *at, shifted = x * 0x1.71547652b82fep0 + round, n = shifted - round;
  const four left = (x - n * 0x1.62e42fefa38p-1) - n * 0x1.ef35793c7673p-45;
  four series = {1.0 / 6227020800, 1.0 / 6227020800, 1.0 / 6227020800, 1.0 / 6227020800};
  for (int i = 0; i < 13; i++) series = series * left + term[i];
  /* Far below the smallest exponent the sum has no meaning, and is masked. */
  four_bits bits = (four_bits) series + (four_bits) ((four_bits) shifted << 52);
  bits &= (four_bits) (x > -700.0);
  *at = (four) bits;
}

INTO static inline void run(ptrdiff_t count, double *x) {
  ptrdiff_t i = 0;
  for (; i + 4 <= count; i += 4) exponentiate((four *) (x + i));
  if (i == count) return;
  double rest[4] = {0, 0, 0, 0};
  memcpy(rest, x + i, (size_t) (count - i) * sizeof *x);
  exponentiate((four *) rest);
  memcpy(x + i, rest, (size_t) (count - i) * sizeof *x);
}

#if defined(__x86_64__) && !defined(_WIN32) /* Windows aligns the stack to half of such a vector */
__attribute__((target("avx2,fma"))) static void run_long(ptrdiff_t count, double *x) { run(count, x); }

void dpt_exp_below(ptrdiff_t count, double *x) {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) run_long(count, x);
  else run(count, x);
}
#else
void dpt_exp_below(ptrdiff_t count, double *x) { run(count, x); }
#endif
