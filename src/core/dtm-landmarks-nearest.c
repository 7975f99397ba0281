/* dtm-landmarks-nearest.c - the k smallest of many keys, without keeping the others.
 *
 * Keys that are not below a limit are never stored. When the room is full, the limit falls to the k-th smallest
 * stored key, and the others are dropped. With room for twice k, each of these selections drops as many keys as it
 * leaves. All of them therefore take a constant time per stored key, in any order.
 *
 * A selection takes two keys of a small sample that most likely enclose the target (Floyd and Rivest 1975, Algorithm
 * 489), and one vectorized pass for the keys between. It then selects only among these. If the target is not there,
 * it selects among all. */
#include "dtm-landmarks-nearest.h"

#include <math.h>
#include <string.h>

#include "base-select.h"
#include "dtm-sums.h"

enum { FEW = 256, SMALL_SAMPLE = 128, LARGE_SAMPLE = 1024, MANY = 1 << 15 };

dpt_nearest_scratch dpt_nearest_new_scratch(dpt_ctx *ctx, ptrdiff_t room) {
  dpt_nearest_scratch scratch = {DPT_NEW(ctx, double, room), DPT_NEW(ctx, double, room)};
  for (ptrdiff_t i = 0; i < room; i++) scratch.weight[i] = 1;
  dpt_tick(ctx, room);
  return scratch;
}

static double total_weight(const dpt_kept *kept) {
  if (!kept->weight) return (double) kept->count;
  double total = 0;
  for (ptrdiff_t i = 0; i < kept->count; i++) total += kept->weight[i];
  return total;
}

/* Returns two keys, three standard errors of the sample to either side of the sample's own estimate. */
static dpt_band guess_band(const dpt_kept *kept, double part) {
  double key[LARGE_SAMPLE], weight[LARGE_SAMPLE], total = 0, squares = 0;
  const ptrdiff_t size = kept->count < MANY ? SMALL_SAMPLE : LARGE_SAMPLE, step = kept->count / size;
  for (ptrdiff_t i = 0; i < size; i++) {
    key[i] = kept->key[i * step];
    weight[i] = kept->weight ? kept->weight[i * step] : 1;
    total += weight[i];
    squares += weight[i] * weight[i];
  }
  const double error = 3 * sqrt(part * (1 - part) * squares) + squares / total;
  const double low = part * total - error, high = part * total + error;
  dpt_band band = {.high = dpt_select_weighted(NULL, key, weight, size, high, 0, kept->limit)};
  if (low > 0) band.low = dpt_select_weighted(NULL, key, weight, size, low, 0, kept->limit);
  return band;
}

static double select_among_all(const dpt_kept *kept, dpt_nearest_scratch scratch, double target) {
  memcpy(scratch.key, kept->key, (size_t) kept->count * sizeof(double));
  if (kept->weight) memcpy(scratch.weight, kept->weight, (size_t) kept->count * sizeof(double));
  return dpt_select_weighted(NULL, scratch.key, scratch.weight, kept->count, target, 0, kept->limit);
}

double dpt_nearest_select(const dpt_nearest_rule *rule, const dpt_kept *kept, dpt_nearest_scratch scratch,
                          double target) {
  const double total = total_weight(kept);
  if (total < target) return kept->limit;
  if (kept->count < FEW) return select_among_all(kept, scratch, target);
  dpt_band band = guess_band(kept, target / total);
  band.key = scratch.key;
  band.weight = scratch.weight;
  rule->loops.find(kept, &band);
  if (band.below < target) {
    const double left = target - band.below;
    double found = 0;
    for (ptrdiff_t i = 0; i < band.count; i++) found += band.weight[i];
    if (found >= left) return dpt_select_weighted(NULL, band.key, band.weight, band.count, left, band.low, band.high);
  }
  return select_among_all(kept, scratch, target);
}

bool dpt_nearest_lower(const dpt_nearest_rule *rule, dpt_kept *kept, dpt_nearest_scratch scratch) {
  if (total_weight(kept) < rule->neighbors) return false;
  kept->limit = dpt_nearest_select(rule, kept, scratch, rule->neighbors);
  rule->loops.drop(kept);
  return true;
}

double dpt_nearest_value(const dpt_nearest_rule *rule, const dpt_kept *kept) {
  double one[DPT_SUM_BLOCK];
  for (int i = 0; i < DPT_SUM_BLOCK; i++) one[i] = 1;
  dpt_power_sum sum = {.r = rule->r, .limit = kept->limit, .whole = dpt_power_whole(rule->clip)};
  for (ptrdiff_t from = 0; from < kept->count; from += DPT_SUM_BLOCK) {
    const ptrdiff_t rest = kept->count - from, size = rest < DPT_SUM_BLOCK ? rest : DPT_SUM_BLOCK;
    dpt_power_sum_add(&sum, kept->key + from, kept->weight ? kept->weight + from : one, size);
  }
  const double left = rule->neighbors - total_weight(kept);
  dpt_power_sum_add(&sum, &kept->limit, &left, 1);
  return dpt_power_sum_steps(sum, rule->lattice->change, rule->lattice->unit, rule->lattice->steps);
}
