/* dtm-landmarks-table.c - the integer distance to a measure from distances of any metric: one pass over each column,
 * which keeps the k smallest, with threads over columns.
 *
 * Cost: about two nanoseconds for each distance, and the selections of dtm-landmarks-nearest.c. */
#include "dtm-landmarks-table.h"

#include <math.h>

#include "dtm-landmarks-nearest.h"

enum { BLOCK = 256, PART = 1 << 20, SPARE = 2 * DPT_LANES };
enum { ROWS_PER_THREAD = 1 << 16 }; /* with fewer rows, a second thread costs more than it saves */

/* The keys that a thread keeps for the column of a landmark. */
typedef struct {
  const dpt_landmarks_table *table;
  const dpt_nearest_rule *rule;
  const double *distance;
  dpt_kept kept;
  ptrdiff_t room;
  dpt_nearest_scratch scratch;
} table_worker;

/* NaN makes every comparison false. */
static double whole_distance(double distance, double scale, double clip) {
  const double whole = floor(distance * scale);
  return whole < clip ? (whole > 0 ? whole : 0) : clip;
}

static void keep_distances(table_worker *worker, ptrdiff_t from, ptrdiff_t to) {
  const dpt_landmarks_table *table = worker->table;
  dpt_kept *kept = &worker->kept;
  const double scale = table->lattice->scale, clip = table->clip;
  for (; from < to; from += BLOCK) {
    if (kept->count > worker->room - BLOCK - SPARE) dpt_nearest_lower(worker->rule, kept, worker->scratch);
    ptrdiff_t count = kept->count;
    for (ptrdiff_t i = from; i < to && i < from + BLOCK; i++) {
      const double whole = whole_distance(worker->distance[i], scale, clip), key = whole * whole;
      kept->key[count] = key;
      if (table->weight) kept->weight[count] = table->weight[i];
      count += (key < kept->limit) & (!table->weight || table->weight[i] > 0);
    }
    kept->count = count;
  }
}

static table_worker new_worker(dpt_ctx *ctx, const dpt_landmarks_table *table, const dpt_nearest_rule *rule) {
  const ptrdiff_t near = (ptrdiff_t) fmin(table->neighbors, (double) table->count),
                  twice = near + (near > BLOCK ? near : BLOCK);
  const ptrdiff_t room = (table->count < twice ? table->count : twice) + BLOCK + SPARE;
  table_worker worker = {.table = table, .rule = rule, .room = room, .scratch = dpt_nearest_new_scratch(ctx, room)};
  worker.kept.key = DPT_NEW(ctx, double, room);
  if (table->weight) worker.kept.weight = DPT_NEW(ctx, double, room);
  return worker;
}

static void begin_column(table_worker *worker, ptrdiff_t column) {
  worker->distance = worker->table->distances + column * worker->table->count;
  worker->kept.count = 0;
  worker->kept.limit = worker->table->clip * worker->table->clip;
}

static void run_columns(dpt_ctx *ctx, table_worker *workers, int busy, double *values) {
  const ptrdiff_t count = workers->table->count;
  for (ptrdiff_t from = 0; from < count; from += PART) {
    const ptrdiff_t to = count - from < PART ? count : from + PART;
#ifdef _OPENMP
#pragma omp parallel for schedule(static, 1) num_threads(busy) if (busy > 1)
#endif
    for (int i = 0; i < busy; i++) {
      keep_distances(workers + i, from, to);
      if (to < count) continue;
      dpt_nearest_lower(workers[i].rule, &workers[i].kept, workers[i].scratch);
      values[i] = dpt_nearest_value(workers[i].rule, &workers[i].kept);
    }
    dpt_tick(ctx, 4 * (to - from));
  }
}

void dpt_landmarks_steps(dpt_ctx *ctx, const dpt_landmarks_table *table, double *values) {
  const dpt_nearest_rule rule = {table->neighbors, table->r, table->clip, table->lattice,
                                 dpt_landmark_choose_loops(false, table->weight != NULL)};
  const int threads = table->count < ROWS_PER_THREAD ? 1 : ctx->threads;
  table_worker *workers = DPT_NEW(ctx, table_worker, threads);
  for (int i = 0; i < threads; i++) workers[i] = new_worker(ctx, table, &rule);
  for (ptrdiff_t first = 0; first < table->landmarks; first += threads) {
    const ptrdiff_t rest = table->landmarks - first;
    const int busy = rest < threads ? (int) rest : threads;
    for (int i = 0; i < busy; i++) begin_column(workers + i, first + i);
    run_columns(ctx, workers, busy, values + first);
    ctx->fraction = (double) (first + busy) / (double) table->landmarks;
  }
}
