/* dtm-landmarks-loops.c - distances of panels of rows to six landmarks, and the keys below a limit.
 *
 * Eight rows times six landmarks are twelve vectors of four, which stay in registers: a load and a broadcast for
 * each two products. There are no branches: a table of permutations moves the keys below a limit to the front of
 * their vector, all four are stored, and the end advances by their number. On random keys a branch would be
 * mispredicted for every second vector. Every loop is also compiled for vectors of any length. */
#include "dtm-landmarks-loops.h"

#include <stdint.h>

#if defined(__x86_64__) && !defined(_WIN32) /* Windows aligns the stack to half of such a vector */
#define LONG_VECTORS
#include <immintrin.h>
#endif

enum { LANES = DPT_LANES, SIX = DPT_SIX };

/* Four adjacent rows. If vectors of the machine are shorter, the compiler splits this one. */
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));

/* The inner loops are compiled into each caller, for the caller's vectors. */
#define INTO __attribute__((always_inline))

/* The keys of a panel, LANES for each of six landmarks. */
INTO static inline void measure_panel(const double *x, const double *norm, int dimension, const dpt_landmark_six *six,
                                      bool norms, double *key) {
  four a0 = {0}, a1 = {0}, a2 = {0}, a3 = {0}, a4 = {0}, a5 = {0};
  four b0 = {0}, b1 = {0}, b2 = {0}, b3 = {0}, b4 = {0}, b5 = {0};
  const double *c = six->place;
  for (int j = 0; j < dimension; j++, x += LANES, c += SIX) {
    const four a = *(const four *) x, b = *(const four *) (x + 4);
    if (norms) {
      a0 += a * c[0], b0 += b * c[0];
      a1 += a * c[1], b1 += b * c[1];
      a2 += a * c[2], b2 += b * c[2];
      a3 += a * c[3], b3 += b * c[3];
      a4 += a * c[4], b4 += b * c[4];
      a5 += a * c[5], b5 += b * c[5];
    } else {
      a0 += (a - c[0]) * (a - c[0]), b0 += (b - c[0]) * (b - c[0]);
      a1 += (a - c[1]) * (a - c[1]), b1 += (b - c[1]) * (b - c[1]);
      a2 += (a - c[2]) * (a - c[2]), b2 += (b - c[2]) * (b - c[2]);
      a3 += (a - c[3]) * (a - c[3]), b3 += (b - c[3]) * (b - c[3]);
      a4 += (a - c[4]) * (a - c[4]), b4 += (b - c[4]) * (b - c[4]);
      a5 += (a - c[5]) * (a - c[5]), b5 += (b - c[5]) * (b - c[5]);
    }
  }
  four *at = (four *) key;
  if (norms) {
    const four a = *(const four *) norm, b = *(const four *) (norm + 4);
    const double *n = six->norm;
    a0 += a + n[0], b0 += b + n[0];
    a1 += a + n[1], b1 += b + n[1];
    a2 += a + n[2], b2 += b + n[2];
    a3 += a + n[3], b3 += b + n[3];
    a4 += a + n[4], b4 += b + n[4];
    a5 += a + n[5], b5 += b + n[5];
  }
  at[0] = a0, at[1] = b0, at[2] = a1, at[3] = b1, at[4] = a2, at[5] = b2;
  at[6] = a3, at[7] = b3, at[8] = a4, at[9] = b4, at[10] = a5, at[11] = b5;
}

/* Appends those of LANES keys that are below the limit. */
INTO static inline void keep_any(dpt_kept *kept, const double *key, const double *weight) {
  ptrdiff_t count = kept->count;
  for (int i = 0; i < LANES; i++) {
    kept->key[count] = key[i];
    if (weight) kept->weight[count] = weight[i];
    count += key[i] < kept->limit;
  }
  kept->count = count;
}

INTO static inline void scan_any(const dpt_panels *rows, ptrdiff_t from, ptrdiff_t to, int dimension,
                                 const dpt_landmark_six *six, dpt_kept *kept, bool norms, bool weighted) {
  double key[SIX * LANES];
  for (ptrdiff_t panel = from; panel < to; panel++) {
    measure_panel(rows->x + panel * LANES * dimension, rows->norm + panel * LANES, dimension, six, norms, key);
    const double *weight = weighted ? rows->weight + panel * LANES : NULL;
    for (int i = 0; i < SIX; i++) keep_any(kept + i, key + i * LANES, weight);
  }
}

INTO static inline void drop_any(dpt_kept *kept, bool weighted) {
  double *key = kept->key, *weight = kept->weight;
  ptrdiff_t count = 0;
  for (ptrdiff_t i = 0; i < kept->count; i++) {
    const double k = key[i];
    key[count] = k;
    if (weighted) weight[count] = weight[i];
    count += k < kept->limit;
  }
  kept->count = count;
}

/* Starts from key `from`. */
INTO static inline void find_rest(const dpt_kept *kept, dpt_band *band, ptrdiff_t from, bool weighted) {
  ptrdiff_t count = band->count;
  double below = band->below;
  for (ptrdiff_t i = from; i < kept->count; i++) {
    const double k = kept->key[i], w = weighted ? kept->weight[i] : 1;
    band->key[count] = k;
    if (weighted) band->weight[count] = w;
    count += (k >= band->low) & (k <= band->high);
    below += k < band->low ? w : 0;
  }
  band->count = count;
  band->below = below;
}

INTO static inline void find_any(const dpt_kept *kept, dpt_band *band, bool weighted) {
  band->count = 0;
  band->below = 0;
  find_rest(kept, band, 0, weighted);
}

/* The loops with their switches as constants. `how` is any or long, with the attribute for it. */
#define SCAN(name, how, attribute, norms, weighted)                                                                    \
  attribute static void name(const dpt_panels *rows, ptrdiff_t from, ptrdiff_t to, int dimension,                      \
                             const dpt_landmark_six *six, dpt_kept *kept) {                                            \
    scan_##how(rows, from, to, dimension, six, kept, norms, weighted);                                                 \
  }
#define LOOPS(how, attribute)                                                                                          \
  SCAN(scan_differences_##how, how, attribute, false, false)                                                           \
  SCAN(scan_weighted_differences_##how, how, attribute, false, true)                                                   \
  SCAN(scan_norms_##how, how, attribute, true, false)                                                                  \
  SCAN(scan_weighted_norms_##how, how, attribute, true, true)                                                          \
  attribute static void drop_one_##how(dpt_kept *kept) { drop_##how(kept, false); }                                    \
  attribute static void drop_weighted_##how(dpt_kept *kept) { drop_##how(kept, true); }                                \
  attribute static void find_one_##how(const dpt_kept *kept, dpt_band *band) { find_##how(kept, band, false); }        \
  attribute static void find_weighted_##how(const dpt_kept *kept, dpt_band *band) { find_##how(kept, band, true); }    \
  static dpt_landmark_loops choose_##how(bool norms, bool weighted) {                                                  \
    if (weighted)                                                                                                      \
      return (dpt_landmark_loops){norms ? scan_weighted_norms_##how : scan_weighted_differences_##how,                 \
                                  drop_weighted_##how, find_weighted_##how};                                           \
    return (dpt_landmark_loops){norms ? scan_norms_##how : scan_differences_##how, drop_one_##how, find_one_##how};    \
  }

LOOPS(any, )

dpt_landmark_loops dpt_landmark_any_loops(bool norms, bool weighted) { return choose_any(norms, weighted); }

#ifdef LONG_VECTORS
#define LONG __attribute__((target("avx2,fma")))

/* Moves the doubles of four that a mask of four bits selects to the front, in halves, and gives their number. */
static const int32_t front[16][8] = {
    {0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7}, {2, 3, 0, 1, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7},
    {4, 5, 0, 1, 2, 3, 6, 7}, {0, 1, 4, 5, 2, 3, 6, 7}, {2, 3, 4, 5, 0, 1, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7},
    {6, 7, 0, 1, 2, 3, 4, 5}, {0, 1, 6, 7, 2, 3, 4, 5}, {2, 3, 6, 7, 0, 1, 4, 5}, {0, 1, 2, 3, 6, 7, 4, 5},
    {4, 5, 6, 7, 0, 1, 2, 3}, {0, 1, 4, 5, 6, 7, 2, 3}, {2, 3, 4, 5, 6, 7, 0, 1}, {0, 1, 2, 3, 4, 5, 6, 7}};
static const int32_t ones[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

LONG INTO static inline __m256i order_of(int mask) { return _mm256_loadu_si256((const __m256i *) front[mask]); }

LONG INTO static inline void store_front(__m256d x, __m256i order, double *to) {
  _mm256_storeu_pd(to, _mm256_castsi256_pd(_mm256_permutevar8x32_epi32(_mm256_castpd_si256(x), order)));
}

LONG INTO static inline void keep_long(dpt_kept *kept, const double *key, const double *weight) {
  const __m256d limit = _mm256_set1_pd(kept->limit);
  const __m256d a = _mm256_loadu_pd(key), b = _mm256_loadu_pd(key + 4);
  const int first = _mm256_movemask_pd(_mm256_cmp_pd(a, limit, _CMP_LT_OQ));
  const int second = _mm256_movemask_pd(_mm256_cmp_pd(b, limit, _CMP_LT_OQ));
  const ptrdiff_t count = kept->count, next = count + ones[first];
  store_front(a, order_of(first), kept->key + count);
  store_front(b, order_of(second), kept->key + next);
  if (weight) {
    store_front(_mm256_loadu_pd(weight), order_of(first), kept->weight + count);
    store_front(_mm256_loadu_pd(weight + 4), order_of(second), kept->weight + next);
  }
  kept->count = next + ones[second];
}

LONG INTO static inline void scan_long(const dpt_panels *rows, ptrdiff_t from, ptrdiff_t to, int dimension,
                                       const dpt_landmark_six *six, dpt_kept *kept, bool norms, bool weighted) {
  double key[SIX * LANES];
  for (ptrdiff_t panel = from; panel < to; panel++) {
    measure_panel(rows->x + panel * LANES * dimension, rows->norm + panel * LANES, dimension, six, norms, key);
    const double *weight = weighted ? rows->weight + panel * LANES : NULL;
    for (int i = 0; i < SIX; i++) keep_long(kept + i, key + i * LANES, weight);
  }
}

/* Stores never overwrite data that were not loaded yet. */
LONG INTO static inline void drop_long(dpt_kept *kept, bool weighted) {
  const __m256d limit = _mm256_set1_pd(kept->limit);
  double *key = kept->key, *weight = kept->weight;
  ptrdiff_t count = 0, i = 0;
  for (; i + 4 <= kept->count; i += 4) {
    const __m256d k = _mm256_loadu_pd(key + i);
    const int mask = _mm256_movemask_pd(_mm256_cmp_pd(k, limit, _CMP_LT_OQ));
    if (weighted) store_front(_mm256_loadu_pd(weight + i), order_of(mask), weight + count);
    store_front(k, order_of(mask), key + count);
    count += ones[mask];
  }
  for (; i < kept->count; i++) {
    const double k = key[i];
    key[count] = k;
    if (weighted) weight[count] = weight[i];
    count += k < kept->limit;
  }
  kept->count = count;
}

LONG INTO static inline void find_long(const dpt_kept *kept, dpt_band *band, bool weighted) {
  const __m256d low = _mm256_set1_pd(band->low), high = _mm256_set1_pd(band->high), one = _mm256_set1_pd(1);
  __m256d below = _mm256_setzero_pd();
  ptrdiff_t count = 0, i = 0;
  for (; i + 4 <= kept->count; i += 4) {
    const __m256d k = _mm256_loadu_pd(kept->key + i), w = weighted ? _mm256_loadu_pd(kept->weight + i) : one;
    const __m256d is_below = _mm256_cmp_pd(k, low, _CMP_LT_OQ), is_not_above = _mm256_cmp_pd(k, high, _CMP_LE_OQ);
    const int mask = _mm256_movemask_pd(_mm256_andnot_pd(is_below, is_not_above));
    below = _mm256_add_pd(below, _mm256_and_pd(is_below, w));
    store_front(k, order_of(mask), band->key + count);
    if (weighted) store_front(w, order_of(mask), band->weight + count);
    count += ones[mask];
  }
  double lanes[4];
  _mm256_storeu_pd(lanes, below);
  band->count = count;
  band->below = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
  find_rest(kept, band, i, weighted);
}

LOOPS(long, LONG)

dpt_landmark_loops dpt_landmark_choose_loops(bool norms, bool weighted) {
  __builtin_cpu_init();
  const bool is_long = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return is_long ? choose_long(norms, weighted) : choose_any(norms, weighted);
}
#else
dpt_landmark_loops dpt_landmark_choose_loops(bool norms, bool weighted) { return choose_any(norms, weighted); }
#endif
