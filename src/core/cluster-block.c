/* cluster-block.c - integer sums over all rows, in blocks that threads share.
 *
 * A part of the rows, a number of blocks, takes some milliseconds, because threads wait for each other at its end.
 * Between parts the host is polled. Each thread has its own memory and its own sums. These are integers, so that the
 * total depends neither on the order of rows nor on the number of threads. */
#include "cluster-block.h"

#include <string.h>

/* What a thread owns. */
typedef struct {
  void *memory;
  int64_t *sums;
} block_worker;

ptrdiff_t dpt_block_choose(double numbers) {
  const double room = 16384 / numbers;
  return room < DPT_LANES ? DPT_LANES : room > 256 ? 256 : (ptrdiff_t) room / DPT_LANES * DPT_LANES;
}

const double *dpt_block_by_row(dpt_ctx *ctx, ptrdiff_t d, ptrdiff_t count, const double *squares) {
  double *by_row = DPT_NEW(ctx, double, d *d *count);
  for (ptrdiff_t k = 0; k < count; k++)
    for (ptrdiff_t j = 0; j < d; j++)
      for (ptrdiff_t i = 0; i < d; i++) by_row[(k * d + i) * d + j] = squares[(k * d + j) * d + i];
  return by_row;
}

static void add_part(const dpt_block_job *job, const block_worker *worker, ptrdiff_t from, ptrdiff_t to) {
  for (to = to < job->rows ? to : job->rows; from < to; from += job->block)
    job->add(job->query, worker->memory, worker->sums, from, to - from < job->block ? to - from : job->block);
}

void dpt_block_sum(dpt_ctx *ctx, const dpt_block_job *job, int64_t *sums) {
  const int threads = ctx->threads;
  const size_t bytes = (size_t) job->size * sizeof *sums;
  const ptrdiff_t part = (1 + (ptrdiff_t) (5000000 / job->cost) / job->block) * job->block;
  block_worker *workers = DPT_NEW(ctx, block_worker, threads);
  for (int i = 0; i < threads; i++) {
    workers[i].memory = job->new_memory == NULL ? NULL : job->new_memory(ctx, job->query);
    workers[i].sums = memset(DPT_NEW(ctx, int64_t, job->size), 0, bytes);
  }
  for (ptrdiff_t from = 0; from < job->rows; from += part * threads) {
#ifdef _OPENMP
#pragma omp parallel for schedule(static, 1) num_threads(threads) if (threads > 1 && job->rows > part)
#endif
    for (int i = 0; i < threads; i++) add_part(job, workers + i, from + i * part, from + (i + 1) * part);
    ctx->fraction = (double) from / (double) job->rows;
    dpt_tick(ctx, (int64_t) part * job->cost);
  }
  memset(sums, 0, bytes);
  for (int i = 0; i < threads; i++)
    for (ptrdiff_t j = 0; j < job->size; j++) sums[j] += workers[i].sums[j];
}
