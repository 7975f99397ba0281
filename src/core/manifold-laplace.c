/* manifold-laplace.c - the exact sampler, by rejection in a tangent space.
 *
 * In the coordinates v of the tangent space at the location the density is exp(-|v| / scale) J(v), with J the Jacobian
 * of exp. The envelope depends on |v| alone: a uniform direction, and a length from a one-dimensional log-concave
 * density (manifold-radius.c, base-logconcave.c). It is accepted with probability J over its radial bound. If J grows,
 * and the scale is close to the threshold at which the integral becomes infinite, J grows much more slowly in typical
 * directions than the radial bound. Then the proposal includes the growth: J(v) behaves as exp(<delta, l>) in the
 * coordinates l of a Weyl chamber, and exp(<delta, l> - a |l|) is a normal mean-variance mixture: l = W delta + sqrt(W)
 * Z with W from a gamma distribution. A little farther from the threshold, a steeper drift fits better, from the
 * tangents of log sinh at the typical distances of eigenvalues there. For large scales, on a compact manifold and in a
 * ball, proposals are uniform and accepted with probability exp(-d / scale). For scales in between, in a ball,
 * proposals have the same distribution about its center. inst/proofs/manifold-laplace.md has the proofs.
 *
 * The best proposal depends on manifold, scale and ball, which are public. Before the first draw, trials of each
 * proposal find it, with a fixed key of their own and, in a ball, from a location half-way to its boundary. Neither the
 * location nor the random source of the draws affects this choice. All proposals give the same distribution of draws.
 *
 * Cost: a draw takes `dimension` normal numbers, one evaluation of J (for matrices an eigenvalue or singular value
 * decomposition) for each proposal, and one exp. The frame of the location is computed once.
 *
 * Tried and rejected: the gamma distribution itself as the radial proposal (its tail is too light where J grows); one
 * common linear bound of log J (accepts almost nothing at small scales). The target is due to Reimherr, Bharath and
 * Soto (2021), Differential privacy over Riemannian manifolds, who run a Markov chain. */
#include "manifold-laplace.h"

#include "base-draws.h"
#include "base-logconcave.h"
#include "manifold-parts.h"
#include "manifold-radius.h"

/* Lengths of tangent vectors. */
typedef struct {
  dpt_radius law;
  dpt_logconcave length;
} radial;

/* exp(<delta, l> - a |l|) as a mixture over W; `excess` is the part of delta above the drift of the threshold.
 * `ceiling` bounds the result of from_drift() less <excess, l>. */
typedef struct {
  double *delta, *excess, ceiling;
  dpt_radius law;
  dpt_logconcave w;
} drifting;

struct dpt_laplace {
  const dpt_manifold *manifold;
  dpt_laplace_target target;
  dpt_laplace_proposal proposal;
  double *frame, *center_frame; /* at the location, at the center of the ball */
  double nearest;               /* distance of the ball from the location */
  double surplus;               /* largest difference of a point's distances from the center and the location */
  radial about_location, about_center, in_ball; /* in_ball: uniform, about the center */
  drifting drift, steep;
  double *l, *v, *y, *work;
  double proposed, accepted;
};

static double rate_of(double scale) { return 1 / scale; } /* zero for an infinite scale */

static bool is_bounded(const dpt_manifold *manifold) { return isfinite(manifold->growth.reach); }

bool dpt_laplace_is_finite(const dpt_manifold *manifold, double scale) {
  return is_bounded(manifold) || rate_of(scale) > manifold->growth.threshold;
}

/* Proposals ------------------------------------------------------------------------------------------------------- */

static bool accept(dpt_ctx *ctx, double log_probability) {
  return log_probability >= 0 || log(dpt_draw_float(ctx)) <= log_probability;
}

/* Proposes tangent coordinates v with the radial envelope, accepted with probability J over its bound. */
static bool propose_radial(dpt_ctx *ctx, dpt_laplace *sampler, const radial *lengths) {
  const dpt_manifold *manifold = sampler->manifold;
  if (manifold->dimension == 0) return true;
  const double rho = dpt_logconcave_draw(ctx, &lengths->length);
  dpt_vector_direction(ctx, manifold->dimension, sampler->v);
  for (ptrdiff_t i = 0; i < manifold->dimension; i++) sampler->v[i] *= rho;
  double slope;
  const double bound = dpt_radius_bound(&manifold->growth, rho, &slope);
  return accept(ctx, manifold->of->log_jacobian(manifold, sampler->v, sampler->work) - bound);
}

/* Proposes l = W delta + sqrt(W) Z, which the manifold turns into tangent coordinates. */
static bool propose_drift(dpt_ctx *ctx, dpt_laplace *sampler, const drifting *drift) {
  const dpt_manifold *manifold = sampler->manifold;
  const double w = dpt_logconcave_draw(ctx, &drift->w), root = sqrt(w);
  for (ptrdiff_t i = 0; i < manifold->drift_size; i++)
    sampler->l[i] = w * drift->delta[i] + root * dpt_draw_normal(ctx);
  const double ceiling = drift->ceiling + dpt_vector_dot(manifold->drift_size, drift->excess, sampler->l);
  return accept(ctx, manifold->of->from_drift(ctx, manifold, sampler->l, sampler->v, sampler->work) - ceiling);
}

/* Proposes tangent coordinates at the location. */
static bool propose_tangent(dpt_ctx *ctx, dpt_laplace *sampler, dpt_laplace_proposal proposal) {
  if (proposal == DPT_LAPLACE_TANGENT) return propose_radial(ctx, sampler, &sampler->about_location);
  return propose_drift(ctx, sampler, proposal == DPT_LAPLACE_DRIFT ? &sampler->drift : &sampler->steep);
}

static bool is_in_ball(const dpt_laplace *sampler, const double *y) {
  if (!sampler->target.center) return true;
  return sampler->manifold->of->distance(sampler->manifold, sampler->center_frame, y, sampler->work) <=
         sampler->target.radius;
}

/* Accepts a uniform y with probability the density relative to its maximum on the support. */
static bool accept_density(dpt_ctx *ctx, const dpt_laplace *sampler, const double *y) {
  const double rate = rate_of(sampler->target.scale);
  if (rate == 0) return true;
  const double distance = sampler->manifold->of->distance(sampler->manifold, sampler->frame, y, sampler->work);
  return accept(ctx, -rate * (distance - sampler->nearest));
}

/* Accepts y = exp(v), from the same distribution about the center, with probability the ratio of the densities relative
 * to its maximum. */
static bool accept_shifted(dpt_ctx *ctx, const dpt_laplace *sampler, const double *y) {
  const dpt_manifold *manifold = sampler->manifold;
  const double distance = manifold->of->distance(manifold, sampler->frame, y, sampler->work);
  const double central = dpt_vector_length(manifold->dimension, sampler->v);
  return accept(ctx, -rate_of(sampler->target.scale) * (distance - central + sampler->surplus));
}

/* Makes one trial, and returns whether it is accepted. Its tangent coordinates are in sampler->v, and its point is in y
 * if the decision needed it. */
static bool propose(dpt_ctx *ctx, dpt_laplace *sampler, dpt_laplace_proposal proposal, double *y) {
  const dpt_manifold *manifold = sampler->manifold;
  const dpt_manifold_functions *of = manifold->of;
  switch (proposal) {
  case DPT_LAPLACE_UNIFORM:
    of->uniform(ctx, manifold, y, sampler->work);
    return is_in_ball(sampler, y) && accept_density(ctx, sampler, y);
  case DPT_LAPLACE_BALL:
    if (!propose_radial(ctx, sampler, &sampler->in_ball)) return false;
    of->exp(manifold, sampler->center_frame, sampler->v, y, sampler->work);
    return accept_density(ctx, sampler, y);
  case DPT_LAPLACE_CENTER:
    if (!propose_radial(ctx, sampler, &sampler->about_center)) return false;
    of->exp(manifold, sampler->center_frame, sampler->v, y, sampler->work);
    return accept_shifted(ctx, sampler, y);
  default:
    if (!propose_tangent(ctx, sampler, proposal)) return false;
    if (!sampler->target.center) return true;
    of->exp(manifold, sampler->frame, sampler->v, y, sampler->work);
    return is_in_ball(sampler, y);
  }
}

/* Estimates the nanoseconds per trial. Matrices cost the cube of their side, but most drifting proposals are rejected
 * before that. */
static int64_t cost_of_trial(const dpt_manifold *manifold, dpt_laplace_proposal proposal) {
  const double size = (double) manifold->size, drift = (double) manifold->drift_size;
  if (proposal == DPT_LAPLACE_DRIFT || proposal == DPT_LAPLACE_STEEP) return (int64_t) (200 + 50 * drift);
  return (int64_t) (200 + 30 * size * sqrt(size));
}

/* Preparation ----------------------------------------------------------------------------------------------------- */

static bool applies(const dpt_laplace *sampler, dpt_laplace_proposal proposal) {
  const dpt_manifold *manifold = sampler->manifold;
  const dpt_laplace_target *target = &sampler->target;
  switch (proposal) {
  case DPT_LAPLACE_TANGENT: return target->center || dpt_laplace_is_finite(manifold, target->scale);
  case DPT_LAPLACE_DRIFT:
  case DPT_LAPLACE_STEEP:
    return manifold->of->from_drift && manifold->growth.threshold > 0 &&
           rate_of(target->scale) > manifold->growth.threshold;
  case DPT_LAPLACE_UNIFORM: return manifold->of->uniform != NULL;
  case DPT_LAPLACE_BALL: return target->center != NULL;
  case DPT_LAPLACE_CENTER: return target->center && isfinite(target->scale);
  default: return false;
  }
}

static dpt_status open_radial(dpt_ctx *ctx, const dpt_laplace *sampler, double rate, double most, radial *lengths) {
  const dpt_manifold *manifold = sampler->manifold;
  if (manifold->dimension == 0) return DPT_OK; /* a single point: propose_radial() needs no length */
  const double upper = fmin(dpt_radius_reach(&manifold->growth), most);
  lengths->law = (dpt_radius){(double) (manifold->dimension - 1), rate, manifold->growth};
  const double start = rate > 0 ? (double) manifold->dimension / rate : INFINITY;
  return dpt_logconcave_open(ctx, dpt_radius_log_density, &lengths->law, fmin(start, upper / 2), upper,
                             &lengths->length);
}

/* Prepares the distribution of the weights W of the normal mixture: W^((N - 1) / 2) exp(-W (a^2 - |delta|^2) / 2). */
static dpt_status open_drift(dpt_ctx *ctx, const dpt_laplace *sampler, double spread, drifting *drift) {
  const dpt_manifold *manifold = sampler->manifold;
  const ptrdiff_t size = manifold->drift_size;
  drift->delta = DPT_NEW(ctx, double, size);
  drift->excess = DPT_NEW(ctx, double, size);
  manifold->of->drift(manifold, INFINITY, drift->excess);
  drift->ceiling = manifold->of->drift(manifold, spread, drift->delta);
  for (ptrdiff_t i = 0; i < size; i++) drift->excess[i] = drift->delta[i] - drift->excess[i];
  const double a = rate_of(sampler->target.scale);
  const double length = isinf(spread) ? manifold->growth.threshold : dpt_vector_length(size, drift->delta);
  const double power = (double) (size - 1) / 2, rate = (a - length) * (a + length) / 2;
  drift->law = (dpt_radius){.power = power, .rate = rate};
  return dpt_logconcave_open(ctx, dpt_radius_log_density, &drift->law, (power + 1) / rate, INFINITY, &drift->w);
}

/* The fraction of the gap between threshold and rate that a steep drift takes: the best of a few, for p = 5 to 10. */
static const double steepness = 0.45;

/* Finds the spread at which the drift has the wanted length. */
static double steep_spread(dpt_ctx *ctx, const dpt_laplace *sampler) {
  const dpt_manifold *manifold = sampler->manifold;
  const double a = rate_of(sampler->target.scale), threshold = manifold->growth.threshold;
  const double wanted = sqrt(threshold * threshold + steepness * (a - threshold) * (a + threshold));
  double *delta = DPT_NEW(ctx, double, manifold->drift_size), low = log(1e-3 / a), high = log(1e3 / threshold);
  for (int i = 0; i < 50; i++) {
    const double middle = (low + high) / 2;
    manifold->of->drift(manifold, exp(middle), delta);
    if (dpt_vector_length(manifold->drift_size, delta) > wanted) low = middle;
    else high = middle;
  }
  return exp(high);
}

static dpt_status open_drifts(dpt_ctx *ctx, dpt_laplace *sampler) {
  const dpt_status status = open_drift(ctx, sampler, INFINITY, &sampler->drift);
  if (status != DPT_OK) return status;
  return open_drift(ctx, sampler, steep_spread(ctx, sampler), &sampler->steep);
}

/* Sets the location, its frame, and the truncation of the length. */
static dpt_status set_location(dpt_ctx *ctx, dpt_laplace *sampler, const double *location) {
  const dpt_manifold *manifold = sampler->manifold;
  const dpt_laplace_target *target = &sampler->target;
  double most = INFINITY;
  manifold->of->frame(manifold, location, sampler->frame, sampler->work);
  if (target->center) {
    const double apart = manifold->of->distance(manifold, sampler->center_frame, location, sampler->work);
    sampler->nearest = fmax(apart - target->radius, 0);
    sampler->surplus = fmin(apart, 2 * target->radius - apart);
    most = apart + target->radius;
  }
  if (!applies(sampler, DPT_LAPLACE_TANGENT)) return DPT_OK;
  return open_radial(ctx, sampler, rate_of(target->scale), most, &sampler->about_location);
}

/* Makes a generator with a public key, for the comparison. It allocates nothing, so that an early exit leaves nothing
 * behind. */
static dpt_ctx public_generator(const dpt_ctx *ctx) {
  static const uint64_t key[4] = {0x6d616e69666f6c64, 0x2d6c61706c616365, 0x2d70726f706f7361, 0x6c2d726163650000};
  dpt_ctx own;
  dpt_ctx_init(&own);
  own.poll = ctx->poll;
  own.host = ctx->host;
  own.escape = ctx->escape;
  dpt_random_open_keyed(&own.random, key);
  return own;
}

/* Is the location outside the ball by more than rounding? Then proposals about the location may never reach the
 * ball. */
static bool is_far(const dpt_laplace *sampler) {
  const dpt_laplace_target *target = &sampler->target;
  if (!target->center) return false;
  const double *center = sampler->center_frame;
  return sampler->manifold->of->distance(sampler->manifold, center, target->location, sampler->work) >
         target->radius * (1 + 1e-6);
}

/* Chooses the location at which proposals are compared. In a ball it is public, and neither the best nor the worst
 * location. On a whole compact manifold it is a random public point: the acceptance of a given uniform proposal depends
 * on the location, so the private location must not be used. On other whole manifolds, trials do not depend on the
 * location. Releases are drawn on whole manifolds only, so that a private location never affects the choice. If the
 * location is outside the ball, the location itself is used. */
static const double *comparison_location(dpt_ctx *ctx, dpt_ctx *own, dpt_laplace *sampler) {
  const dpt_manifold *manifold = sampler->manifold;
  if (!sampler->target.center && !manifold->of->uniform) return sampler->target.location;
  if (is_far(sampler)) return sampler->target.location;
  double *location = DPT_NEW(ctx, double, manifold->size);
  if (!sampler->target.center) {
    manifold->of->uniform(own, manifold, location, sampler->work);
    return location;
  }
  for (ptrdiff_t i = 0; i < manifold->dimension; i++) sampler->v[i] = i == 0 ? sampler->target.radius / 2 : 0;
  manifold->of->exp(manifold, sampler->center_frame, sampler->v, location, sampler->work);
  return location;
}

enum {
  ENOUGH_ACCEPTED = 25, /* acceptances that decide the comparison */
  QUICK_TRIALS = 100 * ENOUGH_ACCEPTED,
  QUICK_START = 600 /* trials after which two must have been accepted */
};
static const int64_t most_comparison_cost = INT64_C(5000000000); /* nanoseconds */

static bool is_too_slow(const dpt_laplace *sampler, int64_t trials, int accepted) {
  if (!sampler->target.quick) return false;
  return trials >= QUICK_TRIALS || (trials >= QUICK_START && accepted < 2);
}

/* Tries each candidate in turn, until one has been accepted so often that it must be nearly the best. BEST means
 * none. */
static dpt_laplace_proposal compare_proposals(dpt_ctx *own, dpt_laplace *sampler, const dpt_laplace_proposal *candidate,
                                              int candidates) {
  int accepted[DPT_LAPLACE_CENTER + 1] = {0};
  dpt_laplace_proposal best = DPT_LAPLACE_BEST;
  int64_t spent = 0;
  for (int64_t trials = 0; accepted[best] < ENOUGH_ACCEPTED && spent < most_comparison_cost; trials++) {
    if (is_too_slow(sampler, trials, accepted[best])) return DPT_LAPLACE_BEST;
    for (int i = 0; i < candidates; i++) {
      if (propose(own, sampler, candidate[i], sampler->y)) accepted[candidate[i]]++;
      if (accepted[candidate[i]] > accepted[best]) best = candidate[i];
      const int64_t cost = cost_of_trial(sampler->manifold, candidate[i]);
      spent += cost;
      dpt_tick(own, cost);
    }
  }
  return best;
}

static dpt_status choose_proposal(dpt_ctx *ctx, dpt_laplace *sampler) {
  dpt_laplace_proposal candidate[DPT_LAPLACE_CENTER];
  int candidates = 0;
  for (int i = DPT_LAPLACE_TANGENT; i <= DPT_LAPLACE_CENTER; i++) {
    const bool wanted = sampler->target.proposal == DPT_LAPLACE_BEST || (int) sampler->target.proposal == i;
    if (wanted && applies(sampler, (dpt_laplace_proposal) i)) candidate[candidates++] = (dpt_laplace_proposal) i;
  }
  if (candidates == 0) return dpt_fail(ctx, DPT_ERROR_ARGUMENT, "no such proposal applies to this law");
  if (sampler->target.proposal != DPT_LAPLACE_BEST) { /* for the tests: unchanged */
    sampler->proposal = candidate[0];
    return DPT_OK;
  }
  dpt_ctx own = public_generator(ctx);
  const dpt_status status = set_location(ctx, sampler, comparison_location(ctx, &own, sampler));
  if (status != DPT_OK) return status;
  sampler->proposal = compare_proposals(&own, sampler, candidate, candidates);
  if (sampler->proposal == DPT_LAPLACE_BEST)
    return dpt_fail(ctx, DPT_ERROR_ARGUMENT,
                    "exact draws would take too long at this scale%s: none was accepted within seconds",
                    sampler->target.center ? ", location and ball" : "");
  return DPT_OK;
}

static dpt_laplace *new_sampler(dpt_ctx *ctx, const dpt_manifold *manifold, const dpt_laplace_target *target) {
  dpt_laplace *sampler = DPT_NEW(ctx, dpt_laplace, 1);
  *sampler = (dpt_laplace){.manifold = manifold, .target = *target};
  sampler->frame = DPT_NEW(ctx, double, manifold->frame_size);
  sampler->center_frame = DPT_NEW(ctx, double, manifold->frame_size);
  sampler->l = DPT_NEW(ctx, double, manifold->drift_size);
  sampler->v = DPT_NEW(ctx, double, manifold->dimension);
  sampler->y = DPT_NEW(ctx, double, manifold->size);
  sampler->work = DPT_NEW(ctx, double, manifold->work_size);
  return sampler;
}

dpt_status dpt_laplace_open(dpt_ctx *ctx, const dpt_manifold *manifold, const dpt_laplace_target *target,
                            dpt_laplace **opened) {
  if (!manifold->of->log_jacobian)
    return dpt_fail(ctx, DPT_ERROR_ARGUMENT, "exact draws need the Jacobian of the exponential map");
  if (!target->center && !dpt_laplace_is_finite(manifold, target->scale))
    return dpt_fail(ctx, DPT_ERROR_ARGUMENT, "the density has no finite integral at this scale");
  dpt_laplace *sampler = *opened = new_sampler(ctx, manifold, target);
  dpt_status status = DPT_OK;
  if (target->center) {
    manifold->of->frame(manifold, target->center, sampler->center_frame, sampler->work);
    status = open_radial(ctx, sampler, 0, target->radius, &sampler->in_ball);
    if (status == DPT_OK)
      status = open_radial(ctx, sampler, rate_of(target->scale), target->radius, &sampler->about_center);
  }
  if (status == DPT_OK && applies(sampler, DPT_LAPLACE_DRIFT)) status = open_drifts(ctx, sampler);
  if (status == DPT_OK) status = choose_proposal(ctx, sampler);
  if (status == DPT_OK) status = set_location(ctx, sampler, target->location);
  return status;
}

/* Makes the next draw: its tangent coordinates in sampler->v, its point in y if it was needed. */
static void draw_one(dpt_ctx *ctx, dpt_laplace *sampler, double *y) {
  const int64_t cost = cost_of_trial(sampler->manifold, sampler->proposal);
  bool done = false;
  while (!done) {
    done = propose(ctx, sampler, sampler->proposal, y);
    sampler->proposed++;
    dpt_tick(ctx, cost);
  }
  sampler->accepted++;
}

/* Are a draw's coordinates taken at the location, with its point not computed yet? */
static bool is_tangent(const dpt_laplace *sampler) { return sampler->proposal <= DPT_LAPLACE_STEEP; }

void dpt_laplace_draw(dpt_ctx *ctx, dpt_laplace *sampler, ptrdiff_t n, double *points) {
  const dpt_manifold *manifold = sampler->manifold;
  for (ptrdiff_t i = 0; i < n; i++) {
    double *y = points + i * manifold->size;
    draw_one(ctx, sampler, y);
    if (is_tangent(sampler) && !sampler->target.center)
      manifold->of->exp(manifold, sampler->frame, sampler->v, y, sampler->work);
    if (manifold->of->canonical) manifold->of->canonical(manifold, y, sampler->work);
    ctx->fraction = (double) (i + 1) / (double) n;
  }
}

void dpt_laplace_draw_coordinates(dpt_ctx *ctx, dpt_laplace *sampler, const double *origin, ptrdiff_t n, double *w) {
  const dpt_manifold *manifold = sampler->manifold;
  double *origin_frame = DPT_NEW(ctx, double, manifold->frame_size);
  manifold->of->frame(manifold, origin, origin_frame, sampler->work);
  for (ptrdiff_t i = 0; i < n; i++, w += manifold->dimension) {
    draw_one(ctx, sampler, sampler->y);
    if (sampler->proposal == DPT_LAPLACE_UNIFORM) {
      manifold->of->log(manifold, origin_frame, sampler->y, w, sampler->work);
    } else {
      const double *from = is_tangent(sampler) ? sampler->frame : sampler->center_frame;
      dpt_manifold_end(manifold, origin_frame, from, sampler->v, w, sampler->y, sampler->work);
    }
    ctx->fraction = (double) (i + 1) / (double) n;
  }
}

double dpt_laplace_acceptance(const dpt_laplace *sampler) { return sampler->accepted / sampler->proposed; }

dpt_laplace_proposal dpt_laplace_chosen(const dpt_laplace *sampler) { return sampler->proposal; }
