# The slow oracle of graphical models: the joint table of all columns.

full_joint <- function(sizes, scopes, potential) {
  joint <- array(0, sizes)
  for (i in seq_along(scopes)) joint <- sweep(joint, scopes[[i]], array(potential[[i]], sizes[scopes[[i]]]), "+")
  joint <- exp(joint - max(joint))
  joint / sum(joint)
}

joint_margin <- function(joint, columns) if (length(columns)) as.vector(apply(joint, columns, sum)) else 1

# Draws sets of at most `most` of d columns, all distinct.
random_scopes <- function(d, count, most = 3) {
  unique(lapply(seq_len(count), function(i) sort.int(sample.int(d, sample.int(min(most, d), 1)))))
}

named_sizes <- function(sizes) structure(as.integer(sizes), names = paste0("c", seq_along(sizes)))

# Makes a model of these scopes with random log potentials.
random_tree <- function(sizes, scopes, spread = 2) {
  model <- new_tree_model(named_sizes(sizes), 1000)
  for (scope in scopes) model <- add_measurement(model, scope, double(prod(sizes[scope])), 1)
  model$potential <- lapply(scopes, function(scope) spread * stats::rnorm(prod(sizes[scope])))
  model
}

# Makes rows of codes, in the form for methods of published tables.
coded_source <- function(codes, sizes) {
  list(sizes = named_sizes(sizes), n = nrow(codes), codes = matrix(as.integer(codes), nrow(codes)))
}

# Releases from coded rows, without a schema: the model, the steps, and the guarantee.
release_coded <- function(make) {
  function(source, cost, budget, rng, ...) {
    made <- draw_release(method_mechanism(make(...), public_part(source), cost, rng), source, budget, rng)
    list(model = made$model, steps = made$steps, guarantee = privacy(made))
  }
}
release_aim <- release_coded(synthesis_aim)
release_mst <- release_coded(synthesis_mst)

# Returns the junction tree: the columns of each clique, beginning with the `inner` ones that its parent does not have,
# and its parent, 0 for the first.
tree_cliques <- function(sizes, scopes) .Call(ffi_test_tree_cliques, sizes, scopes, kernel_options())

rho_budget <- function(rho) check_cost(NULL, rho)
