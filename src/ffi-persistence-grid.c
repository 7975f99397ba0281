/* ffi-persistence-grid.c - persistence diagrams for arrays and for the distance to a measure on a grid. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "ffi.h"
#include "ffi-dtm-read.h"
#include "persistence-grid.h"

static SEXP run_grid_persistence(dpt_ctx *ctx, void *data) {
  dpt_grid_diagram diagram;
  dpt_require(ctx, dpt_grid_persistence(ctx, data, &diagram));
  SEXP dimension = ffi_keep(ctx, Rf_allocVector(INTSXP, diagram.count));
  SEXP birth = ffi_keep(ctx, ffi_new_doubles(diagram.count));
  SEXP death = ffi_keep(ctx, ffi_new_doubles(diagram.count));
  for (ptrdiff_t i = 0; i < diagram.count; i++) {
    INTEGER(dimension)[i] = diagram.dimension[i];
    REAL(birth)[i] = diagram.birth[i];
    REAL(death)[i] = diagram.death[i];
  }
  return ffi_named_list(3, (const char *const[]){"dimension", "birth", "death"},
                        (const SEXP[]){dimension, birth, death});
}

/* `values`: doubles. `size`: their extents. `max_dimension`: an integer. `sublevel`, `alternating`: flags.
 * `essential`: 0 keep, 1 drop, 2 cap. `cap`: a double. `plane`: whether the algorithm for the plane may be used. */
SEXP ffi_persistence_grid(SEXP values, SEXP size, SEXP max_dimension, SEXP sublevel, SEXP alternating, SEXP essential,
                          SEXP cap, SEXP plane, SEXP options) {
  ffi_vector all = ffi_doubles_within(values, -INFINITY, INFINITY, "values");
  ffi_vector sides = ffi_doubles_within(size, 1, (double) FFI_COUNT_MOST, "size");
  dpt_grid_request request = {
      .values = all.at,
      .axes = (int) sides.count,
      .max_dimension = ffi_choice(max_dimension, 0, INT_MAX, "max_dimension"),
      .superlevel = !ffi_flag(sublevel, "sublevel"),
      .complex = ffi_flag(alternating, "alternating") ? DPT_GRID_ALTERNATING : DPT_GRID_CUBICAL,
      .essential = (dpt_grid_essential) ffi_choice(essential, 0, 2, "essential"),
      .plane_allowed = ffi_flag(plane, "plane"),
  };
  if (request.essential == DPT_GRID_CAP) request.cap = ffi_number(cap, -INFINITY, INFINITY, "cap");
  if (sides.count < 1 || sides.count > DPT_GRID_MOST_AXES) ffi_refuse("size", "one to four extents");
  double product = 1;
  for (int axis = 0; axis < request.axes; axis++) {
    request.size[axis] = (ptrdiff_t) sides.at[axis];
    product *= (double) request.size[axis];
  }
  if (product != (double) all.count) ffi_refuse("size", "the extents of `values`");
  return ffi_call(run_grid_persistence, &request, options);
}

/* ---- from rows to diagrams ------------------------------------------------------------------------------------- */

typedef struct {
  dpt_dtm_problem problem;
  dtm_rule rule;
  dpt_grid_request grid;
  const double *axis[DPT_GRID_MOST_AXES];
  ffi_vector dimensions;
} diagrams_request;

/* Writes the vertices of a grid, one per row, the first axis fastest. */
static double *grid_vertices(dpt_ctx *ctx, const diagrams_request *request, ptrdiff_t count) {
  double *vertex = DPT_NEW(ctx, double, count * request->grid.axes);
  ptrdiff_t repeats = 1;
  for (int axis = 0; axis < request->grid.axes; axis++) {
    double *column = vertex + axis * count;
    const ptrdiff_t size = request->grid.size[axis];
    for (ptrdiff_t i = 0; i < count; i++) column[i] = request->axis[axis][i / repeats % size];
    repeats *= size;
  }
  return vertex;
}

/* Returns the pairs of one dimension as two columns, births and deaths. */
static SEXP dimension_matrix(const dpt_grid_diagram *diagram, int dimension) {
  ptrdiff_t from = 0, count = 0;
  while (from < diagram->count && diagram->dimension[from] < dimension) from++;
  while (from + count < diagram->count && diagram->dimension[from + count] == dimension) count++;
  SEXP matrix = ffi_new_matrix(count, 2);
  if (count > 0) {
    memcpy(REAL(matrix), diagram->birth + from, (size_t) count * sizeof(double));
    memcpy(REAL(matrix) + count, diagram->death + from, (size_t) count * sizeof(double));
  }
  return matrix;
}

static SEXP true_diagrams(dpt_ctx *ctx, void *data) {
  diagrams_request *request = data;
  dpt_dtm_problem problem = request->problem;
  problem.lattice = &request->rule.lattice;
  problem.queries = grid_vertices(ctx, request, problem.query_count);
  double *values = DPT_NEW(ctx, double, problem.query_count);
  dpt_dtm_evaluate(ctx, &problem, values);
  request->grid.values = values;
  dpt_grid_diagram diagram;
  dpt_require(ctx, dpt_grid_persistence(ctx, &request->grid, &diagram));
  dpt_grid_sort_by_birth(ctx, &diagram);
  SEXP list = ffi_keep(ctx, Rf_allocVector(VECSXP, request->dimensions.count));
  for (ptrdiff_t i = 0; i < request->dimensions.count; i++)
    SET_VECTOR_ELT(list, i, dimension_matrix(&diagram, (int) request->dimensions.at[i]));
  return list;
}

static void read_axes(SEXP axes, diagrams_request *request) {
  double product = 1;
  request->grid.axes = (int) XLENGTH(ffi_list(axes, 1, DPT_GRID_MOST_AXES, "axes"));
  for (int axis = 0; axis < request->grid.axes; axis++) {
    const ffi_vector places = ffi_doubles_within(VECTOR_ELT(axes, axis), -DBL_MAX, DBL_MAX, "axes");
    request->axis[axis] = places.at;
    request->grid.size[axis] = places.count;
    product *= (double) places.count;
  }
  if (product < 1 || product > INT32_MAX) ffi_refuse("axes", "those of a grid of 1 to 2^31 vertices");
  request->problem.query_count = (ptrdiff_t) product;
}

/* Returns the diagrams of sublevel sets of the integer distance to a measure: a list of two-column matrices, one for
 * each of `dimensions`, with births in order. axes: a list of doubles. essential: 1 drop, 2 cap at `cap`. */
SEXP ffi_persistence_true_diagrams(SEXP points, SEXP weights, SEXP axes, SEXP neighbors, SEXP r, SEXP clip, SEXP scale,
                                   SEXP change, SEXP steps, SEXP unit, SEXP dimensions, SEXP essential, SEXP cap,
                                   SEXP options) {
  const ffi_matrix data = ffi_finite_matrix(points, "points");
  diagrams_request request = {
      .rule = dtm_read_rule(data.rows, weights, neighbors, r, clip, scale, change, steps, unit)};
  dtm_check_scale(&request.rule);
  request.problem = (dpt_dtm_problem){.points = data.at,
                                      .weight = request.rule.mass.weight.at,
                                      .count = data.rows,
                                      .dimension = (int) data.columns,
                                      .neighbors = request.rule.mass.neighbors,
                                      .r = request.rule.r,
                                      .clip = request.rule.clip};
  request.grid = (dpt_grid_request){.essential = (dpt_grid_essential) ffi_choice(essential, 1, 2, "essential"),
                                    .cap = ffi_number(cap, 0, DBL_MAX, "cap"),
                                    .plane_allowed = true};
  read_axes(axes, &request);
  if (data.columns != request.grid.axes) ffi_refuse("axes", "one for each column of `points`");
  request.dimensions = ffi_doubles_within(dimensions, 0, request.grid.axes - 1, "dimensions");
  for (ptrdiff_t i = 0; i < request.dimensions.count; i++) {
    if (request.dimensions.at[i] != floor(request.dimensions.at[i])) ffi_refuse("dimensions", "integers");
    request.grid.max_dimension = (int) fmax(request.grid.max_dimension, request.dimensions.at[i]);
  }
  return ffi_call(true_diagrams, &request, options);
}
