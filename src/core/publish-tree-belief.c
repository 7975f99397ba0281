/* publish-tree-belief.c - the joint probabilities of each clique of a graphical model, and margins in cliques.
 *
 * The probability of a record is proportional to the exponential of the sum of its log potentials. There are two passes
 * along the junction tree (Lauritzen and Spiegelhalter 1988, in logarithms). The first starts at the leaves. For each
 * state of the separator, a clique is divided by its sum, which gives the conditional probabilities of the columns that
 * its parent does not have. The logarithms of the sums are passed to the parent. The second pass starts at the root,
 * and multiplies each clique by its separator's probabilities in the parent. Within a clique the cells of one state of
 * the separator are contiguous, and their largest value is subtracted before the exponential. So nothing overflows, and
 * no state is divided by zero.
 *
 * Cost: one exponential and a few additions for each cell of the tree. Each set that is not contained in another takes
 * one pass into its clique and one out of it, about six nanoseconds per cell and set. Contained sets go through the
 * sets that contain them. From about 10^5 cells on, memory is the limit. Threads share large cliques in chunks of
 * cells, and share the sets as units, so that no sum depends on the number of threads.
 *
 * Rejected: tables of log potentials for cliques (they change with every new set; potentials of sets do not, so that a
 * fit can continue), and logarithms in the second pass. */
#include "publish-tree-belief.h"

#include <math.h>
#include <string.h>

#include "base-exp.h"
#include "base-simd.h"

/* Numbers of cells in a chunk, in a batch of exponentials, and from which on threads share the work. Below it, on a
 * busy machine, threads wait for each other longer than the work takes (a step of 46,000 cells: 0.4 ms by one thread,
 * 20 ms by two). */
enum { CHUNK = 1 << 13, BATCH = 1 << 11, SHARED = 1 << 19 };

/* ---- the plan --------------------------------------------------------------------------- */

/* Sorts sets by their number of columns, ties in the order given. */
static void sort_rising(const dpt_scopes *scopes, ptrdiff_t *rising) {
  ptrdiff_t done = 0;
  for (int columns = 0; done < scopes->count; columns++)
    for (ptrdiff_t i = 0; i < scopes->count; i++)
      if (dpt_scope(scopes, i).count == columns) rising[done++] = i;
}

static ptrdiff_t find_source(const dpt_belief *belief, ptrdiff_t i) {
  const dpt_axes axes = dpt_scope(belief->scopes, i);
  ptrdiff_t best = -1;
  for (ptrdiff_t j = 0; j < belief->scopes->count; j++) {
    const dpt_axes other = dpt_scope(belief->scopes, j);
    if (other.count <= axes.count || !dpt_axes_have_all(other, axes)) continue;
    if (best < 0 || belief->offset[j + 1] - belief->offset[j] < belief->offset[best + 1] - belief->offset[best])
      best = j;
  }
  return best;
}

static void plan_scope(dpt_belief *belief, ptrdiff_t i) {
  const dpt_axes own = dpt_scope(belief->scopes, i);
  belief->source[i] = find_source(belief, i);
  belief->holder[i] = belief->source[i] < 0 ? dpt_tree_holder(belief->tree, own) : -1;
  const dpt_axes large = belief->source[i] < 0 ? belief->tree->axes[belief->holder[i]]
                                               : dpt_scope(belief->scopes, belief->source[i]);
  const dpt_axes into[2] = {large, own}, out[2] = {own, large};
  dpt_walk_plan(belief->into + i, belief->tree->size, large, 2, into);
  dpt_walk_plan(belief->out + i, belief->tree->size, large, 2, out);
}

void dpt_belief_plan(dpt_ctx *ctx, const dpt_tree *tree, const dpt_scopes *scopes, dpt_belief *belief) {
  const ptrdiff_t sets = scopes->count, cliques = tree->cliques;
  *belief = (dpt_belief){.tree = tree,
                         .scopes = scopes,
                         .offset = DPT_NEW(ctx, ptrdiff_t, sets + 1),
                         .source = DPT_NEW(ctx, ptrdiff_t, sets),
                         .holder = DPT_NEW(ctx, int, sets),
                         .rising = DPT_NEW(ctx, ptrdiff_t, sets),
                         .into = DPT_NEW(ctx, dpt_walk, sets),
                         .out = DPT_NEW(ctx, dpt_walk, sets),
                         .up = DPT_NEW(ctx, dpt_walk, cliques),
                         .down = DPT_NEW(ctx, dpt_walk, cliques),
                         .separator = DPT_NEW(ctx, double *, cliques),
                         .belief = DPT_NEW(ctx, double, tree->offset[cliques])};
  belief->offset[0] = 0;
  for (ptrdiff_t i = 0; i < sets; i++)
    belief->offset[i + 1] = belief->offset[i] + (ptrdiff_t) dpt_table_cells(tree->size, dpt_scope(scopes, i));
  belief->potential = DPT_NEW(ctx, double, belief->offset[sets]);
  sort_rising(scopes, belief->rising);
  for (ptrdiff_t i = 0; i < sets; i++) plan_scope(belief, i);
  for (int c = 0; c < cliques; c++) {
    belief->separator[c] = DPT_NEW(ctx, double, tree->cells[c] / tree->rest[c]);
    if (c == 0) continue;
    const dpt_axes above = tree->axes[tree->parent[c]], own = dpt_tree_separator(tree, c);
    const dpt_axes up[2] = {above, own}, down[2] = {own, above};
    dpt_walk_plan(belief->up + c, tree->size, above, 2, up);
    dpt_walk_plan(belief->down + c, tree->size, above, 2, down);
  }
}

/* ---- chunks of cells, shared by the threads ------------------------------------------------------- */

static ptrdiff_t chunk_runs(const dpt_walk *walk) { return walk->length < CHUNK ? CHUNK / walk->length : 1; }

static void add_all(const dpt_walk *walk, double *a, const double *b, int threads) {
  const ptrdiff_t each = chunk_runs(walk), chunks = (walk->runs + each - 1) / each;
  (void) threads;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1 && walk->runs * walk->length >= SHARED)
#endif
  for (ptrdiff_t k = 0; k < chunks; k++)
    dpt_walk_add(walk, k * each, (k + 1) * each < walk->runs ? (k + 1) * each : walk->runs, a, b);
}

/* ---- conditional probabilities -------------------------------------------------------------------- */

/* Turns log potentials of some states of the separator into conditional probabilities. `message` receives the
 * logarithms of the divisors. */
static void condition(ptrdiff_t rest, ptrdiff_t states, double *cell, double *message) {
  for (ptrdiff_t s = 0; s < states; s++) {
    double *block = cell + s * rest;
    double top = block[0];
    for (ptrdiff_t i = 1; i < rest; i++) top = block[i] > top ? block[i] : top;
    DPT_SIMD("omp simd")
    for (ptrdiff_t i = 0; i < rest; i++) block[i] -= top;
    message[s] = top;
  }
  dpt_exp_below(rest * states, cell);
  for (ptrdiff_t s = 0; s < states; s++) {
    double *block = cell + s * rest;
    double sum = 0;
    DPT_SIMD("omp simd reduction(+ : sum)")
    for (ptrdiff_t i = 0; i < rest; i++) sum += block[i];
    message[s] += log(sum);
    const double by = 1 / sum;
    DPT_SIMD("omp simd")
    for (ptrdiff_t i = 0; i < rest; i++) block[i] *= by;
  }
}

static void condition_all(ptrdiff_t rest, ptrdiff_t states, double *cell, double *message, int threads) {
  const ptrdiff_t each = rest < BATCH ? BATCH / rest : 1, batches = (states + each - 1) / each;
  (void) threads;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1 && rest * states >= SHARED)
#endif
  for (ptrdiff_t k = 0; k < batches; k++) {
    const ptrdiff_t from = k * each, count = from + each < states ? each : states - from;
    condition(rest, count, cell + from * rest, message + from);
  }
}

static void weigh_states(ptrdiff_t rest, ptrdiff_t states, double *cell, const double *weight) {
  for (ptrdiff_t s = 0; s < states; s++) {
    double *block = cell + s * rest;
    const double by = weight[s];
    DPT_SIMD("omp simd")
    for (ptrdiff_t i = 0; i < rest; i++) block[i] *= by;
  }
}

/* ---- the two passes --------------------------------------------------------------------------------- */

/* Adds the potentials of all sets, each to its clique. */
static void gather(dpt_ctx *ctx, dpt_belief *belief, const double *potential) {
  const dpt_tree *tree = belief->tree;
  const ptrdiff_t sets = belief->scopes->count;
  memcpy(belief->potential, potential, (size_t) belief->offset[sets] * sizeof *potential);
  memset(belief->belief, 0, (size_t) tree->offset[tree->cliques] * sizeof *belief->belief);
  for (ptrdiff_t r = 0; r < sets; r++) {
    const ptrdiff_t i = belief->rising[r], source = belief->source[i];
    double *target = source < 0 ? belief->belief + tree->offset[belief->holder[i]]
                                : belief->potential + belief->offset[source];
    add_all(belief->into + i, target, belief->potential + belief->offset[i], ctx->threads);
    dpt_tick(ctx, belief->into[i].runs * (belief->into[i].length + 4) / 2);
  }
}

void dpt_belief_update(dpt_ctx *ctx, dpt_belief *belief, const double *potential) {
  const dpt_tree *tree = belief->tree;
  gather(ctx, belief, potential);
  for (int c = tree->cliques - 1; c >= 0; c--) {
    const ptrdiff_t states = tree->cells[c] / tree->rest[c];
    condition_all(tree->rest[c], states, belief->belief + tree->offset[c], belief->separator[c], ctx->threads);
    dpt_tick(ctx, 3 * tree->cells[c]);
    if (c > 0)
      add_all(belief->up + c, belief->belief + tree->offset[tree->parent[c]], belief->separator[c], ctx->threads);
  }
  belief->separator[0][0] = 1;
  for (int c = 1; c < tree->cliques; c++) {
    const ptrdiff_t states = tree->cells[c] / tree->rest[c];
    memset(belief->separator[c], 0, (size_t) states * sizeof(double));
    dpt_walk_add(belief->down + c, 0, belief->down[c].runs, belief->separator[c],
                 belief->belief + tree->offset[tree->parent[c]]);
    weigh_states(tree->rest[c], states, belief->belief + tree->offset[c], belief->separator[c]);
    dpt_tick(ctx, 2 * tree->cells[c] + belief->down[c].runs * belief->down[c].length);
  }
}

static void sum_scope(const dpt_belief *belief, ptrdiff_t i, const double *from, double total, double *margin) {
  double *own = margin + belief->offset[i];
  const ptrdiff_t cells = belief->offset[i + 1] - belief->offset[i];
  memset(own, 0, (size_t) cells * sizeof *own);
  dpt_walk_add(belief->out + i, 0, belief->out[i].runs, own, from);
  if (total == 1) return;
  for (ptrdiff_t j = 0; j < cells; j++) own[j] *= total;
}

void dpt_belief_margins(dpt_ctx *ctx, const dpt_belief *belief, double total, double *margin) {
  const ptrdiff_t sets = belief->scopes->count;
  const int threads = ctx->threads;
  (void) threads;
  int64_t work = 0;
  for (ptrdiff_t i = 0; i < sets; i++) work += belief->out[i].runs * (belief->out[i].length + 4);
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (threads > 1 && work >= 4 * SHARED)
#endif
  for (ptrdiff_t i = 0; i < sets; i++)
    if (belief->source[i] < 0)
      sum_scope(belief, i, belief->belief + belief->tree->offset[belief->holder[i]], total, margin);
  /* the others come from sets with more columns, which are done */
  for (ptrdiff_t r = sets - 1; r >= 0; r--) {
    const ptrdiff_t i = belief->rising[r];
    if (belief->source[i] >= 0) sum_scope(belief, i, margin + belief->offset[belief->source[i]], 1, margin);
  }
  dpt_tick(ctx, work);
}
