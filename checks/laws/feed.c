/* feed.c - the kernels as they are, on given random words, for vectors.py. */
#include <stdlib.h>

#include "base-draws.h"
#include "privacy-choice.h"
#include "privacy-noise.h"
#include "privacy-rounded-normal.h"

static const uint64_t *words;
static long left, used;

bool dpt_random_next(dpt_random *random, uint64_t *bits) {
  (void) random;
  if (used >= left) abort();
  *bits = words[used++];
  return true;
}
/* Never freed: a few bytes per draw. */
void *dpt_alloc(dpt_ctx *ctx, ptrdiff_t count, size_t size) {
  (void) ctx;
  void *memory = calloc((size_t) count, size);
  if (!memory) abort();
  return memory;
}
void dpt_tick(dpt_ctx *ctx, int64_t units) { (void) ctx, (void) units; }
_Noreturn void dpt_escape(dpt_ctx *ctx, dpt_status status, const char *message) {
  (void) ctx, (void) status, (void) message;
  abort();
}

/* Draws `count` integers of a kind: 0 Laplace, 1 discrete Gaussian, 2 rounded normal, 3 choice. Returns the number of
 * words that were used. */
long feed(int kind, double scale, const double *score, int scores, const uint64_t *all, long words_of, int64_t *drawn,
          long count) {
  dpt_ctx ctx = {0};
  dpt_dyadic least = {1, 0};
  dpt_rounded_normal normal;
  words = all;
  left = words_of;
  used = 0;
  if (kind < 2 && !dpt_noise_scale(scale, &least)) abort();
  if (kind == 2) dpt_rounded_normal_open(&ctx, &normal, 0);
  for (long i = 0; i < count; i++) {
    switch (kind) {
    case 0: drawn[i] = dpt_draw_discrete_laplace(&ctx, least); break;
    case 1: drawn[i] = dpt_draw_discrete_gaussian(&ctx, least); break;
    case 2: drawn[i] = dpt_draw_rounded_normal(&ctx, &normal, scale); break;
    default: drawn[i] = dpt_draw_choice(&ctx, score, scores, scale);
    }
  }
  return used;
}
