/* topology-staircase.c - area of, and uniform draws from, a union of many overlapping squares, in closed form.
 *
 * Above the band, the square of radius t around an insignificant point (b, d) is the triangle of all sub-intervals
 * [s, e] of [b, d], moved out to (s - t, e + t). A union of such triangles is a staircase: after nested intervals are
 * dropped, interval j adds the sub-intervals that start before interval j + 1 does. Hence
 *     area = sum_j ((d_j - b_j)^2 - max(d_j - b_(j+1), 0)^2) / 2.
 * The triangle of the diagram space cuts every interval to the frame [t, 1 - t], which changes only those at the
 * two ends: an area costs two binary searches, a draw three, for any number of points.
 *
 * Rejection from a bounding shape would be shorter, but with thousands of small points its acceptance has no bound. */
#include "topology-staircase.h"

#include <math.h>

#include "base-draws.h"

/* What interval j adds: sub-intervals of [birth, death] that start before `next`. */
typedef struct {
  double birth, death, next;
} piece;

static double piece_area(piece p) {
  if (!(p.death > p.birth)) return 0;
  double whole = p.death - p.birth;
  double shared = p.death > p.next ? p.death - p.next : 0;
  return (whole - shared) * (whole + shared) / 2;
}

dpt_staircase dpt_staircase_build(dpt_ctx *ctx, const double *birth, const double *death, const bool *skip,
                                  ptrdiff_t count) {
  dpt_staircase s = {0, DPT_NEW(ctx, double, count), DPT_NEW(ctx, double, count), DPT_NEW(ctx, double, count + 1)};
  for (ptrdiff_t i = 0; i < count; i++) {
    if (skip[i] || !(death[i] > birth[i])) continue;
    if (s.count && death[i] <= s.death[s.count - 1]) continue;  /* nested in the last one */
    if (s.count && birth[i] == s.birth[s.count - 1]) s.count--; /* the last one is nested in it */
    s.birth[s.count] = birth[i];
    s.death[s.count] = death[i];
    s.count++;
  }
  s.below[0] = 0;
  for (ptrdiff_t j = 0; j < s.count; j++) {
    piece p = {s.birth[j], s.death[j], j + 1 < s.count ? s.birth[j + 1] : s.death[j]};
    s.below[j + 1] = s.below[j] + piece_area(p);
  }
  return s;
}

/* Last index whose birth is at most x, or -1. */
static ptrdiff_t last_born(const dpt_staircase *s, double x) {
  ptrdiff_t low = 0, high = s->count;
  while (low < high) {
    ptrdiff_t middle = low + (high - low) / 2;
    if (s->birth[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/* First index whose death is at least x, or count. */
static ptrdiff_t first_dying(const dpt_staircase *s, double x) {
  ptrdiff_t low = 0, high = s->count;
  while (low < high) {
    ptrdiff_t middle = low + (high - low) / 2;
    if (s->death[middle] < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* The staircase cut to its frame: all pieces between `first` and `last`, these two cut. */
typedef struct {
  ptrdiff_t first, last;
  piece head, tail; /* the same piece if first == last; then only the head counts */
} framed;

static framed frame(const dpt_staircase *s, double t) {
  framed f;
  double top = 1 - t;
  f.first = last_born(s, t);
  if (f.first < 0) f.first = 0;
  f.last = first_dying(s, top);
  if (f.last == s->count) f.last = s->count - 1;
  if (f.last < f.first) { /* both cut to the whole frame: nested */
    f.last = f.first;
    f.head = f.tail = (piece){t, top, top};
    return f;
  }
  f.head = (piece){fmax(s->birth[f.first], t), fmin(s->death[f.first], top), 0};
  f.tail = (piece){fmax(s->birth[f.last], t), fmin(s->death[f.last], top), 0};
  f.head.next = f.first < f.last ? s->birth[f.first + 1] : f.head.death;
  f.tail.next = f.tail.death;
  return f;
}

static double middle_area(const dpt_staircase *s, const framed *f) {
  return f->last > f->first + 1 ? s->below[f->last] - s->below[f->first + 1] : 0;
}

double dpt_staircase_area(const dpt_staircase *s, double t) {
  if (s->count == 0 || !(1 - t > t)) return 0;
  framed f = frame(s, t);
  double area = piece_area(f.head);
  if (f.last > f.first) area += middle_area(s, &f) + piece_area(f.tail);
  return area;
}

static piece whole_piece(const dpt_staircase *s, ptrdiff_t j) {
  piece p = {s->birth[j], s->death[j], s->birth[j + 1]};
  return p;
}

/* The piece in which the area up to `u` ends. */
static piece pick_piece(const dpt_staircase *s, const framed *f, double u) {
  double head = piece_area(f->head);
  if (u < head || f->last == f->first) return f->head;
  double middle = middle_area(s, f);
  if (u - head >= middle) return f->tail;
  double target = s->below[f->first + 1] + (u - head);
  ptrdiff_t low = f->first + 1, high = f->last - 1;
  while (low < high) { /* last j with below[j] <= target */
    ptrdiff_t center = low + (high - low + 1) / 2;
    if (s->below[center] <= target) low = center;
    else high = center - 1;
  }
  return whole_piece(s, low);
}

void dpt_staircase_draw(dpt_ctx *ctx, const dpt_staircase *s, double t, double *birth, double *death) {
  framed f = frame(s, t);
  piece p = pick_piece(s, &f, dpt_draw_unit(ctx) * dpt_staircase_area(s, t));
  double whole = p.death - p.birth, shared = fmax(p.death - p.next, 0);
  double length = sqrt(dpt_draw_between(ctx, shared * shared, whole * whole));
  double start = fmax(p.death - length, p.birth);
  double end = dpt_draw_between(ctx, start, p.death);
  *birth = fmax(start - t, 0);
  *death = fmin(end + t, 1);
}

bool dpt_staircase_contains(const dpt_staircase *s, double t, double birth, double death) {
  ptrdiff_t j = last_born(s, birth + t);
  return j >= 0 && death - t <= s->death[j];
}
