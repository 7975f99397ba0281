/* manifold-mean.c - the Frechet mean and the geometric median, with a bound of their error.
 *
 * Descent along the gradient. A step is as long as the curvature seen along the last one says (Barzilai and Borwein
 * 1988; it costs two logarithms, not a pass over the points). It is accepted where it halves the gradient, or lowers the
 * function below the highest of the last five values (Grippo, Lampariello and Lucidi 1986; such steps must be free to
 * rise, or they lose what makes them fast); otherwise it is halved. Flat manifolds arrive in one step, others in four
 * to ten. For a mean, should this ever fail, steps follow whose progress is proved (manifold-ball.h), in a ball that
 * holds the points.
 *
 * The mean's error: F is h-convex between the result and the true mean, so they are within gradient / h. The median's:
 * the mean distance is convex, so the excess is within subgradient times distance. Both with what rounding may have
 * done to each logarithm, bounded in a pass of its own. The statements and proofs are in inst/proofs/manifold-mean.md.
 *
 * In a public ball the tolerance, the number of steps and the error are functions of the ball: what is promised before
 * the points are seen is kept whatever they are.
 *
 * The median's step is Weiszfeld's (Fletcher et al. 2009) times the same factor; at a point of the cloud the shortest
 * subgradient stands in for the gradient (Vardi and Zhang 2000). Weiszfeld's steps toward a median that is a point of the
 * cloud get shorter and shorter, so the nearest point is tried now and then: there the subgradient is zero at once.
 *
 * Cost: a pass over the points (manifold-sums.h) a step. Tried and rejected: step one throughout (12 passes
 * against 7 on SPD(3) of radius 1.5, 23 against 8 of radius 3), values that must never rise (medians beside a point of
 * the cloud took hundreds of passes, now some tens). Rejected untried: a fixed step of two (diverges), stopping on the
 * change of the function (loses half of the digits), Newton's method (the Hessian costs more than the passes that it
 * could save). */
#include "manifold-mean.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "manifold-ball.h"
#include "manifold-parts.h"
#include "manifold-rounding.h"

/* Relative to the radius. A gradient's are met by every manifold unless rounding forbids; a median's is one of values,
 * whose error is the square of the distance's. */
static const double MEAN_TOLERANCE = 1e-12, MEDIAN_TOLERANCE = 1e-10;

static const double FAST_STEPS = 64;    /* in a public ball, before steps with a proof */
static const double SUFFICIENT = 1e-4;  /* Armijo's fraction */
static const double WORST_ROUNDING = 8; /* a ball is refused where this many of its tolerances exceed its radius */
enum { MEMORY = 5 };                    /* stations whose values a step may rise to */

typedef struct {
  dpt_ctx *ctx;
  const dpt_manifold *manifold;
  const dpt_cloud *cloud;
  bool median;
  double tolerance; /* 0: the default */
  bool bounded;     /* is a ball known that holds the points? Then steps end in it. */
  double radius;
  double *center, *center_frame;
  dpt_station *here, *there;
  double recent[MEMORY];       /* values at the last stations */
  double grain, grain_radius; /* a bound of rounding errors, and the radius for which it was computed */
  double *v, *u, *work;
  double steps;
} descent;

static descent *new_descent(dpt_ctx *ctx, const dpt_manifold *manifold, dpt_weighted points, bool median,
                            double touch) {
  descent *down = DPT_NEW(ctx, descent, 1);
  *down = (descent){.ctx = ctx,
                    .manifold = manifold,
                    .cloud = dpt_cloud_new(ctx, manifold, points, median, touch),
                    .median = median,
                    .grain_radius = INFINITY,
                    .center = DPT_NEW(ctx, double, manifold->size),
                    .center_frame = DPT_NEW(ctx, double, manifold->frame_size),
                    .here = dpt_station_new(ctx, manifold),
                    .there = dpt_station_new(ctx, manifold),
                    .v = DPT_NEW(ctx, double, manifold->dimension),
                    .u = DPT_NEW(ctx, double, manifold->dimension),
                    .work = DPT_NEW(ctx, double, manifold->work_size)};
  return down;
}

static void look(descent *down, dpt_station *station) { dpt_cloud_look(down->ctx, down->cloud, station); }

static void arrive(descent *down) {
  dpt_station *left = down->here;
  down->here = down->there;
  down->there = left;
  memmove(down->recent + 1, down->recent, (MEMORY - 1) * sizeof *down->recent);
  down->recent[0] = down->here->value;
}

/* Begins at a point. */
static void begin(descent *down, const double *start) {
  dpt_vector_copy(down->manifold->size, start, down->here->point);
  look(down, down->here);
  for (int i = 0; i < MEMORY; i++) down->recent[i] = down->here->value;
}

static void bound_by(descent *down, const double *center, double radius) {
  dpt_vector_copy(down->manifold->size, center, down->center);
  down->manifold->of->frame(down->manifold, center, down->center_frame, down->work);
  down->radius = radius;
  down->bounded = true;
}

/* The points lie in the ball around any point up to the farthest: the first such ball that is small enough will do. */
static void find_ball(descent *down) {
  const dpt_station *here = down->here;
  if (!down->bounded && here->radius < dpt_ball_limit(down->manifold)) bound_by(down, here->point, here->radius);
}

/* Looks around from the end of a step against the gradient, moved to the ball where one is known. */
static void go(descent *down, double step) {
  const dpt_manifold *manifold = down->manifold;
  const dpt_station *here = down->here;
  for (ptrdiff_t j = 0; j < manifold->dimension; j++) down->v[j] = -step / here->pull * here->slope[j];
  manifold->of->exp(manifold, here->frame, down->v, down->there->point, down->work);
  if (down->bounded) {
    manifold->of->log(manifold, down->center_frame, down->there->point, down->v, down->work);
    double far = sqrt(dpt_vector_dot(manifold->dimension, down->v, down->v));
    if (far > down->radius) {
      for (ptrdiff_t j = 0; j < manifold->dimension; j++) down->v[j] *= down->radius / far;
      manifold->of->exp(manifold, down->center_frame, down->v, down->there->point, down->work);
    }
  }
  look(down, down->there);
  down->steps++;
}

/* The step that would have been right between the two stations, had the function been quadratic. */
static double secant(descent *down) {
  const dpt_manifold *manifold = down->manifold;
  const dpt_station *here = down->here, *there = down->there;
  const ptrdiff_t n = manifold->dimension;
  manifold->of->log(manifold, here->frame, there->point, down->v, down->work);
  manifold->of->log(manifold, there->frame, here->point, down->u, down->work);
  double bend = -dpt_vector_dot(n, there->slope, down->u) - dpt_vector_dot(n, here->slope, down->v);
  double step = dpt_vector_dot(n, down->u, down->u) * here->pull / bend;
  return bend > 0 ? fmin(fmax(step, 1e-3), 1e6) : 1;
}

static bool improves(const descent *down, double step) {
  const dpt_station *here = down->here, *there = down->there;
  double worst = down->recent[0], least = SUFFICIENT * step * here->length * here->length / here->pull;
  for (int i = 1; i < MEMORY; i++) worst = fmax(worst, down->recent[i]);
  return there->length <= here->length / 2 || there->value <= worst - least ||
         (there->length < here->length && there->value <= worst * (1 + 8 * DBL_EPSILON));
}

/* What the tolerance speaks of: a mean's gradient, a median's excess. */
static double distance_from_goal(const descent *down) {
  return down->median ? down->here->length * down->here->radius : down->here->length;
}

static bool settled(const descent *down) {
  double tolerance = (down->median ? MEDIAN_TOLERANCE : MEAN_TOLERANCE) * down->here->radius;
  return distance_from_goal(down) <= (down->tolerance > 0 ? down->tolerance : tolerance);
}

/* A bound of the rounding errors of the gradient, in units of its pull, and of those of the point. Where none is known
 * the descent takes them for small. */
static double rounding(const descent *down) {
  const dpt_station *here = down->here;
  const dpt_cloud_bounds bounds = dpt_cloud_bound(down->ctx, down->cloud, here);
  const double noise = bounds.noise / here->pull + bounds.place;
  return isfinite(noise) ? noise : 64 * DBL_EPSILON * here->radius;
}

/* Can rounding errors be what keeps the gradient from falling? Their bound is kept from station to station, as it
 * costs much and changes little. */
static bool at_rounding(descent *down) {
  const dpt_station *here = down->here;
  if (!(down->grain_radius <= 1.1 * here->radius)) {
    down->grain = rounding(down);
    down->grain_radius = here->radius;
  }
  return here->length <= 4 * down->grain * here->pull;
}

/* Moves to the point of the cloud nearest to here if the function is lower there. */
static void try_nearest(descent *down, const dpt_weighted *points) {
  ptrdiff_t size = down->manifold->size;
  dpt_vector_copy(size, points->points + down->here->nearest * size, down->there->point);
  look(down, down->there);
  down->steps++;
  if (down->there->value < down->here->value) arrive(down);
}

/* Descends until the goal, or until rounding or the number of steps ends it: has it arrived? */
static bool descend(descent *down, const dpt_weighted *points, double max_steps) {
  double step = 1, next_try = 8;
  while (!settled(down)) {
    if (down->steps >= max_steps) return false;
    go(down, step);
    if (down->there->length > down->here->length / 2 && at_rounding(down)) return down->tolerance == 0;
    double next = secant(down);
    if (improves(down, step)) {
      arrive(down);
      find_ball(down);
      step = next;
    } else {
      step = fmin(next, step / 2);
    }
    if (down->median && down->steps >= next_try) {
      try_nearest(down, points);
      next_try *= 2;
    }
  }
  return true;
}

/* Steps whose progress is proved. */
static bool descend_surely(descent *down, double tolerance) {
  dpt_ball_descent plan = dpt_ball_plan(down->manifold, down->radius);
  double left = dpt_ball_steps(&plan, down->here->length, tolerance);
  if (!isfinite(left)) return false;
  for (; left > 0 && down->here->length > tolerance; left--) {
    go(down, plan.step);
    arrive(down);
  }
  return down->here->length <= tolerance;
}

/* The smallest tolerance that a descent in a ball is sure to reach in spite of such rounding errors. */
static double reachable(const dpt_manifold *manifold, double radius, double error) {
  dpt_ball_descent plan = dpt_ball_plan(manifold, radius);
  return fmax(MEAN_TOLERANCE * radius, 4 * error * plan.smoothness / plan.rate);
}

dpt_mean_promise dpt_manifold_mean_promise(dpt_ctx *ctx, const dpt_manifold *manifold, const double *center,
                                           double radius) {
  double tolerance = INFINITY, h = dpt_ball_convexity(manifold, 2 * radius);
  if (radius < dpt_ball_limit(manifold))
    tolerance = reachable(manifold, radius, dpt_ball_rounding(ctx, manifold, center, radius));
  if (!(WORST_ROUNDING * tolerance < radius)) return (dpt_mean_promise){INFINITY, INFINITY};
  return (dpt_mean_promise){tolerance, 1.25 * tolerance / h}; /* a quarter for rounding */
}

double dpt_manifold_mean_in_ball(dpt_ctx *ctx, const dpt_manifold *manifold, dpt_weighted points,
                                 const double *center, double radius, double *mean) {
  descent *down = new_descent(ctx, manifold, points, false, 0);
  down->tolerance = dpt_manifold_mean_promise(ctx, manifold, center, radius).tolerance;
  bound_by(down, center, radius);
  begin(down, center);
  if (!descend(down, &points, FAST_STEPS)) descend_surely(down, down->tolerance);
  dpt_vector_copy(manifold->size, down->here->point, mean);
  return down->here->length;
}

/* A bound of the distance of the true mean from a point with all points within `radius` and a gradient of at most
 * `gradient`: the smallest ball around it at whose edge the gradient must point outward holds a zero of the gradient,
 * and that is the mean. */
static double mean_error(const dpt_manifold *manifold, double radius, double gradient) {
  double ball = 2 * gradient / dpt_ball_convexity(manifold, radius);
  double reach = fmax(radius, ball);
  double error = gradient / dpt_ball_convexity(manifold, reach + ball);
  if (error <= ball && reach < dpt_ball_limit_around_mean(manifold)) return error;
  if (radius < dpt_ball_limit(manifold)) return gradient / dpt_ball_convexity(manifold, 2 * radius);
  return INFINITY;
}

static double bound_error(const descent *down) {
  const dpt_cloud_bounds bounds = dpt_cloud_bound(down->ctx, down->cloud, down->here);
  if (!isfinite(bounds.gradient) || !isfinite(bounds.place)) return INFINITY;
  if (!down->median) return mean_error(down->manifold, bounds.radius, bounds.gradient) + bounds.place;
  return bounds.radius < dpt_ball_limit(down->manifold) ? bounds.gradient * bounds.radius + bounds.value + bounds.place
                                                        : INFINITY;
}

static ptrdiff_t first_of_weight(const dpt_weighted *points) {
  ptrdiff_t i = 0;
  while (points->weights && points->weights[i] == 0) i++;
  return i;
}

/* How far apart two representations of one point may seem to be: within it, points are one for a median. */
static double touch_at(dpt_ctx *ctx, const dpt_manifold *manifold, const double *x) {
  dpt_arena_mark here = dpt_arena_here(&ctx->arena);
  double *frame = DPT_NEW(ctx, double, manifold->frame_size), *v = DPT_NEW(ctx, double, manifold->dimension);
  double *work = DPT_NEW(ctx, double, manifold->work_size);
  manifold->of->frame(manifold, x, frame, work);
  manifold->of->log(manifold, frame, x, v, work);
  const dpt_rounding log = dpt_rounding_of_log(manifold, frame, x, v, work);
  double touch = log.point + log.tangent + dpt_rounding_of_frame(manifold, frame, x, work);
  dpt_arena_release(&ctx->arena, here);
  touch += dpt_rounding_guess(ctx, manifold, x, 0);
  return isfinite(touch) ? touch : 0;
}

void dpt_manifold_mean(dpt_ctx *ctx, const dpt_manifold *manifold, const dpt_mean_problem *problem, double *mean,
                       dpt_mean_result *result) {
  const double *start = problem->points.points + first_of_weight(&problem->points) * manifold->size;
  double touch = problem->median ? touch_at(ctx, manifold, start) : 0;
  descent *down = new_descent(ctx, manifold, problem->points, problem->median, touch);
  down->tolerance = problem->tolerance;
  begin(down, start);
  find_ball(down);
  bool converged = descend(down, &problem->points, problem->max_steps);
  if (!converged && problem->sure && !problem->median && down->bounded && down->steps >= problem->max_steps)
    converged = descend_surely(down, fmax(down->tolerance, reachable(manifold, down->radius, rounding(down))));
  dpt_vector_copy(manifold->size, down->here->point, mean);
  *result = (dpt_mean_result){.gradient = down->here->length,
                              .error = bound_error(down),
                              .value = problem->median ? down->here->value : 2 * down->here->value,
                              .radius = down->here->radius,
                              .steps = down->steps,
                              .converged = converged};
}
