/* checked-math.h - frexp() and ldexp() by their definition, on the digits of a double. A subnormal result of ldexp() is
 * a fault. */
#include <string.h>

static inline uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline double with_exponent(uint64_t bits, int biased) {
  double x;
  bits = (bits & ~(UINT64_C(2047) << 52)) | (uint64_t) biased << 52;
  memcpy(&x, &bits, sizeof x);
  return x;
}

double frexp(double x, int *exponent) {
  int biased = (int) (bits_of(x) >> 52 & 2047), subnormal = 0;
  *exponent = 0;
  if (x == 0 || biased == 2047) return x;
  if (biased == 0) {
    x *= 0x1p54;
    biased = (int) (bits_of(x) >> 52 & 2047);
    subnormal = 54;
  }
  *exponent = biased - 1022 - subnormal;
  return with_exponent(bits_of(x), 1022);
}

double ldexp(double x, int power) {
  const int biased = (int) (bits_of(x) >> 52 & 2047);
  if (x == 0) return x;
  assert(biased > 0 && biased < 2047 && power > -4000 && power < 4000 && biased + power > 0 && biased + power < 2047);
  return with_exponent(bits_of(x), biased + power);
}
