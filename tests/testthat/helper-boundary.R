# One valid call of every registered entry point. test-base-boundary.R changes its arguments one by one.

boundary_manifolds <- function() {
  plane <- manifold_custom(2, 2, exp = function(x, v) x + v, log = function(x, y) y - x, basis = function(x) diag(2),
                           distance = function(x, y) sqrt(sum((x - y)^2)), transport = function(x, y, v) v,
                           project = function(x) x, curvature = c(0, 0), injectivity_radius = Inf)
  own <- unname(lapply(mean_balls(), `[[`, "manifold"))
  c(own[!duplicated(vapply(own, `[[`, "", "kind"))],
    list(plane, manifold_product(manifold_sphere(1), manifold_euclidean(1))))
}

drift_size <- function(manifold) {
  if (manifold$exact) length(.Call(ffi_test_manifold_drift, manifold, kernel_options())) else 1
}

one_cluster <- function() {
  list(lower = c(-4, -4), upper = c(4, 4), mean = matrix(0, 2, 1), whiten = c(1, 0, 0, 1), level = 0,
       stretch = 1)
}

one_regression <- function(binomial = FALSE) {
  list(lower = c(-4, -4), upper = c(4, 4), beta = 0.5, map = matrix(2), cut = 2, binomial = binomial)
}

# Lists of arguments without the options, by the name of the entry point, or functions that return such a list.
# Functions are called when and where arguments are needed, because a pointer is invalid in another process, and a file
# can be created only once.
boundary_calls <- function(manifold = manifold_sphere(2)) {
  x <- if (manifold$kind == "product") c(1, 0, 0) else as.double(some_point(manifold))
  X <- cbind(x, x, deparse.level = 0)
  V <- 0 * X
  coordinates <- matrix(0, manifold$dimension, 2)
  birth <- c(0, .1)
  death <- c(1, .5)
  diagrams <- list(cbind(birth, death, deparse.level = 0), matrix(double(), 0, 2))
  A <- matrix(c(2, 1, 1, 3), 2)
  weights <- c(1L, 3L)
  lattice <- list(lower = c(-4, -4), upper = c(4, 4), bits = 8, matrix = NULL, shift = 0)
  mixture <- list(c(.5, .5), rbind(c(0, 0), c(3, 1)), as.double(c(A, diag(2))))
  list(
    ffi_cluster_choose = list(c(2, 0), .5),
    ffi_cluster_swaps = list(A, weights, replace(lattice, 4:5, list(matrix(c(3, -2), 1), 1)), rbind(c(5, -3, 9)),
                             c(2, 1), 1, 50),
    ffi_cluster_tree = list(A, weights, lattice, rbind(c(1, 3), c(2, -1), c(0, 5)), NULL, c(1, 0, 3, 0, 0), TRUE),
    ffi_cluster_query = list(A, weights, one_cluster(), FALSE, TRUE, FALSE, c(8, 8)),
    ffi_cluster_means = list(A, weights, one_cluster(), 8),
    ffi_cluster_distances = list(A, weights, c(-4, -4), c(4, 4), c(0, 1), c(1, 2, 16)),
    ffi_cluster_scores = list(A, weights, one_cluster(), cbind(A, A), 2, .5, 8),
    ffi_regression_query = list(A, weights, one_regression(TRUE), 8, TRUE),
    ffi_regression_level = list(A, weights, one_regression(), 8),
    ffi_publish_decode = list(A, c(.5, 0), matrix(.5, 2, 1), 0, matrix(c(1, -1, 0, 2, 3), 1), double(5), 2:3, 40),
    ffi_test_decode = list(A, A / 10, NULL, NULL, matrix(sin(1:10), 2), double(5), 2:3),
    ffi_publish_randomize_codes = list(cbind(0:2, c(1L, 0L, 1L)), 3:2, c(1, .5)),
    ffi_publish_joint_counts = list(cbind(0:2, c(1L, 0L, 1L)), 3:2, c(2L, 0L, 5L), list(1L, 2:1, integer())),
    ffi_publish_network_draw = list(list(list(column = 2L, parents = integer(), cumulative = .3),
                                         list(column = 1L, parents = 2L, cumulative = c(.1, .5, .2, .2))), 3:2, 5),
    ffi_publish_choose_parents = list(cbind(0:2, c(1L, 0L, 1L)), 3:2, c(2L, 0L, 5L), list(1:2, 2:1), c(NaN, 1),
                                      list(kind = 0L, shift = 0, unit = 1, total = 7, epsilon = 1), 18),
    ffi_publish_parent_scores = list(list(c(1, 0, 2, 3), c(6, 0, 0)), 2:3, 6, 0L, 0, 1),
    ffi_test_ratio_coins = list(3, 1, 3),
    ffi_test_add_norm = list(c(1, 2), 3, 0L, 2, 1L, 1L),
    ffi_test_long = list(2L, raw(9), raw(3), 1L),
    ffi_test_variates = list(3, 1L),
    ffi_test_norm_words = list(1, 3, 0L, raw(256)),
    ffi_test_noise_words = list(3L, .5, c(1, 3), raw(256)),
    ffi_test_words = list(3),
    ffi_test_normal_ranges = list(),
    ffi_test_normal_cell = list(raw(256)),
    ffi_test_normal_variates = list(3, 1e18),
    ffi_test_normal_coins = list(3, 0, 50, 0L),
    ffi_test_round_normal = list(c(3, 200), rep(c(40000, 0, 1, 65535), 2), 64L, c(3, 2^40), TRUE),
    ffi_base_draw_units = list(3),
    ffi_base_seconds = list(),
    ffi_cluster_basins = c(mixture, list(A, A)),
    ffi_cluster_draw = c(mixture, 3),
    ffi_cluster_fit = c(mixture, list(A)),
    ffi_cluster_log_parts = c(mixture, list(A)),
    ffi_cluster_morse = mixture,
    ffi_cluster_kernel_density = list(A, c(1, 2)),
    ffi_cluster_nearest = list(A, weights, lattice, 10 * A),
    ffi_cluster_neighbors = list(A, 1),
    ffi_cluster_tomato = list(c(1, 3, 2), c(1, 2), c(2, 3), .5),
    ffi_cluster_weighted_kmeans = list(A, rep(1, ncol(A)), 2, c(.2, .7, .1, .9), 5),
    ffi_graph_coin = list(1, 0L),
    ffi_graph_count = list(2, raw(512)),
    ffi_graph_digest = list(raw(513)),
    ffi_graph_randomize_bits = in_package(function() list(2, raw(512), as.raw(c(16, rep(0, 15))))),
    ffi_graph_randomize_list = list(5, 1L, 2L, as.raw(c(1, rep(0, 15)))),
    ffi_graph_is_binary = list(2, A),
    ffi_graph_is_symmetric = list(2, A),
    ffi_graph_is_whole = list(2, raw(512)),
    ffi_graph_multiply_bits = list(2, raw(512), cbind(1:2 + 0), .25, .5),
    ffi_graph_multiply_list = list(3, 1:2, 2:3, cbind(1:3 + 0), .25, .5),
    ffi_graph_pack = list(3, 1:2, 2:3),
    ffi_graph_pack_matrix = list(2, A),
    ffi_graph_sort = list(3, 1:2, 2:3),
    ffi_graph_unpack = list(2, raw(512)),
    ffi_test_chacha = list(raw(32), raw(12), 0, 2, TRUE),
    ffi_test_response = list(3, raw(32), as.raw(c(16, rep(0, 15))), FALSE),
    ffi_test_skip = list(as.raw(c(16, rep(0, 15)))),
    ffi_manifold_canonical = list(manifold, X),
    ffi_manifold_chain = list(manifold, 2, x, .5, x, .6, c(3, 2), .1),
    ffi_manifold_chart = list(manifold, x, X, .5),
    ffi_manifold_chart_rows = list(manifold, x, X, .5),
    ffi_manifold_clamp = list(manifold, X, x, .5),
    ffi_manifold_distance = list(manifold, X, X),
    ffi_manifold_distances = list(manifold, X, X),
    ffi_manifold_exp = list(manifold, X, V),
    ffi_manifold_facts = list(manifold),
    ffi_manifold_from_chart = list(manifold, x, coordinates),
    ffi_graph_draw_blocks = list(c(2, 3), matrix(.4, 2, 2), numeric()),
    ffi_graph_draw_positions = list(A),
    ffi_manifold_inner = list(manifold, X, V, V, 2),
    ffi_manifold_laplace = list(manifold, 2, x, .4, x, .6, 0L, x),
    ffi_manifold_log = list(manifold, X, X),
    ffi_manifold_mean = list(manifold, X, c(1, 1), FALSE, 0, 20, FALSE),
    ffi_manifold_mean_bound = list(manifold, x, .5),
    ffi_manifold_mean_in_ball = list(manifold, X, c(1, 3), x, .5),
    ffi_manifold_project = list(manifold, X),
    ffi_manifold_transport = list(manifold, X, X, V, 2),
    ffi_front_header = list(charToRaw("a,\"b\"\n1,2"), ","),
    ffi_front_rows = list(charToRaw("a,b\n1,\"x\"\"\ny\""), ",", 4, 2, 2:1, TRUE),
    ffi_privacy_add_noise = list(c(1, 2), 3, 0L),
    ffi_privacy_add_norm = list(c(1, 2), 3, 0L, 2),
    ffi_privacy_norm_scale = list(9, .5),
    ffi_budget_append = in_package(function() list(tempfile(), as.raw(1:3), 0, tempdir())),
    ffi_budget_checksums = list("", c("a", "b")),
    ffi_number_draw_ranks = list(c(2, 5), c(3, 1), 8, c(1, 4), 0.5),
    ffi_number_draw_shares = list(c(2, 5), c(3, 1), 8, rbind(c(1, 2, 2, 0.5))),
    ffi_number_draw_together = list(c(2, 5), c(3, 1), 8, c(2, 1, 4), 0.5),
    ffi_number_draw_together_shares = list(c(2, 5), c(3, 1), 8, rbind(c(1, 4, 4), c(1, 2, 4)), 0.5),
    ffi_number_draw_splits = list(c(2, 5), c(3, 1), 8, rbind(c(1, 0, 2, 1, 2, 2, 0.5)), 24L),
    ffi_number_rank_weights = list(0.5, 10),
    ffi_number_together_weights = list(0.5, 10, 8, 3),
    ffi_privacy_choice_rate = list(1, c(1, 6)),
    ffi_privacy_draw_choice = list(c(1, 5, -2), 0.5, 2, 3),
    ffi_budget_held = in_package(function() list(.Call(ffi_budget_hold, list(), kernel_options("os")), 0)),
    ffi_budget_hold = list(list()),
    ffi_budget_read = in_package(function() {
      file <- tempfile()
      writeLines("line", file)
      list(file, 1, 10)
    }),
    ffi_budget_owner = in_package(function() list(.Call(ffi_budget_hold, list(), kernel_options("os")))),
    ffi_budget_charge = in_package(function() {
      held <- .Call(ffi_budget_hold, list(steps = list()), kernel_options("os"))
      list(held, 0, list(list(measure = c(epsilon = 1), parts = new_parts(pure = 1))))
    }),
    ffi_budget_peek = in_package(function() list(charToRaw(tempdir()), 10)),
    ffi_budget_size = in_package(function() list(.Call(ffi_budget_hold, list(steps = list()), kernel_options("os")))),
    ffi_publish_train_autoencoder = list(matrix(0:1, 2, 1), 2L, 1, double(2 * 2 * 1 + 6 + 2 + 2), 2, 1, 1, 3, .1),
    ffi_test_autoencoder = list(matrix(0:1, 2, 1), 2L, 1, double(2 * 2 * 1 + 6 + 2 + 2), 1),
    ffi_publish_anneal = list(A, A, rep(1, nrow(A)), rep(.5, nrow(A)), list(c(0, 1, 2), c(0, 1))[seq_len(ncol(A))], 2,
                              1, diagrams[1], c(.1, .01)),
    ffi_privacy_scale_for = list(0L, c(1, 2), .5),
    ffi_test_tree_cliques = list(2:3, list(1:2)),
    ffi_publish_tree_distance = list(2:3, list(1:2), list(double(6)), list(2L), list(c(3, 4, 5)), 12, 16),
    ffi_publish_tree_draw = list(2:3, list(1:2), list(double(6)), 5),
    ffi_publish_tree_fit = list(2:3, list(1:2), list(double(6)), list(c(1, 5, 2, 4, 3, 5)), list(rep(1, 6)), 20, 3,
                                1e-5, list(2L)),
    ffi_publish_tree_margins = list(2:3, list(1L, 2L), list(double(2), double(3)), list(2:1, integer())),
    ffi_publish_tree_sizes = list(2:3, list(1L), list(1:2)),
    ffi_test_bottleneck_covers = list(birth, death, birth, death, .1),
    ffi_test_bottleneck_within = list(birth, death, birth, death, .1),
    ffi_test_burn = list(3, 0L),
    ffi_test_coins = list(3, .5, 0L),
    ffi_test_draw_lengths = list(2, 2, 3, c(2, 1, 0, 0, 2), 4),
    ffi_test_forked = list(),
    ffi_test_linear_cholesky = list(A, A),
    ffi_test_linear_complete = list(A[, 1, drop = FALSE]),
    ffi_test_linear_eigen = list(A, TRUE),
    ffi_test_linear_graded = list(A, c(0, 1)),
    ffi_test_linear_multiply = list(A, A, 1L),
    ffi_test_linear_orthogonal = list(3, TRUE),
    ffi_test_linear_schur = list(diag(2)),
    ffi_test_linear_svd = list(A, 3L),
    ffi_test_live_blocks = list(),
    ffi_test_manifold_drift = list(manifold),
    ffi_test_laplace_words = list(manifold, x, x, .4, raw(512)),
    ffi_test_manifold_end = list(manifold, x, x, coordinates),
    ffi_test_manifold_from_drift = list(manifold, matrix(0, drift_size(manifold), 2)),
    ffi_test_manifold_jacobian = list(manifold, coordinates),
    ffi_test_manifold_rounding = list(manifold, x, X),
    ffi_test_manifold_rounding_within = list(manifold, x, .5, .2, .6),
    ffi_test_round_scale = list(c(1, 2)),
    ffi_test_threads = list(),
    ffi_base_count_rows = list(list(c(.1, .7), 1:2),
                               list(list(size = 2, origin = 0, per = 2, first = 0, last = .5), list(size = 3)),
                               c(0L, 4L)),
    ffi_base_sum_rows = list(A[1:2, ], cbind(c(.5, .5), -1, 3, 1), list(1:2), list(list(size = 2, cuts = 1.5)),
                             c(3L, 1L)),
    ffi_base_weigh_rows = list(list(c(.1, .7, .1), 3:1), c(1L, 2L, 1L), 2, 16),
    ffi_persistence_bottleneck_distance = list(birth, death, birth, death),
    ffi_diagram_curve_cut = list(A, 1.5, 20L),
    ffi_diagram_curve_divide = list(5, 2, 3),
    ffi_diagram_curve_distances = list(matrix(c(1, 2, -3, 4, 0, 7), 2), as.raw(c(1, 0, 0, 0, 0, 1)), 1),
    ffi_diagram_chain = list(diagrams, 2, 1, 3L, FALSE, 4, .1),
    ffi_dtm_values = list(A, c(1, 2), A, 2, 1, Inf),
    ffi_dtm_lattice_distance = list(A, c(1, 2), A, 2, 1, 9, 1, 5, 7, 2),
    ffi_dtm_landmark_values = list(A, c(1, 2), A, 2, 1, 9, 1, 5, 7, 2),
    ffi_dtm_distance_steps = list(A, c(1, 2), 2, 1, 9, 1, 5, 7, 2),
    ffi_persistence_true_diagrams = list(A, c(1, 2), list(c(0, 1, 3), c(0, 2)), 2, 1, 9, 1, 5, 7, 2, c(0, 1), 2L, 9),
    ffi_persistence_curves = list(birth, death, c(0, 2), 0L, 2, c(0, 1), c(.25, .75)),
    ffi_persistence_grid = list(A, c(2, 2), 1L, TRUE, FALSE, 2L, 4, TRUE),
    ffi_test_landmark_loops = list(as.double(1:16), as.double(1:8), as.double(1:8), as.double(1:12), as.double(1:6), 50,
                                   5, 9, FALSE, TRUE),
    ffi_test_lattice_counts = list(diagrams[[1]] * 10, 12, 2, 1L),
    ffi_diagram_private_draws = list(lapply(diagrams, `*`, 10), 12, 2, 1, 3L, TRUE, 4),
    ffi_test_lattice_holds = list(cbind(2^30 * c(1, .5), 0, deparse.level = 0), 1, 2, 3),
    ffi_diagram_private_plan = list(40, 1),
    ffi_persistence_rips_components = list(c(1, 4), A, 3, TRUE),
    ffi_persistence_rips_edges = list(c(1, 4), A, FALSE),
    ffi_test_lattice_trial = list(lapply(diagrams, `*`, 10), 12, cbind(2^30 * c(1, .5), 0, deparse.level = 0), 1, 3L,
                                  TRUE, 4, 4L, FALSE),
    ffi_test_lattice_weights = list(5, 1),
    ffi_diagram_private_draws = list(diagrams, 2, 1, 3L, FALSE, 4),
    ffi_persistence_shift_distance = list(birth, death, birth, death)
  )
}

in_package <- function(make) `environment<-`(make, asNamespace("dptda"))

# Appends the options if an entry point takes them.
full_arguments <- function(name, arguments, options) {
  given <- unname(if (is.function(arguments)) arguments() else arguments)
  c(given, if (length(given) < asNamespace("dptda")[[name]]$numParameters) list(options))
}

# Does an entry point need a volume, drift, or transport that this manifold lacks?
is_outside <- function(name, manifold) {
  exact <- c("ffi_manifold_laplace", "ffi_test_laplace_words", "ffi_test_manifold_drift",
             "ffi_test_manifold_from_drift", "ffi_test_manifold_jacobian")
  name %in% exact && !manifold$exact
}

boundary_options <- function() list("R", 1L, NULL)

# Values that no kernel accepts.
hostile_values <- function(manifold = manifold_sphere(2)) {
  unnamed <- lapply(unclass(manifold), identity)
  worse <- function(...) utils::modifyList(unnamed, list(...), keep.null = TRUE)
  list(
    NULL, list(), list(1), list(NULL, NULL, NULL), list("os", 1L, 3), list("R", NA, NULL),
    list(c(NaN, 1, 1, 1), 1L, NULL),
    list(character(), 1L, NULL), list(NA_character_, 1L, NULL), "a", NA_character_, character(), TRUE, NA, logical(),
    0L, 1L, -1L,
    NA_integer_, integer(), .Machine$integer.max, factor("a"), 0, 1, 2, .5, -1, 3.5, 300, 2^31, 2^52, 2^60,
    1e300, -1e300,
    .Machine$double.xmin, Inf, -Inf, NaN, NA_real_, double(), c(1, NaN), c(Inf, -Inf), c(0, 0), c(1, 2), c(2, 1),
    c(1, 2, 3),
    as.double(1:9), rep(1e200, 4), rep(-1e308, 3),
    matrix(double(), 0, 0), matrix(double(), 0, 3), matrix(double(), 3, 0), matrix(1:4, 2), diag(3), matrix(NaN, 3, 2),
    matrix(Inf, 2, 2), matrix(0, 3, 1), matrix(c(1, 0, 0), 3, 1), matrix(1e200, 3, 2), array(1, c(1, 2, 3)), as.raw(1),
    1i, mean, quote(x), quote(f(x)),
    globalenv(), list(c(1, 2), "b"), list(double(), double()), list(c(0, 1), c(1, 0)), list(c(0, NaN)),
    list(matrix(1, 1, 3)),
    list(matrix(NaN, 1, 2)), list(matrix(c(-1e308, 1e308), 1, 2)), unnamed, unname(unnamed), unnamed[-1],
    unnamed["kind"],
    worse(kind = 1), worse(kind = character()), worse(kind = "nothing"), worse(kind = "custom"),
    worse(kind = "product"),
    worse(kind = "spd"), worse(numbers = NULL), worse(numbers = "a"), worse(numbers = double()), worse(numbers = 1L),
    worse(numbers = NaN), worse(numbers = -3), worse(numbers = c(1e300, 1e300)), worse(numbers = c(2, NaN)),
    worse(numbers = c(3, 0)),
    worse(kind = "grassmann", numbers = c(5, 2)), worse(kind = "rotation", numbers = 1),
    worse(kind = "product", factors = list()),
    worse(kind = "product", factors = list(1)), worse(kind = "product", factors = list(list(list()))),
    worse(kind = "custom", numbers = c(2, 0, 0, Inf, 1), functions = list(), shape = 2),
    worse(kind = "custom", numbers = c(2, 0, 0, Inf, 1), functions = list(exp = 1, log = mean, basis = mean),
          shape = c(1e9, 1e9)),
    worse(kind = "custom", numbers = c(2, 0, 0, Inf, 1), shape = "a"),
    worse(kind = "custom", numbers = c(2, 0, 0, Inf, 1), shape = 2)
  )
}

# Calls every entry point with each hostile value in each position, and then with several at a time. For all manifolds
# except the first, it uses only a few values per position. Each call is logged before it is made, so that after a crash
# the last line of the log names the cause. Runs in a separate process.
attack_boundary <- function(job) {
  namespace <- asNamespace("dptda")
  RNGkind("Mersenne-Twister", "Inversion", "Rejection")
  set.seed(job$seed)
  setwd(tempdir()) # a hostile path is one
  log <- file(job$log, "w")
  classes <- character()
  call_entry <- function(name, arguments, at, with) {
    writeLines(paste(name, "places", toString(at), "values", toString(with)), log)
    flush(log)
    hostile <- job$full_arguments(name, arguments, job$options)
    hostile[at] <- job$values[with]
    answer <- job$within_time(job$patience, do.call(.Call, c(list(namespace[[name]]), hostile), quote = TRUE))
    if (inherits(answer, "error")) classes <<- c(classes, class(answer)[1])
  }
  for (round in seq_along(job$calls)) for (name in names(job$calls[[round]])) {
    arguments <- job$calls[[round]][[name]]
    places <- seq_along(job$full_arguments(name, arguments, job$options))
    for (place in places) {
      tried <- seq_along(job$values)
      for (i in if (round == 1) tried else sample(tried, job$few)) call_entry(name, arguments, place, i)
    }
    for (time in seq_len(if (length(places)) job$times else 0)) {
      at <- sample(places, min(length(places), sample(3, 1)))
      call_entry(name, arguments, at, sample(length(job$values), length(at), replace = TRUE))
    }
  }
  blocks <- .Call(namespace$ffi_test_live_blocks)
  saveRDS(list(errors = table(classes), blocks = blocks), job$result)
}
