/* diagram-lattice-ways.c - the number of ways to propose a diagram of the lattice from a cover.
 *
 * A way gives each block its own labels, as many as it has points, all inside its union and perfectly matched. Every
 * other label is left in the band or the staircase, with a limited number above the band. Blocks that share no label
 * are independent, so the ways multiply over clusters of blocks. Within a cluster they are counted block by block
 * over the sets of labels already taken, as a polynomial in the number of labels left above the band, which all
 * clusters share.
 *
 * Cost: linear if no square holds an extra label, which is usual. Otherwise 2^(labels of the cluster) states times
 * the sets of a block, with at most 20 labels. Counting over the labels of all squares at once would grow with M
 * even if the clusters are small.
 *
 * Every count here counts partial assignments of labels to blocks, so it is at most 20! < 2^62. Doubles decide
 * whether the points match. They hold integers below 2^32 and halves of these, so nothing is rounded. */
#include "diagram-lattice-cover.h"

#include <string.h>

#include "persistence-bottleneck.h"

/* The positions of the labels in the cover at radius t. */
typedef struct {
  uint32_t points[DPT_LATTICE_MOST]; /* forced points whose square holds label j */
  bool loose[DPT_LATTICE_MOST];      /* label j may stand without a forced point */
  bool above[DPT_LATTICE_MOST];      /* label j lies above the band */
} incidence;

static void find_incidence(const dpt_lattice_release *r, const dpt_lattice_cover *c, int64_t tau,
                           const dpt_lattice_labels *labels, incidence *found) {
  for (int j = 0; j < labels->count; j++) {
    int64_t birth = labels->birth[j], death = labels->death[j];
    found->points[j] = 0;
    for (int i = 0; i < c->forced; i++)
      if (dpt_lattice_square_holds(r, i, tau, birth, death)) found->points[j] |= UINT32_C(1) << i;
    found->above[j] = death - birth > tau;
    found->loose[j] = !found->above[j] || dpt_lattice_staircase_contains(c->staircase, tau, birth, death);
  }
}

static bool augment(int label, const uint32_t *points, uint32_t members, int *owner, uint32_t *tried) {
  uint32_t open = points[label] & members & ~*tried;
  for (int i = 0; open; i++, open >>= 1) {
    if (!(open & 1) || (*tried >> i & 1)) continue;
    *tried |= UINT32_C(1) << i;
    if (owner[i] < 0 || augment(owner[i], points, members, owner, tried)) {
      owner[i] = label;
      return true;
    }
  }
  return false;
}

/* Whether the labels of the set can be matched to different points among `members`. (Or the reverse, points to
 * labels.) */
static bool matches(uint32_t set, const uint32_t *points, uint32_t members) {
  int owner[DPT_LATTICE_MOST];
  for (int i = 0; i < DPT_LATTICE_MOST; i++) owner[i] = -1;
  for (int j = 0; set; j++, set >>= 1) {
    uint32_t tried = 0;
    if ((set & 1) && !augment(j, points, members, owner, &tried)) return false;
  }
  return true;
}

static int bits_in(uint32_t set) {
  int count = 0;
  for (; set; set &= set - 1) count++;
  return count;
}

/* A cluster: blocks that share labels, directly or through others, and all labels in them. */
typedef struct {
  uint32_t blocks, labels; /* bit sets */
} cluster;

static int find_clusters(const dpt_lattice_cover *c, const incidence *in, int labels, cluster *clusters) {
  int count = 0;
  for (int g = 0; g < c->blocks.count; g++) {
    cluster grown = {UINT32_C(1) << g, 0};
    for (int j = 0; j < labels; j++)
      if (in->points[j] & c->blocks.members[g]) grown.labels |= UINT32_C(1) << j;
    int kept = 0;
    for (int k = 0; k < count; k++) {
      if (clusters[k].labels & grown.labels) {
        grown.labels |= clusters[k].labels;
        grown.blocks |= clusters[k].blocks;
      } else {
        clusters[kept++] = clusters[k];
      }
    }
    clusters[kept] = grown;
    count = kept + 1;
  }
  return count;
}

/* Lists the sets of labels that a block can take, in local bits: of its size, all inside it, perfectly matched.
 * Returns their number. `sets` may be NULL to count only. */
static ptrdiff_t block_sets(dpt_ctx *ctx, const dpt_lattice_blocks *blocks, int g, const incidence *in, uint32_t labels,
                            uint32_t *sets) {
  int local[DPT_LATTICE_MOST], global[DPT_LATTICE_MOST], inside = 0, index = 0;
  for (int j = 0; j < DPT_LATTICE_MOST; j++) {
    if (!(labels >> j & 1)) continue;
    if (in->points[j] & blocks->members[g]) {
      local[inside] = index;
      global[inside++] = j;
    }
    index++;
  }
  int size = blocks->size[g];
  if (inside < size) return 0;
  ptrdiff_t count = 0;
  for (uint32_t pick = (UINT32_C(1) << size) - 1; pick < UINT32_C(1) << inside;) {
    uint32_t set = 0, named = 0;
    for (int k = 0; k < inside; k++) {
      if (!(pick >> k & 1)) continue;
      set |= UINT32_C(1) << local[k];
      named |= UINT32_C(1) << global[k];
    }
    if (matches(named, in->points, blocks->members[g])) {
      if (sets) sets[count] = set;
      count++;
    }
    dpt_tick(ctx, 20 * size);
    uint32_t lowest = pick & (~pick + 1), ripple = pick + lowest; /* next number with as many bits */
    pick = ripple | (((pick ^ ripple) / lowest) >> 2);
  }
  return count;
}

/* Computes ways[k], the number of ways in which the blocks of a cluster take their labels and leave k labels above
 * the band. */
static void cluster_ways(dpt_ctx *ctx, const dpt_lattice_cover *c, const incidence *in, cluster cl, uint64_t *ways) {
  memset(ways, 0, (DPT_LATTICE_MOST + 1) * sizeof *ways);
  int size = bits_in(cl.labels);
  uint32_t loose = 0, above = 0;
  for (int j = 0, index = 0; j < DPT_LATTICE_MOST; j++) {
    if (!(cl.labels >> j & 1)) continue;
    if (in->loose[j]) loose |= UINT32_C(1) << index;
    if (in->above[j]) above |= UINT32_C(1) << index;
    index++;
  }
  dpt_arena_mark mark = dpt_arena_here(&ctx->arena);
  uint32_t states = UINT32_C(1) << size;
  uint64_t *now = DPT_NEW(ctx, uint64_t, states), *then = DPT_NEW(ctx, uint64_t, states);
  memset(now, 0, states * sizeof *now);
  now[0] = 1;
  for (int g = 0; g < c->blocks.count; g++) {
    if (!(cl.blocks >> g & 1)) continue;
    ptrdiff_t count = block_sets(ctx, &c->blocks, g, in, cl.labels, NULL);
    uint32_t *sets = DPT_NEW(ctx, uint32_t, count);
    block_sets(ctx, &c->blocks, g, in, cl.labels, sets);
    memset(then, 0, states * sizeof *then);
    for (uint32_t taken = 0; taken < states; taken++) {
      if (now[taken] == 0) continue;
      for (ptrdiff_t k = 0; k < count; k++)
        if (!(taken & sets[k])) then[taken | sets[k]] += now[taken];
      dpt_tick(ctx, count);
    }
    dpt_tick(ctx, states);
    uint64_t *swap = now;
    now = then;
    then = swap;
  }
  for (uint32_t taken = 0; taken < states; taken++) {
    uint32_t left = (states - 1) & ~taken;
    if (now[taken] > 0 && !(left & ~loose)) ways[bits_in(left & above)] += now[taken];
  }
  dpt_arena_release(&ctx->arena, mark);
}

/* Whether the labels drawn for each block match its points. A block of one point matches by construction. */
static bool proposal_is_valid(const dpt_lattice_cover *c, const incidence *in) {
  int first = 0;
  for (int g = 0; g < c->blocks.count; g++) {
    uint32_t set = ((UINT32_C(1) << c->blocks.size[g]) - 1) << first;
    if (c->blocks.size[g] > 1 && !matches(set, in->points, c->blocks.members[g])) return false;
    first += c->blocks.size[g];
  }
  return true;
}

static uint64_t count_ways(dpt_ctx *ctx, const dpt_lattice_cover *c, const incidence *in, int labels) {
  cluster clusters[DPT_LATTICE_MOST];
  uint64_t total[DPT_LATTICE_MOST + 1] = {0}, ways[DPT_LATTICE_MOST + 1], product[DPT_LATTICE_MOST + 1];
  int count = find_clusters(c, in, labels, clusters);
  int free_above = 0;
  for (int j = 0; j < labels; j++)
    if (!in->points[j]) free_above += in->above[j];
  total[free_above] = 1;
  for (int k = 0; k < count; k++) {
    uint32_t blocks = clusters[k].blocks;
    if (!(blocks & (blocks - 1))) { /* one block with exactly its own labels: one way */
      int g = 0;
      while (!(blocks >> g & 1)) g++;
      if (bits_in(clusters[k].labels) == c->blocks.size[g]) continue;
    }
    cluster_ways(ctx, c, in, clusters[k], ways);
    for (int i = 0; i <= labels; i++) {
      product[i] = 0;
      for (int j = 0; j <= i; j++) product[i] += total[j] * ways[i - j];
    }
    memcpy(total, product, ((size_t) labels + 1) * sizeof *total);
  }
  uint64_t sum = 0;
  for (int k = 0; k <= labels && k <= c->loose; k++) sum += total[k];
  return sum;
}

/* Whether the forced points can be matched to different labels. */
static bool forced_are_matched(const dpt_lattice_release *r, const dpt_lattice_cover *c, int64_t tau,
                               const dpt_lattice_labels *labels) {
  uint32_t holders[DPT_LATTICE_MOST];
  for (int i = 0; i < c->forced; i++) {
    holders[i] = 0;
    for (int j = 0; j < labels->count; j++)
      if (dpt_lattice_square_holds(r, i, tau, labels->birth[j], labels->death[j])) holders[i] |= UINT32_C(1) << j;
  }
  return matches((UINT32_C(1) << c->forced) - 1, holders, (UINT32_C(1) << labels->count) - 1);
}

/* Whether the labels above the band can be matched to different points. */
static bool labels_are_matched(dpt_ctx *ctx, const dpt_lattice_release *r, int64_t tau,
                               const dpt_lattice_labels *labels) {
  double birth[DPT_LATTICE_MOST], death[DPT_LATTICE_MOST];
  for (int j = 0; j < labels->count; j++) {
    birth[j] = (double) labels->birth[j];
    death[j] = (double) labels->death[j];
  }
  dpt_points drawn = {birth, death, labels->count};
  return dpt_bottleneck_covers(ctx, &drawn, &r->diagram, 0.5 * (double) tau);
}

uint64_t dpt_lattice_ways(dpt_ctx *ctx, const dpt_lattice_release *r, const dpt_lattice_cover *c, int64_t tau,
                          const dpt_lattice_labels *labels, bool outlined) {
  if (outlined) return forced_are_matched(r, c, tau, labels) && labels_are_matched(ctx, r, tau, labels);
  incidence in;
  find_incidence(r, c, tau, labels, &in);
  if (!proposal_is_valid(c, &in) || !labels_are_matched(ctx, r, tau, labels)) return 0;
  return count_ways(ctx, c, &in, labels->count);
}
