/* topology-landmarks-nearest.c - the k smallest of many keys, without keeping the others.
 *
 * Keys that are not below a limit are never stored. Where there is no more room, the limit falls to the k-th smallest of those
 * stored, and all others are dropped. With room for twice k each of these selections drops as many as it leaves,
 * so that the selections take a constant time for each key stored, whatever their order. */
#include "topology-landmarks-nearest.h"

#include <math.h>

#include "base-select.h"
#include "topology-dtm-sums.h"

void dpt_nearest_compact(dpt_nearest *nearest, double neighbors) {
  double *key = nearest->key, *weight = nearest->weight;
  const double limit = dpt_select_weighted(NULL, key, weight, nearest->count, neighbors, 0, nearest->limit);
  ptrdiff_t kept = 0;
  for (ptrdiff_t i = 0; i < nearest->count; i++) {
    key[kept] = key[i];
    weight[kept] = weight[i];
    kept += key[i] < limit;
  }
  nearest->count = kept;
  nearest->limit = limit;
  nearest->guessed = false;
}

static double total_weight(const dpt_nearest *nearest) {
  double total = 0;
  for (ptrdiff_t i = 0; i < nearest->count; i++) total += nearest->weight[i];
  return total;
}

/* The least power of two that no distance up to the clip exceeds. */
static double power_above(double clip) {
  int exponent = 0;
  return frexp(clip, &exponent) > 0.5 ? ldexp(1, exponent) : clip;
}

bool dpt_nearest_value(dpt_nearest *nearest, dpt_nearest_rule rule, double *value) {
  double total = total_weight(nearest);
  if (total >= rule.neighbors) {
    dpt_nearest_compact(nearest, rule.neighbors);
    total = total_weight(nearest);
  }
  if (nearest->guessed) return false;
  dpt_power_sum sum = {.r = rule.r, .limit = nearest->limit, .whole = power_above(rule.clip)};
  for (ptrdiff_t from = 0; from < nearest->count; from += DPT_SUM_BLOCK) {
    const ptrdiff_t rest = nearest->count - from;
    dpt_power_sum_add(&sum, nearest->key + from, nearest->weight + from, rest < DPT_SUM_BLOCK ? rest : DPT_SUM_BLOCK);
  }
  const double left = rule.neighbors - total;
  dpt_power_sum_add(&sum, &nearest->limit, &left, 1);
  *value = dpt_power_sum_steps(sum, rule.lattice->change, rule.lattice->steps);
  return true;
}
