/* ffi-test-tree.c - the cliques of a junction tree, for the tests. */
#include "ffi-publish-tree.h"
#include "ffi.h"

typedef struct {
  ffi_integers sizes;
  SEXP scopes;
} clique_request;

static SEXP tree_cliques(dpt_ctx *ctx, void *data) {
  const clique_request *request = data;
  const dpt_scopes scopes = ffi_copy_tree_scopes(ctx, request->scopes);
  dpt_tree tree;
  dpt_require(
      ctx, dpt_tree_build(ctx, (int) request->sizes.count, ffi_copy_tree_sizes(ctx, request->sizes), &scopes, &tree));
  static const char *const names[] = {"columns", "inner", "parent"};
  SEXP values[3];
  values[0] = ffi_keep(ctx, Rf_allocVector(VECSXP, tree.cliques));
  values[1] = ffi_keep(ctx, ffi_new_integers(tree.cliques));
  values[2] = ffi_keep(ctx, ffi_new_integers(tree.cliques));
  for (int c = 0; c < tree.cliques; c++) {
    SEXP columns = ffi_new_integers(tree.axes[c].count);
    SET_VECTOR_ELT(values[0], c, columns);
    for (int i = 0; i < tree.axes[c].count; i++) INTEGER(columns)[i] = tree.axes[c].column[i] + 1;
    INTEGER(values[1])[c] = tree.inner[c];
    INTEGER(values[2])[c] = tree.parent[c] + 1;
  }
  return ffi_named_list(3, names, values);
}

/* Returns the junction tree: the columns of each clique, first the `inner` columns that its parent does not have,
 * and the number of its parent, 0 for the first. */
SEXP ffi_test_tree_cliques(SEXP sizes, SEXP scopes, SEXP options) {
  clique_request request = {.sizes = ffi_read_tree_sizes(sizes)};
  request.scopes = ffi_read_tree_scopes(scopes, request.sizes, "scopes");
  return ffi_call(tree_cliques, &request, options);
}
