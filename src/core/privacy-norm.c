/* privacy-norm.c - K-norm noise for the Euclidean norm, without rounded intermediate results.
 *
 * The real vector x = v + sigma sqrt(W) g, with g a vector of D independent normals and W chi-square with D + 1
 * degrees of freedom, has a density proportional to exp(-|x - v| / sigma): sqrt(W) |g| has the Gamma distribution
 * with shape D, and the direction of g is uniform. W is twice a sum of exponentials, plus the square of one more
 * normal if D is even. So nothing is divided, and no length is multiplied by a direction. The release is the integer
 * part of x, coordinate by coordinate.
 *
 * The variates have only as many digits as were used (privacy-variate.h). Their first p digits give integers below
 * and above sqrt(W), and below and above each sigma sqrt(W) |g|. If both bounds give the same release, it is the
 * result. If they differ for one coordinate, everything is computed again with more digits. p has no limit, because
 * a limit would be an event whose probability depends on v. A second round has a probability of about 2^-61 D^1.5
 * times sigma in steps of the release. Proof: inst/proofs/privacy-norm.md.
 *
 * Cost: some 6 D words of 64 bits and 2 D products of three limbs by two: half a microsecond per coordinate, and 2
 * for the roots. The limit is the operating system's entropy (40 nanoseconds per word) and branches that depend on
 * it. Rejected: a radius and a direction (D more exponentials, and a division by a number that may be near zero);
 * discrete Gaussian noise of a random scale (its constant depends on the scale); rejection from entire shells
 * (hopeless beyond D of 10). */
#include "privacy-norm.h"

#include <math.h>

#include "base-bits.h"
#include "base-draws.h"
#include "base-long.h"
#include "privacy-variate.h"

enum { DOUBLE_DIGITS = 53 };

/* ---- the scale --------------------------------------------------------------------------------------------------- */

/* mantissa 2^exponent, exactly. */
typedef struct {
  uint64_t mantissa;
  int exponent;
} parts;

static parts parts_of(double x) {
  int exponent;
  const double fraction = frexp(x, &exponent);
  return (parts){(uint64_t) ldexp(fraction, DOUBLE_DIGITS), exponent - DOUBLE_DIGITS};
}

/* (scale epsilon)^2 >= squared? */
static bool is_enough(dpt_ctx *ctx, double scale, double epsilon, double squared) {
  const parts s = parts_of(scale), e = parts_of(epsilon), t = parts_of(squared);
  dpt_long a = {0}, b = {0}, product = {0}, square = {0};
  dpt_long_set(ctx, &a, s.mantissa);
  dpt_long_set(ctx, &b, e.mantissa);
  dpt_long_multiply(ctx, &product, &a, &b);
  dpt_long_multiply(ctx, &square, &product, &product);
  dpt_long_set(ctx, &a, t.mantissa);
  const int by = 2 * (s.exponent + e.exponent) - t.exponent;
  dpt_long_shift(ctx, by > 0 ? &square : &a, by > 0 ? by : -by);
  return dpt_long_compare(&square, &a) >= 0;
}

bool dpt_norm_scale_for(dpt_ctx *ctx, double squared, double epsilon, double *least) {
  const double lowest = ldexp(1, DPT_NORM_LEAST_EXPONENT), highest = ldexp(1, DPT_NORM_MOST_EXPONENT);
  const double guess = sqrt(squared) / epsilon;
  if (!(guess <= highest)) return false;
  double scale = guess > lowest ? guess : lowest;
  while (!is_enough(ctx, scale, epsilon, squared)) scale = nextafter(scale, INFINITY);
  while (scale > lowest && is_enough(ctx, nextafter(scale, 0), epsilon, squared)) scale = nextafter(scale, 0);
  *least = scale;
  return scale <= highest;
}

/* ---- the variates ------------------------------------------------------------------------------------------------ */

typedef struct {
  ptrdiff_t normals, exponentials;
  dpt_variate *normal, *exponential;
  bool is_even;     /* whether the dimension is even; if so, there is */
  dpt_variate last; /* the normal in W */
  dpt_variate_source source;
} variates;

static dpt_variate *new_variates(dpt_ctx *ctx, ptrdiff_t count) {
  enum { ROOM = DPT_NORM_FIRST / DPT_VARIATE_LIMB };
  dpt_variate *x = DPT_NEW(ctx, dpt_variate, count);
  uint16_t *limbs = DPT_NEW(ctx, uint16_t, ROOM * count);
  for (ptrdiff_t i = 0; i < count; i++) x[i] = (dpt_variate){.limb = limbs + ROOM * i, .room = ROOM};
  return x;
}

static variates new_vector(dpt_ctx *ctx, ptrdiff_t dimension) {
  variates all = {.normals = dimension, .exponentials = (dimension + 1) / 2, .is_even = dimension % 2 == 0};
  all.normal = new_variates(ctx, all.normals);
  all.exponential = new_variates(ctx, all.exponentials);
  return all;
}

static void look_ahead(dpt_ctx *ctx, variates *all, dpt_variate *x, ptrdiff_t limbs) {
  if (limbs > 0) dpt_variate_limb(ctx, &all->source, x, limbs - 1);
}

static void draw_variates(dpt_ctx *ctx, variates *all, ptrdiff_t ahead) {
  enum { NORMAL_TIME = 300, EXPONENTIAL_TIME = 100 };
  for (ptrdiff_t i = 0; i < all->normals; i++) {
    dpt_draw_exact_normal(ctx, &all->source, &all->normal[i]);
    look_ahead(ctx, all, &all->normal[i], ahead);
    dpt_tick(ctx, NORMAL_TIME);
  }
  for (ptrdiff_t i = 0; i < all->exponentials; i++) {
    dpt_draw_exponential(ctx, &all->source, &all->exponential[i]);
    look_ahead(ctx, all, &all->exponential[i], ahead);
    dpt_tick(ctx, EXPONENTIAL_TIME);
  }
  if (!all->is_even) return;
  dpt_draw_exact_normal(ctx, &all->source, &all->last);
  look_ahead(ctx, all, &all->last, ahead);
}

/* ---- bounds of the release ----------------------------------------------------------------------------------- */

/* Scratch numbers that all rounds share. */
typedef struct {
  dpt_long one, sum, square, rest, low, high, scale;
  dpt_long size_low, size_high, whole_low, whole_high, place;
} numbers;

/* to += x^2 */
static void add_square(dpt_ctx *ctx, numbers *own, const dpt_long *x, dpt_long *to) {
  dpt_long_multiply(ctx, &own->square, x, x);
  dpt_long_add(ctx, to, &own->square);
}

/* Finds integers below and above 2^p sqrt(W) times the mantissa of the scale, the second strictly above. */
static void enclose_size(dpt_ctx *ctx, variates *all, int64_t p, numbers *own) {
  dpt_long_set(ctx, &own->low, 0);
  for (ptrdiff_t i = 0; i < all->exponentials; i++) {
    dpt_variate_floor(ctx, &all->source, &all->exponential[i], p, &own->sum);
    dpt_long_add(ctx, &own->low, &own->sum);
  }
  dpt_long_copy(ctx, &own->high, &own->low);
  dpt_long_set(ctx, &own->sum, (uint64_t) all->exponentials);
  dpt_long_add(ctx, &own->high, &own->sum);
  dpt_long_shift(ctx, &own->low, p + 1);
  dpt_long_shift(ctx, &own->high, p + 1);
  if (all->is_even) {
    dpt_variate_floor(ctx, &all->source, &all->last, p, &own->sum);
    add_square(ctx, own, &own->sum, &own->low);
    dpt_long_add(ctx, &own->sum, &own->one);
    add_square(ctx, own, &own->sum, &own->high);
  }
  dpt_long_root(ctx, &own->sum, &own->low, &own->rest);
  dpt_long_multiply(ctx, &own->size_low, &own->sum, &own->scale);
  dpt_long_root(ctx, &own->sum, &own->high, &own->rest);
  dpt_long_add(ctx, &own->sum, &own->one);
  dpt_long_multiply(ctx, &own->size_high, &own->sum, &own->scale);
}

/* Number of steps below v + x, or v - x. x has the integer part `whole` and is not an integer itself. With P = 2^(53
 * + shift), at least |v|, and u = 2^shift: floor((v + x)/u) = floor((whole + P + v)/u) - 2^53, and floor((v - x)/u)
 * = -ceil((whole + 1 - v)/u) = 2^53 - floor((whole + P - v + u)/u). Changes `whole`. */
static double release_at(dpt_ctx *ctx, numbers *own, const dpt_norm_noise *noise, double v, bool negative,
                         dpt_long *whole) {
  const int64_t most = (int64_t) 1 << DOUBLE_DIGITS;
  const int64_t moved = negative ? -(int64_t) v : (int64_t) v;
  dpt_long_set(ctx, &own->place, (uint64_t) (most + negative));
  dpt_long_shift(ctx, &own->place, noise->shift);
  dpt_long_add(ctx, whole, &own->place);
  dpt_long_set(ctx, &own->place, (uint64_t) (moved < 0 ? -moved : moved));
  if (moved < 0) {
    dpt_long_subtract(whole, &own->place);
  } else {
    dpt_long_add(ctx, whole, &own->place);
  }
  dpt_long_shift(ctx, whole, -(int64_t) noise->shift);
  const bool is_beyond = dpt_long_length(whole) > DOUBLE_DIGITS + 1;
  int64_t steps = is_beyond ? most : (int64_t) (whole->count ? whole->limb[0] : 0) - most;
  if (steps > most) steps = most;
  return (double) (negative ? -steps : steps);
}

/* Writes the release, if the first p digits of all variates determine it. */
static bool is_decided(dpt_ctx *ctx, const dpt_norm_noise *noise, variates *all, int64_t p, const double *value,
                       numbers *own, double *released) {
  const parts scale = parts_of(noise->scale);
  dpt_long_set(ctx, &own->scale, scale.mantissa);
  enclose_size(ctx, all, p, own);
  for (ptrdiff_t i = 0; i < all->normals; i++) {
    dpt_variate *const g = &all->normal[i];
    dpt_variate_floor(ctx, &all->source, g, p, &own->sum);
    dpt_long_multiply(ctx, &own->whole_low, &own->size_low, &own->sum);
    dpt_long_add(ctx, &own->sum, &own->one);
    dpt_long_multiply(ctx, &own->whole_high, &own->size_high, &own->sum);
    dpt_long_shift(ctx, &own->whole_low, scale.exponent - 2 * p);
    dpt_long_shift(ctx, &own->whole_high, scale.exponent - 2 * p);
    const bool is_same = dpt_long_compare(&own->whole_low, &own->whole_high) == 0;
    released[i] = release_at(ctx, own, noise, value[i], g->negative, &own->whole_low);
    if (!is_same && released[i] != release_at(ctx, own, noise, value[i], g->negative, &own->whole_high)) return false;
    dpt_tick(ctx, 100);
  }
  return true;
}

int64_t dpt_draw_norm(dpt_ctx *ctx, const dpt_norm_noise *noise, ptrdiff_t dimension, const double *value,
                      ptrdiff_t draws, double *released) {
  int64_t added = 0;
  variates all = new_vector(ctx, dimension);
  numbers own = {0};
  dpt_long_set(ctx, &own.one, 1);
  for (ptrdiff_t k = 0; k < draws; k++) {
    draw_variates(ctx, &all, noise->ahead);
    for (int64_t p = noise->first; !is_decided(ctx, noise, &all, p, value, &own, released + k * dimension); added++)
      p += p < DPT_NORM_FIRST ? p : DPT_NORM_FIRST;
    ctx->fraction = (double) (k + 1) / (double) draws;
  }
  return added;
}
