/* diagram-lattice-staircase.c - counts of, and uniform draws from, a union of many overlapping squares on the
 * lattice.
 *
 * Above the band, the square of radius h = floor(tau / 2) around a point (b, d) is the set of all sub-intervals [s,
 * e] of [b, d] of length at least delta, moved out to (s - h, e + h). (For d - b > tau it is a part of that set.)
 * After nested intervals are dropped, interval j adds those that start before interval j + 1 does: with T(m) = m (m
 * + 1) / 2,
 *     T(d_j - b_j - delta + 1) - T(d_j - b_(j+1) - delta + 1)
 * of them. The triangle of the diagrams cuts every interval to the frame [h, bound - h], which changes only those at
 * the two ends. A count costs two binary searches, and a draw three, for any number of points.
 *
 * A draw takes no square root and no rejection. The starts of a piece have p, p - 1, ..., q + 1 ends.
 * First and last, second and last but one, and so on have p + q + 1 together, so a number below that draws a start
 * of the pair.
 *
 * Bound < 2^31, so that T, and every sum of disjoint pieces, is below 2^62. */
#include "diagram-lattice-staircase.h"

#include "base-draws.h"
#include "base-whole.h"

/* The piece of interval j: sub-intervals of [birth, death] that start before `next`. */
typedef struct {
  int64_t birth, death, next;
} piece;

/* Number of ends for a start, `delta` or more above it: death - start - delta + 1, or none. */
static uint64_t ends_of(int64_t start, int64_t death, int delta) {
  int64_t ends = death - start - delta + 1;
  return ends > 0 ? (uint64_t) ends : 0;
}

static uint64_t piece_count(piece p, int delta) {
  uint64_t most = ends_of(p.birth, p.death, delta), least = ends_of(p.next, p.death, delta);
  return (most - least) * (most + least + 1) / 2;
}

dpt_lattice_staircase dpt_lattice_staircase_build(dpt_ctx *ctx, const int64_t *birth, const int64_t *death,
                                                  const bool *skip, ptrdiff_t count) {
  dpt_lattice_staircase s = {0,
                             DPT_NEW(ctx, int64_t, count),
                             DPT_NEW(ctx, int64_t, count),
                             {DPT_NEW(ctx, uint64_t, count + 1), DPT_NEW(ctx, uint64_t, count + 1)}};
  for (ptrdiff_t i = 0; i < count; i++) {
    if (skip[i] || death[i] <= birth[i]) continue;
    if (s.count && death[i] <= s.death[s.count - 1]) continue;  /* nested in the last one */
    if (s.count && birth[i] == s.birth[s.count - 1]) s.count--; /* the last one is nested in it */
    s.birth[s.count] = birth[i];
    s.death[s.count] = death[i];
    s.count++;
  }
  for (int delta = 1; delta <= 2; delta++) {
    uint64_t *below = s.below[delta - 1];
    below[0] = 0;
    for (ptrdiff_t j = 0; j < s.count; j++) {
      piece p = {s.birth[j], s.death[j], j + 1 < s.count ? s.birth[j + 1] : s.death[j]};
      below[j + 1] = below[j] + piece_count(p, delta);
    }
  }
  return s;
}

/* Last index whose birth is at most x, or -1. */
static ptrdiff_t last_born(const dpt_lattice_staircase *s, int64_t x) {
  ptrdiff_t low = 0, high = s->count;
  while (low < high) {
    ptrdiff_t middle = low + (high - low) / 2;
    if (s->birth[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/* First index whose death is at least x, or count. */
static ptrdiff_t first_dying(const dpt_lattice_staircase *s, int64_t x) {
  ptrdiff_t low = 0, high = s->count;
  while (low < high) {
    ptrdiff_t middle = low + (high - low) / 2;
    if (s->death[middle] < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* The staircase cut to its frame: all pieces from `first` to `last`, with these two cut. */
typedef struct {
  int delta;
  ptrdiff_t first, last;
  piece head, tail;                   /* the tail only if last > first */
  uint64_t head_count, middle, total; /* lattice points in the head, between, in all */
} framed;

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static framed frame(const dpt_lattice_staircase *s, int64_t bound, int64_t tau) {
  int64_t h = tau / 2, top = bound - h;
  framed f = {.delta = (int) (tau % 2) + 1};
  if (s->count == 0 || top <= h) return f;
  f.first = larger(last_born(s, h), 0); /* earlier intervals add only a subset */
  f.last = smaller(first_dying(s, top), s->count - 1);
  if (f.last <= f.first) { /* one interval, or two that are both cut to the entire frame */
    bool whole = f.last < f.first;
    f.last = f.first;
    f.head.birth = whole ? h : larger(s->birth[f.first], h);
    f.head.death = whole ? top : smaller(s->death[f.first], top);
    f.head.next = f.head.death;
    f.total = f.head_count = piece_count(f.head, f.delta);
    return f;
  }
  f.head = (piece){larger(s->birth[f.first], h), smaller(s->death[f.first], top), s->birth[f.first + 1]};
  f.tail = (piece){larger(s->birth[f.last], h), smaller(s->death[f.last], top), 0};
  f.tail.next = f.tail.death;
  f.head_count = piece_count(f.head, f.delta);
  f.middle = s->below[f.delta - 1][f.last] - s->below[f.delta - 1][f.first + 1];
  f.total = f.head_count + f.middle + piece_count(f.tail, f.delta);
  return f;
}

uint64_t dpt_lattice_staircase_count(const dpt_lattice_staircase *s, int64_t bound, int64_t tau) {
  return frame(s, bound, tau).total;
}

/* The piece that contains lattice point number `index`. */
static piece pick_piece(const dpt_lattice_staircase *s, const framed *f, uint64_t index) {
  if (index < f->head_count) return f->head;
  index -= f->head_count;
  if (index >= f->middle) return f->tail;
  const uint64_t *below = s->below[f->delta - 1];
  ptrdiff_t j = dpt_last_up_to(below, f->first + 1, f->last - 1, below[f->first + 1] + index);
  return (piece){s->birth[j], s->death[j], s->birth[j + 1]};
}

void dpt_lattice_staircase_draw(dpt_ctx *ctx, const dpt_lattice_staircase *s, int64_t bound, int64_t tau,
                                int64_t *birth, int64_t *death) {
  framed f = frame(s, bound, tau);
  piece p = pick_piece(s, &f, dpt_draw_below(ctx, f.total));
  uint64_t most = ends_of(p.birth, p.death, f.delta), least = ends_of(p.next, p.death, f.delta);
  uint64_t row = dpt_draw_below(ctx, most - least), end = dpt_draw_below(ctx, most + least + 1);
  if (end >= most - row) { /* the start that is paired with this one */
    end -= most - row;
    row = most - least - 1 - row;
  }
  *birth = p.birth + (int64_t) row - tau / 2;
  *death = p.death - (int64_t) end + tau / 2;
}

bool dpt_lattice_staircase_contains(const dpt_lattice_staircase *s, int64_t tau, int64_t birth, int64_t death) {
  ptrdiff_t j = last_born(s, birth + tau / 2);
  return j >= 0 && death - tau / 2 <= s->death[j];
}
