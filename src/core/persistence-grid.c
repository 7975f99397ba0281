/* persistence-grid.c - persistent homology of a function on a grid: input and output.
 *
 * The filtration: vertices carry the values, a cell enters with its last vertex, ties broken by index, so that all
 * vertices are in a strict order. Every cell then belongs to the lower star of exactly one vertex. All algorithms
 * use this: a discrete gradient inside each lower star (Robins, Wood and Sheppard, IEEE PAMI 33(8), 2011) leaves a
 * few critical cells, which alone carry the persistence. No other cell is ever sorted into a matrix.
 *
 *   -2d.c       cubical, one or two axes: two union-finds over critical cells, no sort of the vertices
 *   -nd.c       the rest: union-find for the lowest and the highest dimension, the dimensions between from the
 *               boundary of the critical cells, followed along the gradient and reduced (-reduce.c)
 *   -stars.c    the complexes as tables; -gradient.c: the gradient from them
 *
 * Axes of one vertex are dropped here, because they change nothing, and a plane inside a space is then as fast as a
 * plane. Algorithms receive at least two axes: a path is a plane of one line. */
#include "persistence-grid.h"

#include <math.h>
#include <string.h>

#include "persistence-grid-2d.h"
#include "persistence-grid-nd.h"
#include "persistence-grid-sort.h"

static void drop_flat_axes(const dpt_grid_request *request, dpt_grid_image *image) {
  image->axes = 0;
  for (int axis = 0; axis < request->axes; axis++)
    if (request->size[axis] > 1) image->size[image->axes++] = request->size[axis];
  while (image->axes < 2) image->size[image->axes++] = 1;
}

static bool measure_image(dpt_grid_image *image) {
  image->count = 1;
  for (int axis = 0; axis < image->axes; axis++) {
    image->stride[axis] = image->count;
    if (image->size[axis] + 2 > INT32_MAX / image->count) return false;
    image->count *= image->size[axis] + 2;
  }
  return true;
}

static void copy_line(const double *from, double *to, ptrdiff_t count, bool negate) {
  if (negate)
    for (ptrdiff_t i = 0; i < count; i++) to[i] = -from[i];
  else memcpy(to, from, (size_t) count * sizeof *to);
}

/* Copies the values inside a border of NaN, line by line along the first axis. */
static void fill_image(dpt_ctx *ctx, const dpt_grid_request *request, dpt_grid_image *image) {
  double *padded = DPT_NEW(ctx, double, image->count);
  const double *from = request->values;
  const ptrdiff_t length = image->size[0] + 2;
  for (ptrdiff_t start = 0; start < image->count; start += length) {
    bool border = false;
    for (int axis = 1; axis < image->axes; axis++) {
      ptrdiff_t at = start / image->stride[axis] % (image->size[axis] + 2);
      border = border || at == 0 || at == image->size[axis] + 1;
    }
    if (border) {
      for (ptrdiff_t i = 0; i < length; i++) padded[start + i] = NAN;
    } else {
      padded[start] = padded[start + length - 1] = NAN;
      copy_line(from, padded + start + 1, image->size[0], request->superlevel);
      from += image->size[0];
    }
    dpt_tick(ctx, length);
  }
  image->values = padded;
}

/* Keeps deaths at infinity, drops them, or moves them to the cap. A cap below a birth leaves no class. */
static void close_essential(const dpt_grid_request *request, dpt_grid_diagram *diagram) {
  if (request->essential == DPT_GRID_KEEP) return;
  const double cap = request->superlevel ? -request->cap : request->cap;
  const ptrdiff_t count = diagram->count;
  diagram->count = 0;
  for (ptrdiff_t i = 0; i < count; i++) {
    const bool essential = diagram->death[i] == INFINITY;
    if (essential && request->essential == DPT_GRID_DROP) continue;
    dpt_grid_emit(diagram, diagram->dimension[i], diagram->birth[i], essential ? cap : diagram->death[i]);
  }
}

static void key_by(dpt_grid_record *records, const dpt_grid_diagram *diagram, bool by_persistence) {
  for (ptrdiff_t i = 0; i < diagram->count; i++) {
    const ptrdiff_t row = records[i].id;
    records[i].key = by_persistence ? ~dpt_grid_key(fabs(diagram->death[row] - diagram->birth[row]))
                                    : dpt_grid_key(diagram->birth[row]);
  }
}

static bool has_ties(const dpt_grid_record *records, ptrdiff_t count) {
  for (ptrdiff_t i = 1; i < count; i++)
    if (records[i].key == records[i - 1].key) return true;
  return false;
}

/* Orders the rows. Births matter only for equal persistences, which never occur in an image of noise. */
static void order_rows(dpt_ctx *ctx, const dpt_grid_diagram *diagram, dpt_grid_record *records) {
  for (ptrdiff_t i = 0; i < diagram->count; i++) records[i].id = (uint32_t) i;
  key_by(records, diagram, true);
  dpt_grid_sort(ctx, records, diagram->count);
  if (!has_ties(records, diagram->count)) return;
  key_by(records, diagram, false);
  dpt_grid_sort(ctx, records, diagram->count);
  key_by(records, diagram, true);
  dpt_grid_sort(ctx, records, diagram->count);
}

/* Places rows by dimension, and within a dimension in the order of the records. */
static void place_rows(dpt_ctx *ctx, dpt_grid_diagram *diagram, const dpt_grid_record *records) {
  dpt_grid_diagram sorted;
  dpt_grid_open_diagram(ctx, &sorted, diagram->count);
  ptrdiff_t start[DPT_GRID_MOST_AXES + 1] = {0};
  for (ptrdiff_t i = 0; i < diagram->count; i++) start[diagram->dimension[i] + 1]++;
  for (int dimension = 0; dimension < DPT_GRID_MOST_AXES; dimension++) start[dimension + 1] += start[dimension];
  for (ptrdiff_t i = 0; i < diagram->count; i++) {
    const ptrdiff_t row = records[i].id;
    const ptrdiff_t place = start[diagram->dimension[row]]++;
    sorted.dimension[place] = diagram->dimension[row];
    sorted.birth[place] = diagram->birth[row];
    sorted.death[place] = diagram->death[row];
  }
  sorted.count = diagram->count;
  *diagram = sorted;
}

static void sort_diagram(dpt_ctx *ctx, dpt_grid_diagram *diagram) {
  dpt_grid_record *records = DPT_NEW(ctx, dpt_grid_record, diagram->count);
  order_rows(ctx, diagram, records);
  place_rows(ctx, diagram, records);
}

void dpt_grid_sort_by_birth(dpt_ctx *ctx, dpt_grid_diagram *diagram) {
  dpt_grid_record *records = DPT_NEW(ctx, dpt_grid_record, diagram->count);
  for (ptrdiff_t i = 0; i < diagram->count; i++) records[i].id = (uint32_t) i;
  key_by(records, diagram, false);
  dpt_grid_sort(ctx, records, diagram->count);
  place_rows(ctx, diagram, records);
}

/* Restores the values of a superlevel filtration. Adding 0.0 avoids -0. */
static void negate_diagram(dpt_grid_diagram *diagram) {
  for (ptrdiff_t i = 0; i < diagram->count; i++) {
    diagram->birth[i] = -diagram->birth[i] + 0.0;
    diagram->death[i] = -diagram->death[i] + 0.0;
  }
}

dpt_status dpt_grid_persistence(dpt_ctx *ctx, const dpt_grid_request *request, dpt_grid_diagram *diagram) {
  dpt_grid_image image;
  drop_flat_axes(request, &image);
  if (!measure_image(&image))
    return dpt_fail(ctx, DPT_ERROR_SIZE, "a grid, with its border, must have fewer than 2^31 vertices");
  fill_image(ctx, request, &image);
  const bool path = image.size[1] == 1; /* both complexes are the same */
  const bool plane = request->plane_allowed && image.axes == 2 && (path || request->complex == DPT_GRID_CUBICAL);
  dpt_status status = plane ? dpt_grid_plane(ctx, &image, request->max_dimension, diagram)
                            : dpt_grid_general(ctx, &image, request->complex, request->max_dimension, diagram);
  if (status != DPT_OK) return status;
  close_essential(request, diagram);
  if (request->superlevel) negate_diagram(diagram);
  sort_diagram(ctx, diagram);
  return DPT_OK;
}
