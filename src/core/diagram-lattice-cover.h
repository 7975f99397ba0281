/* diagram-lattice-cover.h - a region of the lattice that contains a bottleneck ball, counted and drawn from exactly. */
#ifndef DPT_DIAGRAM_LATTICE_COVER_H
#define DPT_DIAGRAM_LATTICE_COVER_H

#include "base-whole.h"
#include "persistence-points.h"
#include "diagram-lattice-staircase.h"

enum { DPT_LATTICE_MOST = 20 }; /* most points of a released diagram, for each dimension */

/* A diagram to be released: labels 0 .. count - 1, integers. */
typedef struct {
  int count;
  int64_t birth[DPT_LATTICE_MOST], death[DPT_LATTICE_MOST];
} dpt_lattice_labels;

/* A partition of the forced points into blocks. The labels of a block fall anywhere in the union of its squares and
 * must match its points perfectly. A block of one point is a plain square. */
typedef struct {
  int count;
  int size[DPT_LATTICE_MOST];
  uint32_t members[DPT_LATTICE_MOST]; /* bit i: point i, by decreasing persistence */
} dpt_lattice_blocks;

/* The fixed properties of one dimension of the release. */
typedef struct {
  int64_t bound;                           /* births and deaths are 0 .. bound */
  int least, most;                         /* labels; M of them have weight 2^-M |triangle|^-M each way */
  uint64_t triangle;                       /* lattice points 0 <= birth <= death <= bound */
  dpt_scaled powers[DPT_LATTICE_MOST + 1]; /* of the triangle */
  dpt_points diagram;                      /* the true diagram, sorted by birth, integers */
  int64_t birth[DPT_LATTICE_MOST + 1];     /* its most persistent points, by decreasing persistence */
  int64_t death[DPT_LATTICE_MOST + 1];
  int leading; /* how many of them are stored: at most most + 1 */
} dpt_lattice_release;

/* M labels, with k above the band in the staircase, or all of them from the outline. */
typedef struct {
  uint8_t labels, above;
  bool outlined;
} dpt_lattice_category;

/* The cover for radii tau in [start, end), on which the forced points do not change. It holds the maximum over these
 * radii. */
typedef struct {
  int forced;
  dpt_lattice_blocks blocks;
  const dpt_lattice_staircase *staircase; /* of all points that are not forced */
  const dpt_lattice_staircase *outline;   /* of all points */
  ptrdiff_t loose;                        /* number of points that are not forced */
  uint64_t block_most[DPT_LATTICE_MOST];  /* lattice points of the union of each block */
  uint64_t band_most, above_most, outline_most;
  int categories;
  const dpt_lattice_category *category;
  const dpt_scaled *weight; /* of each category: an upper bound, relative to |triangle|^most */
  const uint64_t *below;    /* categories + 1: sums of the weights in integer units */
  int64_t unit;
} dpt_lattice_cover;

/* Completes the cover for [start, end), with `forced`, `staircase`, `outline` and `loose` given. */
void dpt_lattice_cover_fill(dpt_ctx *ctx, const dpt_rounding *rounding, const dpt_lattice_release *release,
                            int64_t start, int64_t end, dpt_lattice_cover *cover);

/* Draws a proposal at radius tau: each way of each diagram with the weight of its number of labels. Returns false if
 * a coin rejects it. `outlined` receives the kind of cover. */
bool dpt_lattice_cover_draw(dpt_ctx *ctx, const dpt_rounding *rounding, const dpt_lattice_release *release,
                            const dpt_lattice_cover *cover, int64_t tau, dpt_lattice_labels *labels, bool *outlined);

/* Whether the point is in the square around leading point i. */
bool dpt_lattice_square_holds(const dpt_lattice_release *release, int i, int64_t tau, int64_t birth, int64_t death);

/* Number of lattice points in the union of the squares of the leading points in `members`, which are forced at tau. */
uint64_t dpt_lattice_union_count(const dpt_lattice_release *release, uint32_t members, int64_t tau);

/* Draws one of these `places` lattice points. */
void dpt_lattice_union_draw(dpt_ctx *ctx, const dpt_lattice_release *release, uint32_t members, int64_t tau,
                            uint64_t places, int64_t *birth, int64_t *death);

/* Number of lattice points of persistence at most tau. */
uint64_t dpt_lattice_band_count(int64_t bound, int64_t tau);
void dpt_lattice_band_draw(dpt_ctx *ctx, int64_t bound, int64_t tau, int64_t *birth, int64_t *death);

/* Divides the `forced` leading points into blocks, so that the cover is small at tau (and below). */
void dpt_lattice_choose_blocks(const dpt_lattice_release *release, int forced, int64_t tau, dpt_lattice_blocks *blocks);

/* If the proposal is valid and in the ball, returns the number of ways to propose it (1 .. 20!), otherwise 0. */
uint64_t dpt_lattice_ways(dpt_ctx *ctx, const dpt_lattice_release *release, const dpt_lattice_cover *cover, int64_t tau,
                          const dpt_lattice_labels *labels, bool outlined);

#endif
