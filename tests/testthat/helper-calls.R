# One valid, quick call of every export: what test-errors.R changes argument by argument. Only arguments that are worth
# changing are given; `...` is never changed. A new export without a row fails the test.

valid_calls <- function() {
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
    privacy_audit = list(mechanism = function(x) length(x) + stats::rnorm(1), x = c(0, 0), neighbor = c(0, 1), epsilon = 1, delta = 0,
                         runs = 100, events = list(function(o) o > 0), confidence = .9, cores = 1),
    as_mixture = list(x = list(weights = c(2, 1), means = rbind(c(0, 0), c(3, 0)), covariances = list(diag(2), diag(2)))),
    fit_mixture = list(X = cbind(c(1, 2, 5, 9), c(2, 1, 7, 8)), k0 = 2, start = NULL, rounds = 3, tolerance = 0, floor = 1e-6),
    bin_points = list(X = pair, grid = grid, columns = c("a", "b")),
    bottleneck_distance = list(x = diagram, y = diagram, dimension = 0:1),
    privacy_compose = list(guarantee, guarantee, parallel = FALSE),
    privacy_convert = list(x = guarantee, to = "delta", epsilon = 1),
    manifold_custom = list(shape = 1, dimension = 1, exp = function(x, v) x + v, log = function(x, y) y - x,
                           basis = function(x) matrix(1), distance = function(x, y) abs(x - y),
                           transport = function(x, y, v) v, project = function(x) x, curvature = c(0, 0),
                           injectivity_radius = Inf, homogeneous = TRUE, name = "line"),
    privacy_declare = list(epsilon = 1, delta = 0, mechanism = "own", bounded_range = FALSE, relation = "replace", n = 5),
    debias = list(graph = data.frame(from = 1:3, to = c(2L, 3L, 1L)), n = 4, vertices = NULL),
    detectable_persistence = list(n = 1000, grid = grid, epsilon = 5, m0 = .1, r = 1, clip = Inf, max_dimension = 1,
                                  max_points = 3, learn_points = TRUE, utility = "max", others = 1, probability = .5),
    diagram_sensitivity = list(n = 10, grid = grid, m0 = .1, r = 1, clip = Inf),
    distance_to_measure = list(X = X, grid = grid, m0 = .1, r = 1, clip = Inf, weights = rep(1, 12)),
    domain_box = list(lower = c(0, 0), upper = c(1, 1)),
    domain_grid = list(box = box, by = .5, pad = 0),
    domain_rescale = list(X = X, box = box, to = domain_unit(box)),
    domain_unit = list(box = box),
    dtm_persistence = list(X = X, grid = grid, m0 = .5, r = 1, clip = Inf, weights = rep(1, 12), max_dimension = 1,
                           essential = "cap", cap = 9),
    manifold_euclidean = list(d = 2),
    feature_evidence = list(release = small_release(max_points = 2), probability = .9, least = .1),
    privacy_neighbors = list(statistic = sum, domain = c(0, 1), n = 2, distance = function(a, b) abs(a - b),
                                relation = "replace", runs = 40, delta = 0, most = 10, starts = 1),
    frechet_mean = list(X = rbind(pole, pole), manifold = M, weights = c(1, 1), type = "mean", tolerance = 1e-6,
                        max_iterations = 10),
    frechet_noise = list(n = 100, manifold = M, radius = .5, epsilon = 1, level = .9, center = pole, bound = "sharp",
                         support = "ball", method = "intrinsic"),
    frechet_sensitivity = list(n = 10, manifold = M, radius = .5, bound = "sharp"),
    manifold_grassmann = list(k = 1, p = 3),
    graph_detectable = list(n = 1000, epsilon = 1, p_in = .3, p_out = .2, k = 2, lambda = NULL, v = NULL, overlap = .5),
    graph_product = list(graph = data.frame(from = 1:3, to = c(2L, 3L, 1L)), x = 1:4, n = 4, vertices = NULL),
    grid_persistence = list(values = matrix(1:4, 2), max_dimension = 1, sublevel = TRUE, triangulation = "cubical",
                            essential = "cap", cap = 9),
    privacy_group = list(x = guarantee, size = 2),
    manifold_hyperbolic = list(d = 2, curvature = -1),
    manifold_clamp = list(X = pole, manifold = M, center = pole, radius = .5),
    manifold_distance = list(x = pole, y = pole, manifold = M, pairwise = FALSE),
    manifold_exp = list(x = pole, v = tangent, manifold = M),
    manifold_inner = list(x = pole, u = tangent, v = tangent, manifold = M),
    manifold_log = list(x = pole, y = pole, manifold = M),
    manifold_transport = list(x = pole, y = pole, v = tangent, manifold = M),
    nonprivate_chain = list(X = X, grid = grid, epsilon = 1, m0 = .5, r = 1, clip = Inf, max_dimension = 1, max_points = 2,
                            essential = "drop", utility = "max", steps = 5, step_sd = .1, rng = "os"),
    privacy_features = list(output = 1),
    morse_merge = list(mixture = as_mixture(list(weights = c(2, 1), means = rbind(c(0, 0), c(3, 0)), covariances = list(diag(2), diag(2)))),
                       order = "height", min_mass = .1, floor = .01),
    persistence_diagram = list(dimension = 0, birth = 0, death = 1, sublevel = TRUE, engine = "own", parameters = list()),
    plan_private_diagram = list(simulate = X, n = 100, grid = grid, epsilon = 1, m0 = .5, clip = 1, r = 1, max_dimension = 1,
                                max_points = 2, utility = "max", wanted = c(1, 1), probability = .9,
                                repeats = 1, draws = 2),
    plot_ellipsoids = list(tensors = diag(2), positions = rbind(c(0, 0)), color = "anisotropy", radii = "root", size = 1,
                           theta = 0, phi = 90, palette = NULL, border = "gray20", add = FALSE, legend = TRUE, main = "own"),
    privacy = list(x = guarantee),
    privacy_budget = list(epsilon = 1, delta = 0, unit_rows = 1, relation = "replace", composition = "auto",
                          file = if (requireNamespace("filelock", quietly = TRUE)) tempfile()),
    privacy_curve = list(x = guarantee, epsilon = c(.5, 1)),
    private_bounds = list(X = pair, columns = "a", epsilon = epsilon, exponents = c(-4, 4), false_alarm = .01, probs = c(.1, .9), budget = privacy_budget(100), rng = "os"),
    private_count = list(x = pair, columns = "inside", epsilon = epsilon, budget = privacy_budget(100), rng = "os"),
    private_covariance = list(X = pair, columns = c("a", "b"), box = box, epsilon = epsilon, delta = 1e-6, rounds = 2,
                              budget = privacy_budget(epsilon = 100, delta = 0.1), rng = "os"),
    private_diagram = list(X = X, grid = grid, epsilon = epsilon, m0 = .5, r = 1, clip = Inf, max_dimension = 1, max_points = 2,
                           learn_points = TRUE, essential = "drop", utility = "max", budget = privacy_budget(100),
                           rng = "os"),
    private_frechet_mean = list(X = rbind(pole, pole), manifold = M, center = pole, radius = .5, epsilon = epsilon,
                                bound = "sharp", support = "ball", method = "intrinsic", budget = privacy_budget(100), rng = "os"),
    private_graph = list(graph = data.frame(from = 1:3, to = c(2L, 3L, 1L)), epsilon = epsilon, n = 4, method = "laplaceflip",
                         budget = privacy_budget(100, relation = "edge"), rng = "os"),
    private_histogram = list(x = pair, columns = c("a", "inside"), levels = list(inside = TRUE), breaks = list(a = c(-1, 0, 1)), epsilon = epsilon, budget = privacy_budget(100), rng = "os"),
    private_kmeans = list(X = pair, columns = c("a", "b"), box = box, k = 2, epsilon = epsilon, delta = 1e-6, method = "lloyd",
                          rounds = 2, covariance = TRUE, budget = privacy_budget(epsilon = 100, delta = 0.1), rng = "os"),
    private_mean = list(X = pair, columns = c("a", "b"), box = box, epsilon = epsilon, bits = 8, budget = privacy_budget(100), rng = "os"),
    private_mixture = list(X = pair, columns = c("a", "b"), box = box, k0 = 2, epsilon = epsilon, delta = 1e-6, rounds = 2,
                           features = "box", assignment = "hard", budget = privacy_budget(epsilon = 100, delta = 0.1), rng = "os"),
    private_quantile = list(x = pair, columns = "a", probs = c(.25, .5), lower = -2, upper = 2, epsilon = epsilon, bits = 8,
                            budget = privacy_budget(100), rng = "os"),
    private_sum = list(X = pair, columns = c("a", "b"), box = box, epsilon = epsilon, bits = 8, budget = privacy_budget(100), rng = "os"),
    spectral_embedding = list(graph = data.frame(from = 1:3, to = c(2L, 3L, 1L)), d = 2, type = "laplacian", debias = TRUE, normalize = TRUE,
                              regularization = 1, n = 4, vertices = NULL),
    tomato = list(X = X, density = "dtm", graph = 2, prominence = .1, bandwidth = 1, m0 = .2),
    table_rows = list(table = pair, columns = "a", partition = "b"),
    manifold_product = list(M, M),
    rdiscrete_gaussian = list(n = 2, scale = 1, rng = "os"),
    rdiscrete_laplace = list(n = 2, scale = 1, rng = "os"),
    rmanifold_laplace = list(n = 2, manifold = M, location = pole, scale = .5, support = "ball", center = pole, radius = .5,
                             sampler = "mcmc", steps = c(5, 2), step_sd = .1, rng = "R"),
    rmanifold_uniform = list(n = 2, manifold = M, center = pole, radius = .5, rng = "R"),
    manifold_rotation = list(p = 3),
    manifold_spd = list(p = 2, metric = "affine"),
    manifold_sphere = list(d = 2, radius = 1),
    privacy_subsample = list(noise_multiplier = 1, steps = 2, rate = .1, relation = "add_remove", alpha = 2)
  )
}

# A whole object of each class that methods are written for.
own_objects <- function() {
  calls <- valid_calls()
  make <- function(name, ...) suppressWarnings(do.call(name, utils::modifyList(calls[[name]], list(...), keep.null = TRUE)))
  diagram <- persistence_diagram(c(0, 1), c(0, .5), c(1, .7))
  list(
    dptda_audit = make("privacy_audit"), dptda_bins = make("bin_points"), dptda_box = make("domain_box"),
    dptda_budget = privacy_budget(epsilon = 1), dptda_debiased_graph = debias(make("private_graph")), dptda_detection = make("detectable_persistence"), dptda_diagram = diagram,
    dptda_embedding = spectral_embedding(make("private_graph"), 2), dptda_evidence = make("feature_evidence"),
    dptda_graph_detection = make("graph_detectable"),
    dptda_frechet_mean = make("frechet_mean"), dptda_grid = make("domain_grid"), dptda_guarantee = privacy_declare(epsilon = 1),
    dptda_manifold = manifold_sphere(2), dptda_merging = make("morse_merge"), dptda_mixture = make("as_mixture"), dptda_neighbors = make("privacy_neighbors"),
    dptda_plan = make("plan_private_diagram"), dptda_nonprivate_chain = make("nonprivate_chain"),
    dptda_privacy_curve = make("privacy_curve"), dptda_private_box = make("private_bounds"),
    dptda_private_covariance = make("private_covariance"), dptda_private_kmeans = make("private_kmeans"), dptda_private_mixture = make("private_mixture"),
    dptda_private_graph = make("private_graph"),
    dptda_private_frechet_mean = make("private_frechet_mean"), dptda_private_histogram = make("private_histogram"),
    dptda_private_quantile = make("private_quantile"),
    dptda_private_release = make("private_frechet_mean"), dptda_private_value = make("private_mean"), dptda_rows = make("table_rows"),
    dptda_tomato = make("tomato"),
    summary.dptda_diagram = summary(diagram), summary.dptda_embedding = summary(spectral_embedding(make("private_graph"), 2)),
    summary.dptda_private_graph = summary(make("private_graph"))
  )
}
