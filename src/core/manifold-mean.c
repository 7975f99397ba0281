/* manifold-mean.c - the Frechet mean and the geometric median, with a bound of their error.
 *
 * Descent along the gradient. The curvature along the last step determines the length of the next one (Barzilai and
 * Borwein 1988), which costs two logarithms and no pass over the points. A step is accepted if it halves the gradient,
 * or lowers the function below the highest of the last five values (Grippo, Lampariello and Lucidi 1986). Such steps
 * must be allowed to rise, because this makes them fast. Otherwise the step is halved. Flat manifolds take one step,
 * others four to ten. If this fails for a mean, steps with proved progress follow (manifold-ball.h), in a ball that
 * holds the points.
 *
 * The mean's error: F is h-convex between the result and the true mean, so they are within gradient / h. The median's:
 * the mean distance is convex, so the excess is within subgradient times distance. Both bounds include the rounding
 * errors of each logarithm, which a separate pass bounds. inst/proofs/manifold-mean.md has the statements and proofs.
 *
 * In a public ball the tolerance, the number of steps and the error are functions of the ball. They are known before
 * the points, and hold for any points.
 *
 * The median's step is Weiszfeld's (Fletcher et al. 2009) times the same factor; at one of the points, the shortest
 * subgradient replaces the gradient (Vardi and Zhang 2000). If the median is one of the points, Weiszfeld's steps
 * toward it get shorter and shorter. So the nearest point is tried now and then, where the subgradient is zero at once.
 *
 * Cost: a pass over the points (manifold-sums.h) per step. Tried and rejected: step one throughout (12 passes instead
 * of 7 on SPD(3) of radius 1.5, and 23 instead of 8 of radius 3), and values that must never rise (medians near one of
 * the points took hundreds of passes, now some tens). Rejected untried: a fixed step of two (diverges), stopping by the
 * change of the function (loses half of the digits), and Newton's method (the Hessian costs more than the passes that
 * it could save). */
#include "manifold-mean.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "manifold-ball.h"
#include "manifold-parts.h"
#include "manifold-rounding.h"

/* Default tolerances, relative to the radius. Every manifold reaches the tolerance of a mean's gradient unless rounding
 * prevents it. The median's tolerance is for values, whose error is the square of the distance's error. */
static const double MEAN_TOLERANCE = 1e-12, MEDIAN_TOLERANCE = 1e-10;

static const double FAST_STEPS = 64;    /* in a public ball, before steps with a proof */
static const double SUFFICIENT = 1e-4;  /* Armijo's fraction */
static const double WORST_ROUNDING = 8; /* a ball is refused if this many of its tolerances exceed its radius */
enum { MEMORY = 5 };                    /* iterates whose values a step may rise to */

typedef struct {
  dpt_ctx *ctx;
  const dpt_manifold *manifold;
  const dpt_objective *objective;
  bool median;
  double tolerance; /* 0: the default */
  bool bounded;     /* is a ball known that holds the points? Then steps end in it. */
  double radius;
  double *center, *center_frame;
  dpt_iterate *current, *trial;
  double recent[MEMORY];               /* values at the last iterates */
  double known_rounding, known_radius; /* a bound of rounding errors, and the radius for which it was computed */
  double *v, *u, *work;
  double steps;
} descent;

static descent *new_descent(dpt_ctx *ctx, const dpt_manifold *manifold, dpt_weighted points, bool median,
                            double coincident) {
  descent *state = DPT_NEW(ctx, descent, 1);
  *state = (descent){.ctx = ctx,
                     .manifold = manifold,
                     .objective = dpt_objective_new(ctx, manifold, points, median, coincident),
                     .median = median,
                     .known_radius = INFINITY,
                     .center = DPT_NEW(ctx, double, manifold->size),
                     .center_frame = DPT_NEW(ctx, double, manifold->frame_size),
                     .current = dpt_iterate_new(ctx, manifold),
                     .trial = dpt_iterate_new(ctx, manifold),
                     .v = DPT_NEW(ctx, double, manifold->dimension),
                     .u = DPT_NEW(ctx, double, manifold->dimension),
                     .work = DPT_NEW(ctx, double, manifold->work_size)};
  return state;
}

static void evaluate(descent *state, dpt_iterate *iterate) {
  dpt_objective_evaluate(state->ctx, state->objective, iterate);
}

static void accept_trial(descent *state) {
  dpt_iterate *previous = state->current;
  state->current = state->trial;
  state->trial = previous;
  memmove(state->recent + 1, state->recent, (MEMORY - 1) * sizeof *state->recent);
  state->recent[0] = state->current->value;
}

static void start_at(descent *state, const double *start) {
  dpt_vector_copy(state->manifold->size, start, state->current->point);
  evaluate(state, state->current);
  for (int i = 0; i < MEMORY; i++) state->recent[i] = state->current->value;
}

static void bound_by(descent *state, const double *center, double radius) {
  dpt_vector_copy(state->manifold->size, center, state->center);
  state->manifold->of->frame(state->manifold, center, state->center_frame, state->work);
  state->radius = radius;
  state->bounded = true;
}

/* Finds a ball that holds the points. A ball around any point, up to the farthest one, does. The first that is small
 * enough is used. */
static void find_ball(descent *state) {
  const dpt_iterate *current = state->current;
  if (state->bounded || !(current->radius < dpt_ball_limit(state->manifold))) return;
  bound_by(state, current->point, current->radius);
}

/* Computes the trial: the end of a step against the gradient, moved into the ball if one is known. */
static void take_step(descent *state, double step) {
  const dpt_manifold *manifold = state->manifold;
  const dpt_iterate *current = state->current;
  for (ptrdiff_t j = 0; j < manifold->dimension; j++) state->v[j] = -step / current->divisor * current->gradient[j];
  manifold->of->exp(manifold, current->frame, state->v, state->trial->point, state->work);
  if (state->bounded) {
    manifold->of->log(manifold, state->center_frame, state->trial->point, state->v, state->work);
    double far = sqrt(dpt_vector_dot(manifold->dimension, state->v, state->v));
    if (far > state->radius) {
      for (ptrdiff_t j = 0; j < manifold->dimension; j++) state->v[j] *= state->radius / far;
      manifold->of->exp(manifold, state->center_frame, state->v, state->trial->point, state->work);
    }
  }
  evaluate(state, state->trial);
  state->steps++;
}

/* Computes the step that would have been exact between the two iterates if the function were quadratic. */
static double secant(descent *state) {
  const dpt_manifold *manifold = state->manifold;
  const dpt_iterate *current = state->current, *trial = state->trial;
  const ptrdiff_t n = manifold->dimension;
  manifold->of->log(manifold, current->frame, trial->point, state->v, state->work);
  manifold->of->log(manifold, trial->frame, current->point, state->u, state->work);
  double change = -dpt_vector_dot(n, trial->gradient, state->u) - dpt_vector_dot(n, current->gradient, state->v);
  double step = dpt_vector_dot(n, state->u, state->u) * current->divisor / change;
  return change > 0 ? fmin(fmax(step, 1e-3), 1e6) : 1;
}

static bool improves(const descent *state, double step) {
  const dpt_iterate *current = state->current, *trial = state->trial;
  double worst = state->recent[0], least = SUFFICIENT * step * current->norm * current->norm / current->divisor;
  for (int i = 1; i < MEMORY; i++) worst = fmax(worst, state->recent[i]);
  return trial->norm <= current->norm / 2 || trial->value <= worst - least ||
         (trial->norm < current->norm && trial->value <= worst * (1 + 8 * DBL_EPSILON));
}

/* Returns the quantity that the tolerance bounds: a mean's gradient, or a median's excess. */
static double criterion(const descent *state) {
  return state->median ? state->current->norm * state->current->radius : state->current->norm;
}

static bool has_converged(const descent *state) {
  double tolerance = (state->median ? MEDIAN_TOLERANCE : MEAN_TOLERANCE) * state->current->radius;
  return criterion(state) <= (state->tolerance > 0 ? state->tolerance : tolerance);
}

/* Bounds the rounding errors of the gradient, in units of its divisor, and of the point. If no bound is known, the
 * descent assumes that they are small. */
static double rounding(const descent *state) {
  const dpt_iterate *current = state->current;
  const dpt_objective_bounds bounds = dpt_objective_bound(state->ctx, state->objective, current);
  const double bound = bounds.rounding / current->divisor + bounds.offset;
  return isfinite(bound) ? bound : 64 * DBL_EPSILON * current->radius;
}

/* Can rounding errors explain that the gradient does not fall? Their bound is kept from step to step, because it is
 * expensive and changes little. */
static bool at_rounding(descent *state) {
  const dpt_iterate *current = state->current;
  if (!(state->known_radius <= 1.1 * current->radius)) {
    state->known_rounding = rounding(state);
    state->known_radius = current->radius;
  }
  return current->norm <= 4 * state->known_rounding * current->divisor;
}

/* Moves to the nearest of the points if the function is lower there. */
static void try_nearest(descent *state, const dpt_weighted *points) {
  ptrdiff_t size = state->manifold->size;
  dpt_vector_copy(size, points->points + state->current->nearest * size, state->trial->point);
  evaluate(state, state->trial);
  state->steps++;
  if (state->trial->value < state->current->value) accept_trial(state);
}

/* Descends until the tolerance is met, or until rounding or the number of steps ends the descent. Returns whether it
 * has converged. */
static bool descend(descent *state, const dpt_weighted *points, double max_steps) {
  double step = 1, next_nearest = 8;
  while (!has_converged(state)) {
    if (state->steps >= max_steps) return false;
    state->ctx->fraction = state->steps / max_steps;
    take_step(state, step);
    if (state->trial->norm > state->current->norm / 2 && at_rounding(state)) return state->tolerance == 0;
    double next = secant(state);
    if (improves(state, step)) {
      accept_trial(state);
      find_ball(state);
      step = next;
    } else {
      step = fmin(next, step / 2);
    }
    if (state->median && state->steps >= next_nearest) {
      try_nearest(state, points);
      next_nearest *= 2;
    }
  }
  return true;
}

/* Makes steps with proved progress. */
static bool descend_with_proof(descent *state, double tolerance) {
  dpt_ball_descent plan = dpt_ball_plan(state->manifold, state->radius);
  double left = dpt_ball_steps(&plan, state->current->norm, tolerance);
  if (!isfinite(left)) return false;
  for (; left > 0 && state->current->norm > tolerance; left--) {
    take_step(state, plan.step);
    accept_trial(state);
  }
  return state->current->norm <= tolerance;
}

/* Computes the smallest tolerance that a descent in a ball surely reaches in spite of such rounding errors. */
static double reachable(const dpt_manifold *manifold, double radius, double error) {
  dpt_ball_descent plan = dpt_ball_plan(manifold, radius);
  return fmax(MEAN_TOLERANCE * radius, 4 * error * plan.smoothness / plan.rate);
}

dpt_mean_bound dpt_manifold_mean_bound(dpt_ctx *ctx, const dpt_manifold *manifold, const double *center,
                                       double radius) {
  double tolerance = INFINITY, h = dpt_ball_convexity(manifold, 2 * radius);
  if (radius < dpt_ball_limit(manifold))
    tolerance = reachable(manifold, radius, dpt_ball_rounding(ctx, manifold, center, radius));
  if (!(WORST_ROUNDING * tolerance < radius)) return (dpt_mean_bound){INFINITY, INFINITY};
  return (dpt_mean_bound){tolerance, 1.25 * tolerance / h}; /* a quarter for rounding */
}

double dpt_manifold_mean_in_ball(dpt_ctx *ctx, const dpt_manifold *manifold, dpt_weighted points, const double *center,
                                 double radius, double *mean) {
  descent *state = new_descent(ctx, manifold, points, false, 0);
  state->tolerance = dpt_manifold_mean_bound(ctx, manifold, center, radius).tolerance;
  bound_by(state, center, radius);
  start_at(state, center);
  if (!descend(state, &points, FAST_STEPS)) descend_with_proof(state, state->tolerance);
  dpt_vector_copy(manifold->size, state->current->point, mean);
  return state->current->norm;
}

/* Bounds the distance of the true mean from a point with all points within `radius` and a gradient of at most
 * `gradient`. Consider the smallest ball around the point at whose edge the gradient must point outward. It holds a
 * zero of the gradient, which is the mean. */
static double mean_error(const dpt_manifold *manifold, double radius, double gradient) {
  double ball = 2 * gradient / dpt_ball_convexity(manifold, radius);
  double reach = fmax(radius, ball);
  double error = gradient / dpt_ball_convexity(manifold, reach + ball);
  if (error <= ball && reach < dpt_ball_limit_around_mean(manifold)) return error;
  if (radius < dpt_ball_limit(manifold)) return gradient / dpt_ball_convexity(manifold, 2 * radius);
  return INFINITY;
}

static double bound_error(const descent *state) {
  const dpt_objective_bounds bounds = dpt_objective_bound(state->ctx, state->objective, state->current);
  if (!isfinite(bounds.gradient) || !isfinite(bounds.offset)) return INFINITY;
  if (!state->median) return mean_error(state->manifold, bounds.radius, bounds.gradient) + bounds.offset;
  if (!(bounds.radius < dpt_ball_limit(state->manifold))) return INFINITY;
  return bounds.gradient * bounds.radius + bounds.value + bounds.offset;
}

static ptrdiff_t first_of_weight(const dpt_weighted *points) {
  ptrdiff_t i = 0;
  while (points->weights && points->weights[i] == 0) i++;
  return i;
}

/* Bounds the apparent distance of two representations of one point. For a median, points within this distance
 * coincide. */
static double coincident_at(dpt_ctx *ctx, const dpt_manifold *manifold, const double *x) {
  dpt_arena_mark mark = dpt_arena_here(&ctx->arena);
  double *frame = DPT_NEW(ctx, double, manifold->frame_size), *v = DPT_NEW(ctx, double, manifold->dimension);
  double *work = DPT_NEW(ctx, double, manifold->work_size);
  manifold->of->frame(manifold, x, frame, work);
  manifold->of->log(manifold, frame, x, v, work);
  const dpt_rounding log = dpt_rounding_of_log(manifold, frame, x, v, work);
  double coincident = log.point + log.tangent + dpt_rounding_of_frame(manifold, frame, x, work);
  dpt_arena_release(&ctx->arena, mark);
  coincident += dpt_rounding_guess(ctx, manifold, x, 0);
  return isfinite(coincident) ? coincident : 0;
}

void dpt_manifold_mean(dpt_ctx *ctx, const dpt_manifold *manifold, const dpt_mean_problem *problem, double *mean,
                       dpt_mean_result *result) {
  const double *start = problem->points.points + first_of_weight(&problem->points) * manifold->size;
  double coincident = problem->median ? coincident_at(ctx, manifold, start) : 0;
  descent *state = new_descent(ctx, manifold, problem->points, problem->median, coincident);
  state->tolerance = problem->tolerance;
  start_at(state, start);
  find_ball(state);
  bool converged = descend(state, &problem->points, problem->max_steps);
  if (!converged && problem->sure && !problem->median && state->bounded && state->steps >= problem->max_steps)
    converged = descend_with_proof(state, fmax(state->tolerance, reachable(manifold, state->radius, rounding(state))));
  dpt_vector_copy(manifold->size, state->current->point, mean);
  *result = (dpt_mean_result){.gradient = state->current->norm,
                              .error = bound_error(state),
                              .value = problem->median ? state->current->value : 2 * state->current->value,
                              .radius = state->current->radius,
                              .steps = state->steps,
                              .converged = converged};
}
