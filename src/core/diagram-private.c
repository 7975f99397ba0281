/* diagram-private.c - a perfect sampler for the exponential mechanism on diagrams, in integers.
 *
 * Target: V(s(P)), s(P) = max over dimensions of twice the bottleneck distance to the true diagram, on lattice
 * points. Layer cake: V(s) is the sum over tau >= s of v(tau) = V(tau) - V(tau + 1), so (tau, P) is drawn with
 * weight v(tau) 1[s(P) <= tau] and tau is dropped. Given tau, P is uniform in a product of bottleneck balls, each
 * inside a cover whose places are counted exactly (diagram-lattice-cover.c). The algorithm draws tau with weight
 * v(tau) times the product of the covers' weights (diagram-lattice-radius.c), and proposes P from the covers. If P
 * lies in the balls, it is accepted with probability one over the number of ways to propose it. Otherwise the
 * algorithm starts again.
 *
 * Only integers of at most 128 bits stand between the random bits and the release. The release therefore has the
 * target distribution exactly, and its guarantee is the guarantee of the table of weights, which is verified
 * (diagram-lattice-weights.c). Doubles choose the blocks, the outlines and the intervals, which do not affect
 * correctness. They also hold integers below 2^32 and halves of these for the matching of points.
 *
 * Cost: setup of (intervals) x O(M^2 + log n), some dozens of intervals for each dimension, and a pass over the
 * diagram for each size of the forced set. A draw takes O(M log n) at an acceptance above one half on ordinary
 * diagrams, most of it for the coins. The layer-cake construction and its lattice form are this package's own. The
 * proof, with the table of overflow, is inst/proofs/diagram-private.md. Rejected: categories of all dimensions at
 * once (their number is a product); weights as exact products (thousands of digits). */
#include "diagram-private.h"

#include <stdlib.h>
#include <string.h>

#include "base-draws.h"

struct dpt_lattice_sampler {
  dpt_lattice_mechanism mechanism;
  dpt_lattice_release release[DPT_LATTICE_DIMENSIONS];
  dpt_lattice_radii radii;
};

dpt_rounding dpt_lattice_rounding(void) { return (dpt_rounding){DPT_SCALED_DIGITS, 61, false}; }

/* ---- the true diagrams ----------------------------------------------------------------------------------------- */

typedef struct {
  double birth, death;
} point;

static int by_birth(const void *left, const void *right) {
  double a = ((const point *) left)->birth, b = ((const point *) right)->birth;
  return (a > b) - (a < b);
}

static dpt_points sorted_points(dpt_ctx *ctx, const dpt_points *diagram) {
  ptrdiff_t count = diagram->count;
  bool sorted = true;
  for (ptrdiff_t i = 1; i < count; i++) sorted &= diagram->birth[i - 1] <= diagram->birth[i];
  if (sorted) return *diagram;
  point *points = DPT_NEW(ctx, point, count);
  double *birth = DPT_NEW(ctx, double, count), *death = DPT_NEW(ctx, double, count);
  for (ptrdiff_t i = 0; i < count; i++) points[i] = (point){diagram->birth[i], diagram->death[i]};
  qsort(points, (size_t) count, sizeof *points, by_birth);
  for (ptrdiff_t i = 0; i < count; i++) {
    birth[i] = points[i].birth;
    death[i] = points[i].death;
  }
  return (dpt_points){birth, death, count};
}

/* Stores the most + 1 most persistent points, by decreasing persistence. */
static void set_leading(dpt_lattice_release *r) {
  r->leading = 0;
  for (ptrdiff_t i = 0; i < r->diagram.count; i++) {
    int64_t birth = (int64_t) r->diagram.birth[i], death = (int64_t) r->diagram.death[i];
    int j = r->leading;
    if (j > r->most && death - birth <= r->death[j - 1] - r->birth[j - 1]) continue;
    if (j > r->most) j--;
    else r->leading++;
    for (; j > 0 && r->death[j - 1] - r->birth[j - 1] < death - birth; j--) {
      r->birth[j] = r->birth[j - 1];
      r->death[j] = r->death[j - 1];
    }
    r->birth[j] = birth;
    r->death[j] = death;
  }
}

static void prepare_release(dpt_ctx *ctx, const dpt_lattice_mechanism *m, const dpt_points *diagram,
                            dpt_lattice_release *r) {
  memset(r, 0, sizeof *r);
  r->bound = m->bound;
  r->most = m->most;
  r->least = m->learn ? 0 : m->most;
  r->triangle = dpt_lattice_band_count(m->bound, m->bound);
  r->powers[0] = (dpt_scaled){1, 0};
  for (int i = 1; i <= r->most; i++) {
    r->powers[i] = r->powers[i - 1];
    dpt_scaled_multiply(NULL, &m->rounding, &r->powers[i], (dpt_scaled){r->triangle, 0});
  }
  r->diagram = sorted_points(ctx, diagram);
  set_leading(r);
  dpt_tick(ctx, 20 * diagram->count);
}

dpt_status dpt_lattice_open(dpt_ctx *ctx, const dpt_lattice_mechanism *mechanism, const dpt_points *diagrams,
                            int dimensions, dpt_lattice_sampler **sampler) {
  const dpt_rounding *rounding = &mechanism->rounding;
  bool good = dimensions >= 1 && dimensions <= DPT_LATTICE_DIMENSIONS && mechanism->most >= 0 &&
              mechanism->most <= DPT_LATTICE_MOST && mechanism->bound >= 1 && mechanism->bound < INT64_C(1) << 31 &&
              rounding->digits >= 1 && rounding->digits <= DPT_SCALED_DIGITS && rounding->units >= 1 &&
              rounding->units <= 61 && dpt_weights_valid(&mechanism->weights);
  if (!good) return dpt_fail(ctx, DPT_ERROR_ARGUMENT, "the release is out of the sampler's range");
  dpt_lattice_sampler *s = DPT_NEW(ctx, dpt_lattice_sampler, 1);
  s->mechanism = *mechanism;
  for (int q = 0; q < dimensions; q++) prepare_release(ctx, &s->mechanism, &diagrams[q], &s->release[q]);
  s->radii = (dpt_lattice_radii){.rounding = &s->mechanism.rounding,
                                 .weights = &s->mechanism.weights,
                                 .bound = mechanism->bound,
                                 .dimensions = dimensions,
                                 .release = s->release};
  dpt_lattice_radii_list(ctx, &s->radii);
  *sampler = s;
  return DPT_OK;
}

/* ---- draws ----------------------------------------------------------------------------------------------------- */

static bool propose(dpt_ctx *ctx, const dpt_lattice_sampler *s, dpt_lattice_labels *labels) {
  int64_t tau;
  bool outlined[DPT_LATTICE_DIMENSIONS];
  const dpt_lattice_interval *in = dpt_lattice_radii_draw(ctx, &s->radii, &tau);
  if (!in) return false;
  for (int q = 0; q < s->radii.dimensions; q++)
    if (!dpt_lattice_cover_draw(ctx, &s->mechanism.rounding, &s->release[q], &in->cover[q], tau, &labels[q],
                                &outlined[q]))
      return false;
  for (int q = 0; q < s->radii.dimensions; q++) {
    uint64_t ways = dpt_lattice_ways(ctx, &s->release[q], &in->cover[q], tau, &labels[q], outlined[q]);
    if (ways == 0 || dpt_draw_below(ctx, ways) > 0) return false;
  }
  return true;
}

static bool stands_before(int64_t birth, int64_t death, int64_t other_birth, int64_t other_death) {
  int64_t persistence = death - birth, other = other_death - other_birth;
  return persistence > other || (persistence == other && birth < other_birth);
}

/* Sorts by decreasing persistence, then birth, because the order of proposals would reveal which labels were forced. */
static void sort_labels(dpt_lattice_labels *labels) {
  for (int i = 1; i < labels->count; i++) {
    int64_t birth = labels->birth[i], death = labels->death[i];
    int j = i;
    for (; j > 0 && stands_before(birth, death, labels->birth[j - 1], labels->death[j - 1]); j--) {
      labels->birth[j] = labels->birth[j - 1];
      labels->death[j] = labels->death[j - 1];
    }
    labels->birth[j] = birth;
    labels->death[j] = death;
  }
}

int64_t dpt_lattice_draw(dpt_ctx *ctx, const dpt_lattice_sampler *s, dpt_lattice_labels *labels) {
  int64_t proposals = 0;
  do {
    proposals++;
    dpt_tick(ctx, 2000);
  } while (!propose(ctx, s, labels));
  for (int q = 0; q < s->radii.dimensions; q++) sort_labels(&labels[q]);
  return proposals;
}

dpt_status dpt_lattice_counts(dpt_ctx *ctx, const dpt_points *diagram, int64_t bound, int64_t tau, int forced,
                              double counts[4]) {
  dpt_lattice_mechanism mechanism = {.bound = bound, .most = DPT_LATTICE_MOST, .rounding = dpt_lattice_rounding()};
  dpt_lattice_release *r = DPT_NEW(ctx, dpt_lattice_release, 1);
  prepare_release(ctx, &mechanism, diagram, r);
  if (forced > r->leading || (forced > 0 && r->death[forced - 1] - r->birth[forced - 1] <= tau))
    return dpt_fail(ctx, DPT_ERROR_ARGUMENT, "a forced point has a persistence above tau");
  counts[0] = (double) dpt_lattice_band_count(bound, tau);
  counts[1] = (double) dpt_lattice_staircase_count(dpt_lattice_loose_staircase(ctx, r, forced), bound, tau);
  counts[2] = (double) dpt_lattice_staircase_count(dpt_lattice_loose_staircase(ctx, r, 0), bound, tau);
  counts[3] = forced ? (double) dpt_lattice_union_count(r, (UINT32_C(1) << forced) - 1, tau) : 0;
  return DPT_OK;
}
