/* ffi-publish-tree.c - graphical models of coded tables, for R.
 *
 * sizes: the number of codes of each column. scopes: a list of sets of columns, numbers from 1, each in the order of
 * the axes of its table. potential: a list of tables, the log potentials of each of the scopes. */
#include "ffi-publish-tree.h"

#include <math.h>
#include <string.h>

#include "ffi-read.h"
#include "ffi.h"
#include "publish-tree-draw.h"
#include "publish-tree-fit.h"
#include "publish-tree-query.h"

enum { MOST_COLUMNS = 1000, MOST_SCOPES = 1000000, MOST_CODES = 1 << 24 };
static const double most_cells = 0x1p28; /* limit for tables that are filled */

typedef struct {
  ffi_integers sizes;
  SEXP scopes, wanted;           /* sets of columns */
  SEXP potential, count, weight; /* lists of tables */
  double total, unit, gain;
  int steps;
  ptrdiff_t rows;
} tree_request;

/* ---- arguments from R ------------------------------------------------------------------------ */

ffi_integers ffi_read_tree_sizes(SEXP sizes) {
  const ffi_integers read = ffi_whole(sizes, "sizes");
  if (read.count < 1 || read.count > MOST_COLUMNS) ffi_refuse("sizes", "1 to 1000 numbers");
  for (ptrdiff_t i = 0; i < read.count; i++)
    if (read.at[i] < 1 || read.at[i] > MOST_CODES) ffi_refuse("sizes", "from 1 to 2^24");
  return read;
}

static void check_scope(SEXP scope, ptrdiff_t columns, const char *what) {
  const ffi_integers read = ffi_whole(scope, what);
  bool seen[MOST_COLUMNS] = {false};
  for (ptrdiff_t j = 0; j < read.count; j++) {
    if (read.at[j] < 1 || read.at[j] > columns) ffi_refuse(what, "sets of numbers of columns");
    if (seen[read.at[j] - 1]) ffi_refuse(what, "sets of different columns");
    seen[read.at[j] - 1] = true;
  }
}

SEXP ffi_read_tree_scopes(SEXP scopes, ffi_integers sizes, const char *what) {
  ffi_list(scopes, 0, MOST_SCOPES, what);
  for (ptrdiff_t i = 0; i < XLENGTH(scopes); i++) check_scope(VECTOR_ELT(scopes, i), sizes.count, what);
  return scopes;
}

static double scope_cells(SEXP scope, ffi_integers sizes) {
  double cells = 1;
  for (ptrdiff_t j = 0; j < XLENGTH(scope); j++) cells *= sizes.at[INTEGER(scope)[j] - 1];
  return cells;
}

/* Reads a table for each of the scopes, with a number for each of its cells. */
static SEXP read_tables(SEXP x, double least, double most, SEXP scopes, ffi_integers sizes, const char *what) {
  ffi_list(x, XLENGTH(scopes), XLENGTH(scopes), what);
  for (ptrdiff_t i = 0; i < XLENGTH(scopes); i++) {
    const ffi_vector table = ffi_doubles_within(VECTOR_ELT(x, i), least, most, what);
    if ((double) table.count != scope_cells(VECTOR_ELT(scopes, i), sizes))
      ffi_refuse(what, "one number for each cell of the scopes");
  }
  return x;
}

/* Reads the description of a model. */
static tree_request read_model(SEXP sizes, SEXP scopes, SEXP potential) {
  tree_request request = {.sizes = ffi_read_tree_sizes(sizes)};
  request.scopes = ffi_read_tree_scopes(scopes, request.sizes, "scopes");
  request.potential = read_tables(potential, -0x1p100, 0x1p100, scopes, request.sizes, "potential");
  return request;
}

ptrdiff_t *ffi_copy_tree_sizes(dpt_ctx *ctx, ffi_integers sizes) {
  ptrdiff_t *size = DPT_NEW(ctx, ptrdiff_t, sizes.count);
  for (ptrdiff_t i = 0; i < sizes.count; i++) size[i] = sizes.at[i];
  return size;
}

dpt_scopes ffi_copy_tree_scopes(dpt_ctx *ctx, SEXP scopes) {
  const ptrdiff_t count = XLENGTH(scopes);
  ptrdiff_t *start = DPT_NEW(ctx, ptrdiff_t, count + 1);
  start[0] = 0;
  for (ptrdiff_t i = 0; i < count; i++) start[i + 1] = start[i] + XLENGTH(VECTOR_ELT(scopes, i));
  int *column = DPT_NEW(ctx, int, start[count]);
  for (ptrdiff_t i = 0; i < count; i++)
    for (ptrdiff_t j = start[i]; j < start[i + 1]; j++) column[j] = INTEGER(VECTOR_ELT(scopes, i))[j - start[i]] - 1;
  return (dpt_scopes){count, start, column};
}

/* ---- tables ------------------------------------------------------------------------------------ */

/* Joins tables one after the other, as the core expects. */
static double *join_tables(dpt_ctx *ctx, SEXP tables) {
  ptrdiff_t cells = 0;
  for (ptrdiff_t i = 0; i < XLENGTH(tables); i++) cells += XLENGTH(VECTOR_ELT(tables, i));
  double *joined = DPT_NEW(ctx, double, cells), *at = joined;
  for (ptrdiff_t i = 0; i < XLENGTH(tables); i++) {
    const ptrdiff_t own = XLENGTH(VECTOR_ELT(tables, i));
    if (own > 0) memcpy(at, REAL(VECTOR_ELT(tables, i)), (size_t) own * sizeof *at);
    at += own;
  }
  return joined;
}

/* Makes room for a table for each of the scopes, in a list that is kept. */
static SEXP new_tables(dpt_ctx *ctx, SEXP scopes, ffi_integers sizes) {
  SEXP tables = ffi_keep(ctx, Rf_allocVector(VECSXP, XLENGTH(scopes)));
  for (ptrdiff_t i = 0; i < XLENGTH(scopes); i++)
    SET_VECTOR_ELT(tables, i, ffi_new_doubles((ptrdiff_t) scope_cells(VECTOR_ELT(scopes, i), sizes)));
  return tables;
}

/* ---- models ----------------------------------------------------------------------------------- */

typedef struct {
  dpt_tree tree;
  dpt_scopes scopes, wanted;
  dpt_belief belief;
  double *potential;
} model;

/* Plans a model, not updated, and the requested sets of columns. Sets that are too large are refused before the
 * update, which takes most of the time. */
static void plan_model(dpt_ctx *ctx, const tree_request *request, model *made) {
  made->scopes = ffi_copy_tree_scopes(ctx, request->scopes);
  dpt_require(ctx, dpt_tree_build(ctx, (int) request->sizes.count, ffi_copy_tree_sizes(ctx, request->sizes),
                                  &made->scopes, &made->tree));
  if (made->tree.offset[made->tree.cliques] > (ptrdiff_t) most_cells)
    dpt_escape(ctx, DPT_ERROR_SIZE, "A model of these sets of columns has more than 2^28 cells.");
  dpt_belief_plan(ctx, &made->tree, &made->scopes, &made->belief);
  made->potential = join_tables(ctx, request->potential);
  if (!request->wanted) return;
  made->wanted = ffi_copy_tree_scopes(ctx, request->wanted);
  double *reach = DPT_NEW(ctx, double, made->wanted.count + 1);
  dpt_tree_reaches(ctx, &made->tree, &made->wanted, reach);
  for (ptrdiff_t i = 0; i < made->wanted.count; i++)
    if (!(reach[i] <= most_cells))
      dpt_escape(ctx, DPT_ERROR_SIZE, "The margin of these columns needs a table of more than 2^28 cells.");
}

static void make_model(dpt_ctx *ctx, const tree_request *request, model *made) {
  plan_model(ctx, request, made);
  dpt_belief_update(ctx, &made->belief, made->potential);
}

/* Returns the probabilities of each of the wanted sets. */
static SEXP wanted_margins(dpt_ctx *ctx, const tree_request *request, const model *made) {
  SEXP tables = new_tables(ctx, request->wanted, request->sizes);
  for (ptrdiff_t i = 0; i < made->wanted.count; i++)
    dpt_tree_margin(ctx, &made->belief, dpt_scope(&made->wanted, i), REAL(VECTOR_ELT(tables, i)));
  return tables;
}

/* ---- sizes ------------------------------------------------------------------------------------ */

static SEXP tree_sizes(dpt_ctx *ctx, void *data) {
  const tree_request *request = data;
  const dpt_scopes scopes = ffi_copy_tree_scopes(ctx, request->scopes),
                   wanted = ffi_copy_tree_scopes(ctx, request->wanted);
  const ptrdiff_t *size = ffi_copy_tree_sizes(ctx, request->sizes);
  const int columns = (int) request->sizes.count;
  static const char *const names[] = {"cells", "more", "reach"};
  SEXP values[3];
  values[0] = ffi_keep(ctx, ffi_new_doubles(1));
  values[1] = ffi_keep(ctx, ffi_new_doubles(wanted.count));
  values[2] = ffi_keep(ctx, ffi_new_doubles(wanted.count));
  REAL(values[0])[0] = dpt_tree_size(ctx, columns, size, &scopes);
  dpt_tree_sizes(ctx, columns, size, &scopes, &wanted, REAL(values[1]));
  if (wanted.count > 0) {
    dpt_tree tree;
    dpt_require(ctx, dpt_tree_build(ctx, columns, size, &scopes, &tree));
    dpt_tree_reaches(ctx, &tree, &wanted, REAL(values[2]));
  }
  return ffi_named_list(3, names, values);
}

/* Returns the number of cells of the model of the scopes, and the numbers with each of `wanted` added. Also returns
 * the largest table that the margin of these columns needs in the model of the scopes. */
SEXP ffi_publish_tree_sizes(SEXP sizes, SEXP scopes, SEXP wanted, SEXP options) {
  tree_request request = {.sizes = ffi_read_tree_sizes(sizes)};
  request.scopes = ffi_read_tree_scopes(scopes, request.sizes, "scopes");
  request.wanted = ffi_read_tree_scopes(wanted, request.sizes, "wanted");
  return ffi_call(tree_sizes, &request, options);
}

/* ---- fit, margins, distances, records ------------------------------------------------------------ */

/* Distance between tables and other tables of the same sizes. */
static double distance_between(SEXP tables, SEXP others) {
  double distance = 0;
  for (ptrdiff_t i = 0; i < XLENGTH(tables); i++) {
    const double *p = REAL(VECTOR_ELT(tables, i)), *q = REAL(VECTOR_ELT(others, i));
    for (ptrdiff_t j = 0; j < XLENGTH(VECTOR_ELT(tables, i)); j++) distance += fabs(p[j] - q[j]);
  }
  return distance;
}

static SEXP tree_fit(dpt_ctx *ctx, void *data) {
  const tree_request *request = data;
  const bool watches = XLENGTH(request->wanted) > 0;
  model made;
  plan_model(ctx, request, &made);
  SEXP before = R_NilValue;
  if (watches) {
    dpt_belief_update(ctx, &made.belief, made.potential);
    before = wanted_margins(ctx, request, &made);
  }
  const dpt_tree_target target = {join_tables(ctx, request->count), join_tables(ctx, request->weight), request->total};
  const dpt_tree_fitted fitted = dpt_tree_fit(ctx, &made.belief, &target, request->steps, request->gain,
                                              made.potential);
  static const char *const names[] = {"potential", "moved", "loss", "steps"};
  SEXP values[4];
  values[0] = new_tables(ctx, request->scopes, request->sizes);
  for (ptrdiff_t i = 0; i < made.scopes.count; i++)
    memcpy(REAL(VECTOR_ELT(values[0], i)), made.potential + made.belief.offset[i],
           (size_t) (made.belief.offset[i + 1] - made.belief.offset[i]) * sizeof(double));
  values[1] = ffi_keep(ctx, Rf_ScalarReal(0));
  values[2] = ffi_keep(ctx, Rf_ScalarReal(fitted.loss));
  values[3] = ffi_keep(ctx, Rf_ScalarReal(fitted.steps));
  if (watches) {
    dpt_belief_update(ctx, &made.belief, made.potential);
    REAL(values[1])[0] = distance_between(wanted_margins(ctx, request, &made), before);
  }
  return ffi_named_list(4, names, values);
}

static SEXP read_wanted(SEXP wanted, ffi_integers sizes, const char *what) {
  ffi_read_tree_scopes(wanted, sizes, what);
  double cells = 0;
  for (ptrdiff_t i = 0; i < XLENGTH(wanted); i++) cells += scope_cells(VECTOR_ELT(wanted, i), sizes);
  if (cells > most_cells) ffi_refuse(what, "of less than 2^28 cells");
  return wanted;
}

/* count: noisy tables, as `potential`. weight: one over the variance of each. watched: sets of columns, possibly
 * none. `moved` is the change of their probabilities by the fit, the sum of all |p - p'|. */
SEXP ffi_publish_tree_fit(SEXP sizes, SEXP scopes, SEXP potential, SEXP count, SEXP weight, SEXP total, SEXP steps,
                          SEXP gain, SEXP watched, SEXP options) {
  tree_request request = read_model(sizes, scopes, potential);
  request.count = read_tables(count, -0x1p62, 0x1p62, scopes, request.sizes, "count");
  request.weight = read_tables(weight, 0, 0x1p62, scopes, request.sizes, "weight");
  request.wanted = read_wanted(watched, request.sizes, "watched");
  double most = 0;
  for (ptrdiff_t i = 0; i < XLENGTH(weight); i++)
    for (ptrdiff_t j = 0; j < XLENGTH(VECTOR_ELT(weight, i)); j++) most = fmax(most, REAL(VECTOR_ELT(weight, i))[j]);
  if (most < 0x1p-120) ffi_refuse("weight", "above 2^-120 for some cell");
  request.total = ffi_number(total, 1, 0x1p52, "total");
  request.steps = ffi_choice(steps, 0, 1000000, "steps");
  request.gain = ffi_number(gain, 0, 1, "gain");
  return ffi_call(tree_fit, &request, options);
}

static SEXP tree_margins(dpt_ctx *ctx, void *data) {
  model made;
  make_model(ctx, data, &made);
  return wanted_margins(ctx, data, &made);
}

/* Returns the probabilities of `wanted`, a list of tables. */
SEXP ffi_publish_tree_margins(SEXP sizes, SEXP scopes, SEXP potential, SEXP wanted, SEXP options) {
  tree_request request = read_model(sizes, scopes, potential);
  request.wanted = read_wanted(wanted, request.sizes, "wanted");
  return ffi_call(tree_margins, &request, options);
}

static SEXP tree_distance(dpt_ctx *ctx, void *data) {
  const tree_request *request = data;
  model made;
  make_model(ctx, request, &made);
  SEXP result = ffi_keep(ctx, ffi_new_doubles(made.wanted.count));
  dpt_tree_distance(ctx, &made.belief, &made.wanted, join_tables(ctx, request->count), request->total, request->unit,
                    REAL(result));
  return result;
}

/* count: exact tables for each of `wanted`. unit: 2^0 to 2^50. Returns the l1 distance to the model, in integer
 * multiples of 1 / unit. */
SEXP ffi_publish_tree_distance(SEXP sizes, SEXP scopes, SEXP potential, SEXP wanted, SEXP count, SEXP total, SEXP unit,
                               SEXP options) {
  tree_request request = read_model(sizes, scopes, potential);
  request.wanted = read_wanted(wanted, request.sizes, "wanted");
  request.count = read_tables(count, 0, 0x1p52, wanted, request.sizes, "count");
  request.total = ffi_number(total, 1, 0x1p50, "total");
  request.unit = ffi_number(unit, 1, 0x1p50, "unit");
  if (request.unit * request.total > 0x1p50) ffi_refuse("unit", "at most 2^50 / total");
  return ffi_call(tree_distance, &request, options);
}

static SEXP tree_draw(dpt_ctx *ctx, void *data) {
  const tree_request *request = data;
  model made;
  make_model(ctx, request, &made);
  SEXP code = ffi_keep(ctx, ffi_new_integer_matrix(request->rows, request->sizes.count));
  dpt_tree_draw(ctx, &made.belief, request->rows, INTEGER(code));
  return code;
}

/* rows: the number of records, at most 2^26. Returns a matrix of codes from 0. */
SEXP ffi_publish_tree_draw(SEXP sizes, SEXP scopes, SEXP potential, SEXP rows, SEXP options) {
  tree_request request = read_model(sizes, scopes, potential);
  request.rows = ffi_count(rows, 0, 1 << 26, "rows");
  return ffi_call(tree_draw, &request, options);
}
