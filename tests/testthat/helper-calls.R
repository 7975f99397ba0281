# One valid, quick call of every export. test-errors.R changes its arguments one by one. Only arguments worth changing
# are given, and `...` is never changed. A new export without a row fails the test.

valid_calls <- function() {
  own <- own_calls()
  c(own, example_calls()[setdiff(names(example_calls()), names(own))])
}

# Calls of each release, from its first example: the example's arguments, a budget to charge, and defaults for the rest.
example_calls <- function() {
  calls <- list()
  for (example in Filter(function(one) !is.null(one$release), mechanism_examples())) {
    if (!is.null(calls[[example$release]])) next
    rows <- rows_of_call(example)
    names(rows)[1] <- names(formals(example$release))[1]
    calls[[example$release]] <- call_with_defaults(example$release, c(rows, example$settings,
                                                                      list(budget = budget_of_example(example))))
  }
  calls
}

# The exports and methods in `names` that a change reaches (DPTDA_TEST_EXPORTS, which tools/quick.sh sets), or all of
# them if the variable is empty.
only_reached <- function(names) {
  reached <- scan(text = Sys.getenv("DPTDA_TEST_EXPORTS"), what = "", sep = " ", quote = "", quiet = TRUE)
  if (length(reached)) intersect(names, reached) else names
}

# Names the columns of the rows if a release takes columns and the rows are numbers, logicals, or strings.
rows_of_call <- function(example) {
  x <- example$x
  named <- "columns" %in% names(formals(example$release)) && is.atomic(x) && length(dim(x)) < 3
  if (!named) return(list(x))
  frame <- data.frame(x)
  list(frame, columns = names(frame))
}

budget_of_example <- function(example) {
  measure <- example$mechanism$guarantee$measure
  total <- replace(100 * measure, names(measure) == "delta", .1)
  budget_of_unit(example$mechanism$guarantee, as.list(total))
}

# Makes a budget for the unit of a guarantee.
budget_of_unit <- function(guarantee, terms) {
  relation <- names(relations)[match(guarantee$relation, relations)]
  do.call(privacy_budget, c(terms, list(relation = relation, person = guarantee$person)))
}

call_with_defaults <- function(name, given) {
  rest <- formals(name)[setdiff(names(formals(name)), c("...", names(given)))]
  rest <- Filter(function(default) !identical(default, quote(expr = )), rest)
  # the first of several choices
  defaults <- lapply(rest, function(default) {
    value <- eval(default, c(given, list(columns = NULL)), asNamespace("dptda"))
    if (is.character(value)) value[1] else value
  })
  c(given, defaults[!names(defaults) %in% cost_forms])
}

# Turns a number of rows into unseen rows.
as_unseen <- function(n) if (inherits(n, "dptda_unseen")) n else unseen(n)

# Returns the same file for all calls in a session.
file_in_session <- function(...) {
  file <- file.path(tempdir(), "calls.csv")
  if (!file.exists(file)) writeLines(c(...), file)
  file
}

# Calls that examples do not cover, or not fully.
own_calls <- function() {
  box <- domain_box(c(-2, -2), c(2, 2))
  grid <- domain_grid(box, by = 1)
  X <- circle_points(12)
  pair <- data.frame(a = X[, 1], b = X[, 2], inside = TRUE)
  M <- manifold_sphere(2)
  pole <- c(0, 0, 1)
  tangent <- c(.1, 0, 0)
  diagram <- persistence_diagram(c(0, 1), c(0, .5), c(1, .7))
  guarantee <- privacy_declare(epsilon = 1)
  epsilon <- 1
  list(
    align_embedding = list(x = X, y = X),
    as_dptda_diagram = list(x = diagram),
    audit_mechanism = list(mechanism = function(x) length(x) + stats::rnorm(1), x = c(0, 0), neighbor = c(0, 1),
                         epsilon = 1, delta = 0,
                         runs = 100, events = list(function(o) o > 0), level = .9,
                         part = identity, cores = 1, rng = "R"),
    private_median = list(x = 1:9, box = c(0, 10), epsilon = 1, bits = 4, method = "exponential", by = NULL,
                          interval = NULL),
    privacy_price = list(mechanism = private_count(unseen(2), epsilon = 1)),
    mechanism_examples = list(pattern = "private_count"),
    as_mixture = list(x = list(weights = c(2, 1), means = rbind(c(0, 0), c(3, 0)),
                               covariances = list(diag(2), diag(2)))),
    fit_mixture = list(x = cbind(c(1, 2, 5, 9), c(2, 1, 7, 8)), k = 2, start = NULL, rounds = 3, tolerance = 0,
                       floor = 1e-6),
    bin_points = list(x = pair, grid = grid, columns = c("a", "b")),
    bottleneck_distance = list(x = diagram, y = diagram, dimension = 0:1),
    privacy_compose = list(guarantee, guarantee, parallel = FALSE, parts = "rows"),
    privacy_convert = list(x = guarantee, to = "delta", epsilon = 1),
    manifold_custom = list(shape = 1, dimension = 1, exp = function(x, v) x + v, log = function(x, y) y - x,
                           basis = function(x) matrix(1), distance = function(x, y) abs(x - y),
                           transport = function(x, y, v) v, project = function(x) x, curvature = c(0, 0),
                           injectivity_radius = Inf, homogeneous = TRUE, name = "line"),
    privacy_declare = list(epsilon = 1, delta = 0, mechanism = "own", bounded_range = FALSE,
                           relation = "replace", person = "patient", n = 5),
    graph_debias = list(graph = data.frame(from = 1:3, to = c(2L, 3L, 1L)), n = 4, vertices = NULL),
    power_diagram = list(n = 1000, grid = grid, epsilon = 5, m0 = .1, r = 1, clip = Inf, dimensions = 0:1,
                         max_points = 3, learn_points = TRUE, utility = "max", others = 1, power = .5,
                         level = .9),
    curve_betti = list(range = c(0, 1), dimension = 0, size = 4),
    curve_landscape = list(range = c(0, 1), dimension = 0, level = 2, size = 4),
    curve_life = list(range = c(0, 1), dimension = 0, normalize = FALSE, size = 4),
    diagram_curve = list(diagrams = list(diagram, diagram), curve = curve_life(c(0, 1), 1, size = 4)),
    diagram_sensitivity = list(n = 10, grid = grid, m0 = .1, r = 1, clip = Inf),
    curve_radius = list(diagrams = list(diagram), curve = curve_landscape(c(0, 2), 1), n = 10, epsilon = epsilon),
    distance_to_measure = list(x = X, grid = grid, m0 = .1, r = 1, clip = Inf, weights = rep(1, 12)),
    domain_box = list(lower = c(0, 0), upper = c(1, 1)),
    domain_grid = list(box = box, by = .5, pad = 0),
    domain_landmarks = list(points = rbind(c(0, 0), c(1, 1)), metric = "euclidean", box = box, slack = .1),
    domain_pca = list(x = suppressWarnings(private_pca(X, box, rank = 1, rho = 10)), reach = 2, steps = 8),
    domain_rescale = list(x = X, box = box, to = domain_unit(box)),
    domain_unit = list(box = box),
    dtm_persistence = list(x = X, grid = grid, m0 = .5, r = 1, clip = Inf, weights = rep(1, 12), max_dimension = 1,
                           essential = "cap", cap = 9),
    embedding_diagram = list(embedding = X, method = "dtm", grid = grid, m0 = .1, max_dimension = 1, threshold = 3),
    manifold_euclidean = list(d = 2),
    feature_evidence = list(release = small_release(max_points = 2), level = .9, least = .1),
    population_band = list(release = small_release(max_points = 2), level = .9, histogram = NULL, samples = 20),
    audit_neighbors = list(statistic = sum, domain = c(0, 1), n = 2, distance = function(a, b) abs(a - b),
                                relation = "replace", runs = 40, delta = 0, most = 10, starts = 1),
    kmeans_lloyd = list(rounds = 2),
    landmarks_from = list(model = as_mixture(list(weights = c(2, 1), means = rbind(c(0, 0), c(3, 0)),
                                                  covariances = list(diag(2), diag(2)))), size = 2,
                                                  metric = "euclidean", map = NULL, slack = .1,
                          least_weight = 0, box = box),
    frechet_mean = list(x = rbind(pole, pole), manifold = M, weights = c(1, 1), type = "mean", tolerance = 1e-6,
                        max_iterations = 10),
    frechet_noise = list(n = 100, manifold = M, radius = .5, epsilon = 1, level = .9, center = pole, bound = "sharp",
                         support = "ball", method = "intrinsic"),
    frechet_sensitivity = list(n = 10, manifold = M, radius = .5, bound = "sharp"),
    manifold_grassmann = list(k = 1, p = 3),
    manifold_shapes = list(landmarks = 3), as_shapes = list(landmarks = cbind(c(0, 2, 1), c(0, 0, 1))),
    power_curve_test = list(public_a = list(diagram), public_b = list(diagram), curve = curve_landscape(c(0, 2), 1),
                            n = c(9, 8), epsilon = epsilon, radius = 1, alpha = .1, permutations = 19, smooth = 3,
                            runs = 10, seed = 1),
    power_graph = list(n = 1000, epsilon = 1, p_in = .3, p_out = .2, k = 2, lambda = NULL, v = NULL, power = NULL,
                       overlap = .5),
    graph_multiply = list(graph = data.frame(from = 1:3, to = c(2L, 3L, 1L)), x = 1:4, n = 4, vertices = NULL),
    grid_persistence = list(values = matrix(1:4, 2), max_dimension = 1, sublevel = TRUE, triangulation = "cubical",
                            essential = "cap", cap = 9),
    privacy_group = list(x = guarantee, size = 2),
    graph_rdpg = list(x = X),
    graph_sbm = list(sizes = c(2, 3), probabilities = matrix(.5, 2, 2), weights = c(1, 2, 1, 1, 0)),
    manifold_hyperbolic = list(d = 2, curvature = -1),
    manifold_clamp = list(x = pole, manifold = M, center = pole, radius = .5),
    manifold_distance = list(x = pole, y = pole, manifold = M, pairwise = FALSE),
    manifold_exp = list(x = pole, v = tangent, manifold = M),
    manifold_inner = list(x = pole, u = tangent, v = tangent, manifold = M),
    manifold_log = list(x = pole, y = pole, manifold = M),
    manifold_transport = list(x = pole, y = pole, v = tangent, manifold = M),
    nonprivate_chain = list(x = X, grid = grid, epsilon = 1, m0 = .5, r = 1, clip = Inf, max_dimension = 1,
                            max_points = 2,
                            essential = "drop", utility = "max", steps = 5, step_sd = .1, rng = "os"),
    audit_features = list(output = 1),
    cluster_morse = list(mixture = as_mixture(list(weights = c(2, 1), means = rbind(c(0, 0), c(3, 0)),
                                                 covariances = list(diag(2), diag(2)))),
                       order = "height", min_mass = .1, floor = .01),
    persistence_diagram = list(dimension = 0, birth = 0, death = 1, sublevel = TRUE, software = "own",
                               parameters = list()),
    plan_private_diagram = list(simulate = X, n = 100, grid = grid, epsilon = 1, m0 = .5, clip = 1, r = 1,
                                dimensions = 0:1,
                                max_points = 2, utility = "max", wanted = c(1, 1), level = .9,
                                repeats = 1, draws = 2),
    plot_ellipsoids = list(tensors = diag(2), positions = rbind(c(0, 0)), color = "anisotropy", radii = "root",
                           size = 1,
                           theta = 0, phi = 90, palette = NULL, border = "gray20", add = FALSE, legend = TRUE,
                           main = "own"),
    table_file = list(file = file_in_session("a,b", "1,x"), types = c(a = "number", b = "text"), separator = ",",
                      decimal = ".", missing = "", invalid = "error"),
    release_recipe = list(x = study_recipe()),
    recipe_script = list(recipe = study_recipe(), file = NULL),
    recipe_release = list(recipe = study_recipe(), x = infert, budget = privacy_budget(100), folder = NULL),
    release_files = list(x = private_count(c(TRUE, FALSE), epsilon = 5), folder = "files", name = "count",
                         format = "json", picture = FALSE, rows = 5),
    privacy_report = list(x = guarantee, file = "page.md", title = "own", data = "some", contact = "us", delta = 1e-6),
    dptda_wizard = list(folder = ".", port = 8000, browse = FALSE),
    privacy = list(x = guarantee),
    privacy_budget = list(epsilon = 1, delta = 0, unit_rows = 1, relation = "replace", person = "patient",
                          composition = "auto",
                          file = if (requireNamespace("filelock", quietly = TRUE)) tempfile()),
    privacy_check = list(budget = privacy_budget(100), x = list(guarantee)),
    privacy_curve = list(x = guarantee, epsilon = c(.5, 1)),
    private_bounds = list(x = pair, columns = "a", epsilon = epsilon, exponents = c(-4, 4), failure = .01,
                          probs = c(.1, .9), budget = privacy_budget(100), rng = "os"),
    private_covariance = list(x = pair, columns = c("a", "b"), box = box, epsilon = epsilon, delta = 1e-6, rounds = 2,
                              budget = privacy_budget(epsilon = 100, delta = 0.1), rng = "os"),
    private_cor = list(x = pair, columns = c("a", "b"), box = box, epsilon = epsilon, delta = 1e-6,
                       budget = privacy_budget(epsilon = 100, delta = 0.1), rng = "os"),
    private_lm = list(x = pair, formula = b ~ a, box = domain_box(c(a = -2, b = -2), 2), epsilon = epsilon,
                      delta = 1e-6, levels = NULL, rounds = 2, budget = privacy_budget(epsilon = 100, delta = 0.1),
                      rng = "os"),
    private_glm = list(x = pair, formula = inside ~ a, box = domain_box(c(a = -1), 1), epsilon = epsilon, delta = 1e-6,
                       levels = NULL, family = "binomial", success = TRUE, rounds = 2,
                       budget = privacy_budget(epsilon = 100, delta = 0.1), rng = "os"),
    private_curve_test = list(x = rep(list(diagram), 20), group = rep(1:2, 10),
                              curve = curve_landscape(c(0, 2), 1), radius = 1, epsilon = epsilon, alpha = .1,
                              permutations = 19, smooth = 3, budget = privacy_budget(100), rng = "os"),
    private_diagram = list(x = X, grid = grid, epsilon = epsilon, m0 = .5, r = 1, clip = Inf, max_dimension = NULL,
                           dimensions = 0:1, max_points = 2,
                           learn_points = TRUE, essential = "drop", utility = "max", budget = privacy_budget(100),
                           rng = "os"),
    private_graph = list(graph = data.frame(from = 1:3, to = c(2L, 3L, 1L)), epsilon = epsilon, n = 4,
                         method = "laplaceflip",
                         budget = privacy_budget(100, relation = "edge"), rng = "os"),
    private_degrees = list(graph = data.frame(from = 1:3, to = c(2L, 3L, 1L)), epsilon = epsilon, n = 4,
                           groups = c("a", "a", "b", "b"), budget = privacy_budget(100, relation = "edge"), rng = "os"),
    private_table = list(x = pair, columns = c("a", "inside"), levels = list(inside = TRUE),
                         breaks = list(a = c(-1, 0, 1)), epsilon = epsilon, budget = privacy_budget(100), rng = "os"),
    compare_groups = list(x = private_table(pair, columns = c("a", "inside"), levels = list(inside = TRUE),
                                            breaks = list(a = c(-1, 0, 1)), epsilon = epsilon), by = "a", level = 0.9),
    independence_test = list(x = private_table(pair, columns = c("a", "inside"), levels = list(inside = TRUE),
                                               breaks = list(a = c(-1, 0, 1)), epsilon = epsilon), other = TRUE,
                             runs = 99, seed = 1),
    private_histogram = list(x = pair, columns = "a", breaks = c(-1, 0, 1), epsilon = epsilon,
                             budget = privacy_budget(100), rng = "os"),
    private_kmeans = list(x = pair, columns = c("a", "b"), box = box, k = 2, epsilon = epsilon, delta = 1e-6,
                          method = kmeans_lloyd(rounds = 2), covariance = TRUE,
                          budget = privacy_budget(epsilon = 100, delta = 0.1), rng = "os"),
    private_mixture = list(x = pair, columns = c("a", "b"), box = box, k = 2, epsilon = epsilon, delta = 1e-6,
                           rounds = 2,
                           features = "box", assignment = "hard", budget = privacy_budget(epsilon = 100, delta = 0.1),
                           rng = "os"),
    evaluate_synthesis = list(model = pair, test = pair, targets = "inside", train = pair, without = list(inside = "b"),
                              margins = 1:2,
                              schema = table_schema(a = schema_numeric(-1, 1, 3), b = schema_numeric(-1, 1, 2),
                                                    inside = schema_logical()),
                              most_margins = 2, rows = 10, svm = list(cost = 1), points = 0),
    private_synthesis = list(x = pair, schema = table_schema(a = schema_numeric(-1, 1, 3),
                                                                inside = schema_logical()),
                             epsilon = epsilon, delta = NULL,
                             method = synthesis_privbayes(theta = .01, score = "information", degree = 1),
                             budget = privacy_budget(100), rng = "os"),
    schema_categorical = list(levels = c("u", "v"), ordered = TRUE, other = "v", missing = "level"),
    schema_from_data = list(x = pair, columns = "a", cells = 3),
    schema_from_dictionary = list(dictionary = data.frame(column = c("a", "b"), type = c("numeric", "ordered"),
                                                          lower = 0, upper = 1,
                                                          levels = "u|v", missing = "level"), separator = "|"),
    schema_date = list(lower = as.Date("2020-01-01"), upper = as.Date("2021-01-01"), by = "quarter"),
    schema_numeric = list(lower = 0, upper = 10, cells = 3, breaks = c(2, 7), whole = TRUE, missing = "level"),
    schema_logical = list(missing = "level"),
    table_schema = list(a = c("u", "v"), b = schema_logical()),
    spectral_embedding = list(graph = data.frame(from = 1:3, to = c(2L, 3L, 1L)), d = 2, type = "laplacian",
                              debias = TRUE, normalize = TRUE,
                              regularization = 1, n = 4, vertices = NULL),
    synthesis_aim = list(max_model_size = 1, workload = list("a"), weights = 1),
    synthesis_mst = list(workload = list("a"), weights = 1),
    synthesis_privbayes = list(theta = .01, score = "information", degree = 1),
    synthesis_topology = list(shares = c(moments = 1, diagram = 1, mixture = 1), scale = "a", side = 2, size = 8,
                              m0 = .1, clip = 1, max_points = 2, k = 2, rounds = 2, cloud = 20, steps = 10,
                              temperature = c(.01, .001),
                              decoder = "autoencoder", hidden = 3, batch = 5, passes = 1, length = 1, learning = .1),
    cluster_tomato = list(x = X, density = "dtm", graph = 2, prominence = .1, bandwidth = 1, m0 = .2),
    unseen = list(n = 5, person = "patient", rows_of_person = "all", complete = TRUE),
    table_rows = list(x = pair, columns = "a", partition = "b"),
    manifold_product = list(M, M),
    rdiscrete_gaussian = list(n = 2, scale = 1, rng = "os"),
    rdiscrete_laplace = list(n = 2, scale = 1, rng = "os"),
    rmanifold_laplace = list(n = 2, manifold = M, location = pole, scale = .5, support = "ball", center = pole,
                             radius = .5,
                             sampler = "mcmc", steps = c(5, 2), step_sd = .1, rng = "R"),
    rmanifold_uniform = list(n = 2, manifold = M, center = pole, radius = .5, rng = "R"),
    manifold_rotation = list(p = 3),
    manifold_spd = list(p = 2, metric = "affine"),
    manifold_sphere = list(d = 2, radius = 1),
    shift_invariant_distance = list(x = diagram, y = diagram, dimension = 0:1, log = TRUE),
    privacy_subsample = list(noise_multiplier = 1, steps = 2, rate = .1, relation = "add_remove", alpha = 2)
  )
}

# Makes a valid object of each class with methods, from the expressions below and from releases of examples.
own_objects <- function(classes = object_classes()) {
  calls <- valid_calls()
  make <- function(name, ...) {
    given <- list(...)
    suppressWarnings(do.call(name, replace(calls[[name]], names(given), given)))
  }
  diagram <- persistence_diagram(c(0, 1), c(0, .5), c(1, .7))
  written <- written_objects()
  released <- example_calls()
  lapply(stats::setNames(classes, classes), function(class) {
    if (class %in% names(written)) return(eval(written[[class]]))
    name <- sub("^dptda_", "", class)
    suppressWarnings(do.call(name, released[[name]]))
  })
}

object_classes <- function() {
  released <- paste0("dptda_", names(example_calls()))
  union(names(written_objects()), intersect(ls(known_classes), released))
}

# Expressions that own_objects() evaluates.
written_objects <- function() {
  expression(
    dptda_answer = make("power_graph"), dptda_audit = make("audit_mechanism"), dptda_bins = make("bin_points"),
    dptda_box = make("domain_box"),
    dptda_budget = privacy_budget(epsilon = 1), dptda_debiased_graph = graph_debias(make("private_graph")),
    dptda_curve = make("curve_life"), dptda_diagram_curves = make("diagram_curve"),
    dptda_diagram = diagram,
    dptda_embedding = spectral_embedding(make("private_graph"), 2), dptda_evidence = make("feature_evidence"),
    dptda_graph_answer = make("private_graph", graph = c(1, 4), vertex = 3), dptda_graph_model = make("graph_sbm"),
    summary.dptda_graph_model = summary(make("graph_sbm")),
    dptda_frechet_mean = make("frechet_mean"), dptda_grid = make("domain_grid"),
    dptda_guarantee = privacy_declare(epsilon = 1),
    dptda_landmarks = make("domain_landmarks"), dptda_manifold = manifold_sphere(2),
    dptda_mechanism = private_count(unseen(2), epsilon = 1), dptda_price = make("privacy_price"),
    dptda_simulation = simulate(private_count(unseen(2), epsilon = 1), 2, x = c(TRUE, FALSE)),
    dptda_merging = make("cluster_morse"), dptda_method = make("synthesis_topology"),
    dptda_result = make("as_mixture"), dptda_mixture = make("as_mixture"), dptda_neighbors = make("audit_neighbors"),
    dptda_plan = make("plan_private_diagram"), dptda_recipe = make("release_recipe"),
    dptda_nonprivate_chain = make("nonprivate_chain"),
    dptda_privacy_curve = make("privacy_curve"), dptda_private_box = private_bounds(rep(1:2, 500), 10),
    dptda_no_box = make("private_bounds"),
    dptda_private_covariance = make("private_covariance"), dptda_private_kmeans = make("private_kmeans"),
    dptda_population_band = make("population_band"),
    dptda_private_correlation = make("private_cor"),
    dptda_private_regression = make("private_lm"),
    dptda_private_mixture = make("private_mixture"), dptda_private_pca = make("private_pca"),
    dptda_private_curve_test = make("private_curve_test"),
    dptda_private_degrees = make("private_degrees"), dptda_private_graph = make("private_graph"),
    dptda_private_frechet_mean = make("private_frechet_mean"), dptda_private_histogram = make("private_histogram"),
    dptda_private_table = make("private_table"), dptda_comparison = make("compare_groups"),
    dptda_private_groups = private_mean(data.frame(x = 1:3, g = "a"), c(0, 4), epsilon = 1, columns = "x",
                                        by = list(g = "a")),
    dptda_private_covariances = private_covariance(data.frame(x = rep(1:3, 20), g = "a"), c(0, 4), rho = 9,
                                                   columns = "x", by = list(g = "a")),
    dptda_private_quantile = make("private_quantile"), dptda_private_derived = make("private_histogram") + 1,
    dptda_private_release = make("private_frechet_mean"), dptda_private_value = make("private_mean"),
    dptda_rows = make("table_rows"), dptda_unseen = make("unseen"),
    dptda_schema = make("table_schema"), dptda_schema_column = make("schema_numeric"),
    dptda_synthesis = make("private_synthesis"),
    dptda_network_model = make("private_synthesis")$model,
    dptda_randomized_model = make("private_synthesis", method = "dp2pub")$model,
    dptda_randomized_counts = randomized_counts(list(sizes = c(a = 2L, b = 3L), n = 2, codes = cbind(0:1, 2:1)),
                                          list(sizes = c(a = 2L, b = 3L), n = 2, response = c(a = 1, b = 1)),
                                          list(1L, 2:1), list(1:2), "R"),
    dptda_evaluation = make("evaluate_synthesis"),
    dptda_topology_model = make("private_synthesis", delta = 1e-6,
                                method = synthesis_topology(size = 8, cloud = 20, steps = 10), budget = NULL)$model,
    dptda_tomato = make("cluster_tomato"),
    dptda_tree_model = fit_tree(add_measurement(new_tree_model(c(a = 2L), 10), 1L, c(4, 6), 1), 5),
    summary.dptda_diagram = summary(diagram),
    summary.dptda_embedding = summary(spectral_embedding(make("private_graph"), 2)),
    summary.dptda_private_pca = summary(make("private_pca")),
    summary.dptda_private_graph = summary(make("private_graph")),
    summary.dptda_private_value = summary(make("private_mean")),
    summary.dptda_synthesis = summary(make("private_synthesis"))
  )
}

# Makes times of day as in the package hms.
hms_of <- function(seconds) structure(seconds, class = c("hms", "difftime"), units = "secs")
