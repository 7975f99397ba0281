/* ffi-publish-network.c - networks of coded columns, for R. */
#include "ffi.h"

#include <float.h>
#include <math.h>

#include "ffi-publish-codes.h"
#include "privacy-choice.h"
#include "publish-network.h"

static const double MOST_ROWS = 4503599627370496; /* 2^52 */

/* The rule that compares sets of parents, if the total count of all rows is n. */
typedef struct {
  int64_t n;
  dpt_parents_score kind;
  int shift;
  double unit;
} score_rule;

static score_rule read_rule(double rows, SEXP kind, SEXP shift, SEXP unit) {
  const score_rule rule = {(int64_t) rows, (dpt_parents_score) ffi_choice(kind, 0, 1, "kind"),
                           ffi_choice(shift, 0, 106, "shift"), ffi_number(unit, 0, 0x1p52, "unit")};
  /* No score may need more digits than a double has. */
  if (2 * rows * rows > ldexp(1, 53 + rule.shift) && rule.kind == DPT_PARENTS_DISTANCE) ffi_refuse("shift", "larger");
  if (rule.kind == DPT_PARENTS_INFORMATION && rule.unit * rows * log(rows + 1) > 0x1p50) ffi_refuse("unit", "smaller");
  return rule;
}

static double score_of(dpt_ctx *ctx, const score_rule *rule, const double *count, int size, ptrdiff_t cells) {
  const dpt_family family = {count, size, cells / size};
  return dpt_parents_score_of(ctx, &family, rule->n, rule->kind, rule->shift, rule->unit);
}

typedef struct {
  SEXP counts;
  ffi_integers size;
  score_rule rule;
} score_request;

/* Checks integers that add up to n. */
static void check_counts(ffi_vector count, int size, double n) {
  double sum = 0;
  bool good = size >= 1 && count.count > 0 && count.count % size == 0;
  for (ptrdiff_t i = 0; i < count.count; i++) {
    good &= count.at[i] == floor(count.at[i]);
    sum += count.at[i];
  }
  if (!good || sum != n) ffi_refuse("counts", "tables of integers that add up to `n`");
}

static SEXP score_parents(dpt_ctx *ctx, void *data) {
  const score_request *request = data;
  const ptrdiff_t count = (ptrdiff_t) XLENGTH(request->counts);
  SEXP scores = ffi_keep(ctx, ffi_new_doubles(count));
  for (ptrdiff_t i = 0; i < count; i++) {
    SEXP table = VECTOR_ELT(request->counts, i);
    REAL(scores)[i] = score_of(ctx, &request->rule, REAL(table), request->size.at[i], (ptrdiff_t) XLENGTH(table));
  }
  return scores;
}

/* counts: a list of joint counts, in which the column with the `sizes` runs fastest. kind: 0, 1. shift, unit: as in
 * the kernel. */
SEXP ffi_publish_parent_scores(SEXP counts, SEXP sizes, SEXP n, SEXP kind, SEXP shift, SEXP unit, SEXP options) {
  score_request request = {.counts = ffi_list(counts, 0, FFI_COUNT_MOST, "counts"), .size = ffi_whole(sizes, "sizes")};
  const double rows = ffi_number(n, 0, MOST_ROWS, "n");
  if (request.size.count != (ptrdiff_t) XLENGTH(counts)) ffi_refuse("sizes", "one for each table");
  for (ptrdiff_t i = 0; i < request.size.count; i++) {
    check_counts(ffi_doubles_within(VECTOR_ELT(counts, i), 0, MOST_ROWS, "counts"), request.size.at[i], rows);
  }
  request.rule = read_rule(rows, kind, shift, unit);
  return ffi_call(score_parents, &request, options);
}

typedef struct {
  ffi_codes codes;
  SEXP scopes;
  ffi_vector score;
  score_rule rule;
  double rate;
} choice_request;

enum { MOST_CELLS_AT_ONCE = 1 << 22 };

/* Counts scopes without score from `first` on, as many as fit into the limit of cells together, or at least one, and
 * computes their scores. Returns the index after them. */
static ptrdiff_t score_some(dpt_ctx *ctx, const choice_request *request, const dpt_codes *codes, ptrdiff_t first,
                            double *score) {
  const dpt_arena_mark mark = dpt_arena_here(&ctx->arena);
  dpt_scope *scopes = DPT_NEW(ctx, dpt_scope, request->score.count - first);
  ptrdiff_t *place = DPT_NEW(ctx, ptrdiff_t, request->score.count - first);
  ptrdiff_t count = 0, cells = 0, i = first;
  for (; i < request->score.count; i++) {
    if (!isnan(score[i])) continue;
    const dpt_scope scope = ffi_open_scope(ctx, &request->codes, VECTOR_ELT(request->scopes, i));
    if (count > 0 && cells + scope.cells > MOST_CELLS_AT_ONCE) break;
    cells += scope.cells;
    place[count] = i;
    scopes[count++] = scope;
  }
  for (ptrdiff_t s = 0; s < count; s++) scopes[s].number = DPT_NEW(ctx, double, scopes[s].cells);
  dpt_scopes_count(ctx, codes, scopes, count);
  for (ptrdiff_t s = 0; s < count; s++) {
    score[place[s]] = score_of(ctx, &request->rule, scopes[s].number, codes->size[scopes[s].column[0]],
                               scopes[s].cells);
  }
  dpt_arena_release(&ctx->arena, mark);
  return i;
}

static SEXP choose_parents(dpt_ctx *ctx, void *data) {
  const choice_request *request = data;
  const dpt_codes codes = ffi_narrow_codes(ctx, &request->codes);
  SEXP score = ffi_keep(ctx, ffi_new_doubles(request->score.count));
  for (ptrdiff_t i = 0; i < request->score.count; i++) REAL(score)[i] = request->score.at[i];
  for (ptrdiff_t i = 0; i < request->score.count;) i = score_some(ctx, request, &codes, i, REAL(score));
  const ptrdiff_t place = dpt_draw_choice(ctx, REAL(score), request->score.count, request->rate);
  SEXP drawn = ffi_keep(ctx, Rf_ScalarReal((double) (place + 1)));
  return ffi_named_list(2, (const char *const[]){"place", "score"}, (const SEXP[]){drawn, score});
}

/* codes, sizes, weights, scopes: as in ffi_publish_joint_counts(), a column before its parents. score: an integer
 * for each scope, or NaN to compute it. choice: a list of `kind`, `shift` and `unit`, as above, `total`, the total
 * count of all rows, and `epsilon`. sensitivity: the sensitivity of scores. Returns a list of the `place`, from 1,
 * of the scope that is drawn, and all scores. */
SEXP ffi_publish_choose_parents(SEXP codes, SEXP sizes, SEXP weights, SEXP scopes, SEXP score, SEXP choice,
                                SEXP sensitivity, SEXP options) {
  choice_request request = {
      .codes = ffi_read_weighted_codes(codes, sizes, weights), .scopes = scopes, .score = ffi_doubles(score, "score")};
  ffi_list(scopes, 1, FFI_COUNT_MOST, "scopes");
  if (request.score.count != (ptrdiff_t) XLENGTH(scopes)) ffi_refuse("score", "one for each scope");
  for (ptrdiff_t i = 0; i < request.score.count; i++) {
    const double known = request.score.at[i];
    if (!isnan(known) && !(known == floor(known) && fabs(known) <= DPT_CHOICE_MOST_SCORE))
      ffi_refuse("score", "integers or NA");
    if (XLENGTH(VECTOR_ELT(scopes, i)) == 0) ffi_refuse("scopes", "sets of columns that are not empty");
    ffi_check_scope(VECTOR_ELT(scopes, i), &request.codes);
  }
  ffi_list(choice, 0, FFI_COUNT_MOST, "choice");
  if (ffi_number(ffi_element(choice, "total"), 0, MOST_ROWS, "total") != request.codes.total)
    ffi_refuse("total", "what all rows count");
  request.rule = read_rule(request.codes.total, ffi_element(choice, "kind"), ffi_element(choice, "shift"),
                           ffi_element(choice, "unit"));
  request.rate = dpt_choice_rate(ffi_number(ffi_element(choice, "epsilon"), DBL_TRUE_MIN, DBL_MAX, "epsilon"),
                                 ffi_number(sensitivity, 1, DPT_CHOICE_MOST_SCORE, "sensitivity"));
  return ffi_call(choose_parents, &request, options);
}

typedef struct {
  SEXP network;
  ffi_integers size;
  ptrdiff_t rows;
} draw_request;

/* Checks list(column, parents, cumulative) of one column. `seen`: the earlier columns. */
static void check_node(SEXP node, ffi_integers size, bool *seen) {
  const int column = ffi_choice(ffi_element(node, "column"), 1, (int) size.count, "column") - 1;
  const ffi_integers parents = ffi_whole(ffi_element(node, "parents"), "parents");
  const ffi_vector totals = ffi_doubles_within(ffi_element(node, "cumulative"), 0, 2, "cumulative");
  double cells = size.at[column] - 1;
  bool good = !seen[column];
  for (ptrdiff_t j = 0; j < parents.count && good; j++) {
    const int parent = parents.at[j];
    good = parent >= 1 && parent <= size.count && seen[parent - 1];
    if (good) cells *= size.at[parent - 1];
  }
  if (!good) ffi_refuse("network", "columns, each once and after its parents");
  if ((double) totals.count != cells)
    ffi_refuse("cumulative", "a total less than `column` has codes, for all codes of the parents");
  seen[column] = true;
}

static dpt_network_node open_node(dpt_ctx *ctx, SEXP node) {
  const ffi_integers parents = ffi_whole(ffi_element(node, "parents"), "parents");
  int *parent = DPT_NEW(ctx, int, parents.count + 1);
  for (ptrdiff_t j = 0; j < parents.count; j++) parent[j] = parents.at[j] - 1;
  const int column = ffi_choice(ffi_element(node, "column"), 1, DPT_CODES_MAX_COLUMNS, "column") - 1;
  return (dpt_network_node){column, (int) parents.count, parent, REAL(ffi_element(node, "cumulative"))};
}

static SEXP draw_network(dpt_ctx *ctx, void *data) {
  const draw_request *request = data;
  const int columns = (int) request->size.count;
  SEXP code = ffi_keep(ctx, ffi_new_integer_matrix(request->rows, columns));
  dpt_network_node *nodes = DPT_NEW(ctx, dpt_network_node, columns);
  for (int k = 0; k < columns; k++) nodes[k] = open_node(ctx, VECTOR_ELT(request->network, k));
  dpt_network_draw(ctx, nodes, request->size.at, columns, request->rows, INTEGER(code));
  return code;
}

/* network: a list of list(column, parents, cumulative), indices from 1. sizes: sizes of the columns. rows: their
 * number. */
SEXP ffi_publish_network_draw(SEXP network, SEXP sizes, SEXP rows, SEXP options) {
  draw_request request = {network, ffi_read_sizes(sizes), ffi_count(rows, 0, 2147483647, "rows")};
  bool seen[DPT_CODES_MAX_COLUMNS] = {false};
  ffi_list(network, request.size.count, request.size.count, "network");
  for (ptrdiff_t k = 0; k < request.size.count; k++) check_node(VECTOR_ELT(network, k), request.size, seen);
  return ffi_call(draw_network, &request, options);
}

typedef struct {
  ffi_codes codes;
  ffi_vector epsilon;
} response_request;

static SEXP randomize_codes(dpt_ctx *ctx, void *data) {
  const response_request *request = data;
  const ffi_codes *codes = &request->codes;
  SEXP randomized = ffi_keep(ctx, ffi_new_integer_matrix(codes->rows, codes->columns));
  dpt_codes_randomize(ctx, codes->code, codes->size, request->epsilon.at, codes->columns, codes->rows,
                      INTEGER(randomized));
  return randomized;
}

/* codes, sizes: a table of codes. epsilon: the epsilon of each column. */
SEXP ffi_publish_randomize_codes(SEXP codes, SEXP sizes, SEXP epsilon, SEXP options) {
  const response_request request = {ffi_read_codes(codes, sizes), ffi_doubles_within(epsilon, 0, 0x1p20, "epsilon")};
  if (request.epsilon.count != request.codes.columns) ffi_refuse("epsilon", "one for each column");
  return ffi_call(randomize_codes, (void *) &request, options);
}
