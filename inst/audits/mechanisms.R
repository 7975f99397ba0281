# Every mechanism of the package on a pair of neighboring data sets that
# attains its sensitivity, or comes near: found by privacy_neighbors(), the
# calls stand beside the data. One entry: the declared guarantee, the pair and
# the release. Read by audits.R and by the short audits in the tests.

unit_interval <- domain_grid(domain_box(0, 1), by = 0.05)
unit_square <- domain_grid(domain_box(c(0, 0), c(1, 1)), by = 0.1)

# privacy_neighbors(function(x) dtm_persistence(matrix(x), unit_interval, m0 = 1, essential = "cap", cap = 1),
#                      c(0, 0.5, 1), 2, distance = function(a, b) bottleneck_distance(a, b, dimension = 0))
two_numbers <- list(x = matrix(c(0, 0)), neighbor = matrix(c(0, 1)))

# the same with corners and midpoints of the square, n = 4, m0 = 0.5, and the sum of the distances over both
# dimensions: 0.604 of a possible 0.707 in each
four_points <- list(
  x = rbind(c(0, 0), c(1, 0), c(1, 1), c(0, 0)),
  neighbor = rbind(c(0, 0), c(1, 0), c(1, 1), c(0, 1))
)

# One row of many leaves the place that all others share: the birth of the first class moves from zero to the
# sensitivity, the twentieth part of the clip with r = 3. Powers in units of such a clip overflow.
one_leaves <- list(x = matrix(rep(0, 8000)), neighbor = matrix(rep(c(0, 0.05), c(7999, 1))))

diagram_entry <- function(name, pair, grid, ..., epsilon = NULL, rho = NULL) {
  list(
    name = paste0("private_diagram(", name, ")"), pair = pair, epsilon = epsilon, rho = rho,
    release = function(X) private_diagram(X, grid, epsilon, rho = rho, essential = "cap", ..., rng = audit_source)
  )
}

# Numbers by discrete noise: the whole sensitivity shows in the output, so the bound comes near the declared epsilon.
number_entry <- function(name, x, neighbor, release, epsilon = NULL, rho = NULL) {
  list(
    name = name, pair = list(x = x, neighbor = neighbor), epsilon = epsilon, rho = rho,
    release = function(data) release(data, epsilon = epsilon, rho = rho, rng = audit_source)
  )
}

number_entries <- function() {
  cells <- function(data, ...) private_histogram(data, levels = c("a", "b", "c"), ...)
  total <- function(data, ...) private_sum(data, box = domain_box(0, 1), ...)
  average <- function(data, ...) private_mean(data, box = domain_box(0, 1), ...)
  # few rows, as attacks are: a warning by public numbers, ten thousand times
  range <- function(data, ...) suppressWarnings(private_bounds(data, exponents = c(0, 8), ...), classes = "dptda_warning_no_box")
  # the cell, and the counts of the first two steps, which all releases look at
  middle <- function(probs) function(data, ...) {
    found <- private_quantile(data, probs, 0, 1, bits = 6, ...)
    c(found$value, found$counts$count[found$counts$step == 1])
  }
  # both intervals hold about as many rows as decide whether they are kept
  at_threshold <- function(small) rep(c(3, 100), c(small, 28 - small))
  list(
    number_entry("private_count", c(TRUE, FALSE), c(TRUE, TRUE), private_count, epsilon = 1),
    number_entry("private_count(rho)", c(TRUE, FALSE), c(TRUE, TRUE), private_count, rho = 0.5),
    number_entry("private_histogram", c("a", "b"), c("a", "a"), cells, epsilon = 1),
    number_entry("private_histogram(rho)", c("a", "b"), c("a", "a"), cells, rho = 0.5),
    number_entry("private_quantile(search)", rep(0:1, c(5, 4)), rep(0:1, c(4, 5)), middle(0.5), epsilon = 4),
    number_entry("private_quantile(tree)", rep(0:1, c(5, 4)), rep(0:1, c(4, 5)), middle(1:9 / 10), epsilon = 4),
    number_entry("private_sum", two_numbers$x, two_numbers$neighbor, total, epsilon = 1),
    number_entry("private_sum(rho)", two_numbers$x, two_numbers$neighbor, total, rho = 0.5),
    number_entry("private_mean", two_numbers$x, two_numbers$neighbor, average, epsilon = 1),
    number_entry("private_bounds", at_threshold(14), at_threshold(13), range, epsilon = 1)
  )
}

# The operating system's entropy, or R's stream where an audit must be repeatable.
audit_source <- "os"

audited_mechanisms <- function() {
  c(number_entries(), diagram_entries(), landmark_entries(), point_entries(), look_entries(), kmeans_entries(),
    candidate_entries(), graph_entries(), synthesis_entries(), tree_entries(), shape_entries())
}

# Whole tables of columns with two codes: a row that leaves one cell for another, in a table of one column or of two; ten rows
# of which one says that the first column goes with the second, or with the ten others, as the first choice of parents sees it; and
# one row that is flipped.
synthesis_entries <- function() {
  inside <- asNamespace("dptda")
  truths <- function(d) do.call(table_schema, structure(rep(list(schema_truth()), d), names = paste0("c", seq_len(d))))
  table_of <- function(codes) structure(as.data.frame(codes == 1), names = paste0("c", seq_len(ncol(codes))))
  source_of <- function(codes) inside$encode_table(table_of(codes), truths(ncol(codes)), "codes")
  # `part`: of a model, the numbers that are looked at. All at once they are made without the bookkeeping, which takes longer
  # than the draws. A test holds one against the other.
  entry <- function(method, part, x, neighbor, epsilon = NULL, rho = NULL) {
    how <- settings(method)
    draws <- function(codes, runs) {
      source <- source_of(codes)
      plan <- inside$method_mechanism(how, inside$public_part(source), inside$check_cost(epsilon, rho),
                                      audit_source)$plan
      draw <- inside[[if (method == "dp2pub") "draw_dp2pub" else "draw_privbayes"]]
      one <- function(i) part(draw(source, plan, audit_source)$model)
      t(matrix(unlist(lapply(seq_len(runs), one)), ncol = runs))
    }
    list(name = paste0("private_synthesis(", method, if (!is.null(rho)) ", rho", ")"), pair = list(x = x, neighbor = neighbor),
         epsilon = epsilon, rho = rho, release = function(codes) part(one_model(method, codes, epsilon, rho)), draws = draws)
  }
  settings <- function(method) {
    switch(method, privbayes = synthesis_privbayes(theta = 1e-3), dp2pub = synthesis_dp2pub(theta = 1e-3),
           synthesis_margins())
  }
  one_model <- function(method, codes, epsilon, rho) {
    private_synthesis(table_of(codes), truths(ncol(codes)), epsilon, rho, method = settings(method),
                      rng = audit_source)$model
  }
  counts <- function(model) unlist(model$measured$counts)
  network <- function(model) c(vapply(model$network, function(node) as.double(node$column), 0), counts(model)[1:4])
  flipped <- function(model) as.double(model$codes %*% c(1, 2))
  one_says <- function(second) cbind(rep(0:1, c(9, 1)), rep(0:1, c(9, 1)) * second, matrix(rep(0:1, c(9, 1)) * !second, 10, 10))
  parents <- function(codes, runs) {
    source <- source_of(codes)
    choice <- inside$plan_parents(source$n, inside$new_cost(c(epsilon = 1)), 1, 1, "distance")
    scores <- inside$score_scopes_network(source, lapply(2:12, function(column) c(column, 1L)), choice)
    inside$draw_choice(scores, inside$choice_rate(1, choice$sensitivity[1]), audit_source, runs)
  }
  list(
    entry("margins", counts, cbind(c(0, 1)), cbind(c(1, 1)), epsilon = 1),
    entry("margins", counts, cbind(c(0, 1)), cbind(c(1, 1)), rho = 0.5),
    list(name = "choice of parents", pair = list(x = one_says(TRUE), neighbor = one_says(FALSE)), epsilon = 1, rho = NULL,
         release = function(codes) parents(codes, 1), draws = parents),
    entry("privbayes", network, cbind(0:1, 0:1), cbind(c(0, 0), 0), epsilon = 2),
    entry("privbayes", network, cbind(0:1, 0:1), cbind(c(0, 0), 0), rho = 0.5),
    entry("dp2pub", flipped, cbind(0, 0), cbind(1, 1), epsilon = 2)
  )
}

# One row of five levels that takes another: its sums and products, in the direction in which they differ, in units of their noise. One row whose
# gradient is as long as it may be: which way a step of training moves the weights that the two rows move apart.
shape_entries <- function() {
  inside <- asNamespace("dptda")
  schema <- table_schema(a = schema_categorical(letters[1:5], other = "a"))
  plan <- inside$plan_moments(1, schema, 0.5)
  sums <- function(code) inside$moment_sums(list(sizes = c(a = 5L), n = 1, codes = matrix(code)), plan$book)
  scale <- c(rep(plan$scale[["sum"]], 5), ifelse(inside$is_square(5), plan$scale[["square"]], plan$scale[["product"]]))
  way <- (sums(1L) - sums(0L)) / scale^2
  weights <- inside$start_weights(c(a = 5L), 1, "R") * 0
  training <- list(hidden = 1, steps = 1, batch = 1, length = 1e-3, noise = 1, learning = 0.5)
  shifts <- length(weights) - 4:0
  # all weights are zero, so that only the shifts of the scores have gradients
  step <- function(code) {
    moved <- .Call(inside$ffi_publish_train_autoencoder, matrix(code), 5L, 1, weights, 1, 1, training$length, training$noise * 2^15, 0.5,
                   inside$kernel_options(audit_source))
    sum(sign(moved[shifts])[1:2] * c(1, -1))
  }
  list(
    list(name = "moments of encoded rows", pair = list(x = 0L, neighbor = 1L), epsilon = NULL, rho = 0.5,
         release = function(code) sum(way * inside$add_noise(sums(code), scale, "gaussian", audit_source))),
    list(name = "a step of training", pair = list(x = 0L, neighbor = 1L), epsilon = NULL, rho = 0.5, release = step)
  )
}

# Corners of the box in two clusters, and rows at opposite ends of one: all counts, sums and products of a look as
# they are released, in units of their noise, at fixed models.
look_entry <- function(name, whitened, hard, pair, rho) {
  inside <- asNamespace("dptda")
  box <- domain_box(c(-1, -1), c(1, 1))
  model <- list(weights = c(0.5, 0.5), means = cbind(c(-0.5, -0.5), c(0.5, 0.5)), covariances = array(diag(0.01, 2), c(2, 2, 2)))
  look <- inside$plan_look(nrow(pair$x), 2, rho, list(whitened = whitened, hard = hard), 2)
  sums <- function(X) as.vector(inside$look_sums(X, model, box, look))
  # the direction in which the pair differs
  way <- (sums(pair$neighbor) - sums(pair$x)) / look$scale^2
  list(
    name = paste0("a look at clusters (", name, ")"), pair = pair, rho = rho,
    release = function(X) sum(way * inside$add_noise(sums(X), look$scale, "gaussian", audit_source))
  )
}

look_entries <- function() {
  corners <- list(x = rbind(c(-1, -1), c(1, -1)), neighbor = rbind(c(1, 1), c(1, -1)))
  list(
    look_entry("whitened, soft", TRUE, FALSE, corners, rho = 0.5),
    look_entry("whitened, hard", TRUE, TRUE, corners, rho = 0.5),
    look_entry("box, hard", FALSE, TRUE, corners, rho = 0.5),
    # one look: what further ones see depends on the noise of those before. Fewer rows would not clear it.
    list(
      name = "private_covariance", epsilon = NULL, rho = 0.5,
      pair = list(x = matrix(rep(c(-1, 1), c(1, 59))), neighbor = matrix(rep(1, 60))),
      release = function(X) {
        fit <- private_covariance(X, domain_box(-1, 1), rho = 0.5, rounds = 1, rng = audit_source)
        c(fit$mean, log(fit$value))
      }
    )
  )
}

# A row that leaves one cluster for the other, from corner to corner: counts and sums of a round of k-means at fixed
# centers, as the logarithm of the ratio of their probabilities, which is all that they tell.
kmeans_look_entry <- function(name, epsilon = NULL, rho = NULL) {
  inside <- asNamespace("dptda")
  box <- domain_box(-1, 1)
  pair <- list(x = matrix(c(-1, 1)), neighbor = matrix(c(1, 1)))
  plan <- inside$plan_kmeans_lloyd(2, box, 2, inside$check_cost(epsilon, rho), rounds = 1)
  sums <- function(X) as.vector(inside$lloyd_sums(X, cbind(-1, 1), box, plan))
  from <- sums(pair$x)
  to <- sums(pair$neighbor)
  loss <- function(noisy) {
    away <- function(center) (noisy - center) / plan$scale
    if (plan$noise == "laplace") sum(abs(away(from)) - abs(away(to))) else sum(away(from)^2 - away(to)^2) / 2
  }
  list(
    name = paste0("a look of k-means (", name, ")"), pair = pair, epsilon = epsilon, rho = rho,
    release = function(X) loss(inside$add_noise(sums(X), plan$scale, plan$noise, audit_source))
  )
}

# All rows but one in one place: the center of that place, and how many are there. What further rounds see depends on the
# noise of those before.
kmeans_entry <- function(name, ..., epsilon = NULL, rho = NULL) {
  list(
    name = paste0("private_kmeans(", name, ")"), epsilon = epsilon, rho = rho,
    pair = list(x = matrix(rep(c(-1, 1), c(1, 59))), neighbor = matrix(rep(1, 60))),
    release = function(X) {
      fit <- private_kmeans(X, domain_box(-1, 1), 2, epsilon, rho, ..., rng = audit_source)
      last <- order(fit$centers)
      c(fit$size[last], fit$centers[last])
    }
  )
}

kmeans_entries <- function() {
  list(
    kmeans_look_entry("epsilon", epsilon = 1),
    kmeans_look_entry("rho", rho = 0.5),
    kmeans_entry("lloyd", epsilon = 2),
    kmeans_entry("lloyd, rho", rho = 0.5),
    kmeans_entry("lloyd, covariance", covariance = TRUE, epsilon = 2),
    kmeans_entry("grid", method = "grid", epsilon = 2)
  )
}

# k-means by a tree and by cubes. One cluster, and one row that goes from one side to the other: the noisy mean of all rows.
# And each step by itself: one row leaves a cube for another; a choice among eleven places, one where the row is and ten where
# its substitute is; two rows at opposite corners, of which one goes to the other's cluster.
candidate_entries <- function() {
  inside <- asNamespace("dptda")
  line <- domain_box(-1, 1)
  one_of_forty <- list(x = matrix(rep(c(0, 1), c(39, 1))), neighbor = matrix(rep(c(0, -1), c(39, 1))))
  center <- function(method) function(X, ...) private_kmeans(X, line, 1, ..., method = method)$centers
  lattice <- inside$kmeans_lattice(line, 8)
  by_cubes <- function(X, epsilon, rho, rng) {
    plan <- cube_plan(nrow(X), epsilon, rho)
    count <- .Call(inside$ffi_cluster_tree, X, lattice, NULL, 256, c(1, 0, 0), FALSE, inside$kernel_options())[-1]
    noisy <- inside$add_noise(count, plan$count, plan$kind, rng)
    noisy[1] - noisy[2]
  }
  cube_plan <- function(n, epsilon, rho) {
    spent <- inside$check_cost(epsilon, rho)
    inside$plan_kmeans_cube(n, line, 1, spent, depth = 1, swaps = 0, shares = c(1, 1, 1))
  }
  exchange <- function(X, epsilon, rho, rng) {
    plan <- cube_plan(nrow(X), epsilon, rho)$exchange
    places <- rbind(rep(c(256, -256), c(1, 10)))
    loss <- .Call(inside$ffi_cluster_swaps, X, lattice, places, 1, 7, plan$clip, inside$kernel_options())
    .Call(inside$ffi_cluster_choose, as.vector(loss) - min(loss), plan$factor, inside$kernel_options(rng))
  }
  means <- function(X, epsilon, rho, rng) {
    plan <- cube_plan(nrow(X), epsilon, rho)
    scale <- rep(plan$scale, 2)
    sums <- function(X) as.vector(.Call(inside$ffi_cluster_nearest, X, inside$kmeans_lattice(line, plan$bits), rbind(2^plan$bits * c(-1, 1)), inside$kernel_options()))
    ends <- lapply(list(c(1, -1), c(-1, -1)), function(rows) sums(matrix(rows)))
    noisy <- inside$add_noise(sums(X), scale, plan$kind, rng)
    # the ratio of likelihoods, or its logarithm's slope
    if (plan$kind == "laplace") sum((abs(noisy - ends[[1]]) - abs(noisy - ends[[2]])) / scale) else sum((ends[[2]] - ends[[1]]) / scale^2 * noisy)
  }
  alone <- list(x = matrix(1), neighbor = matrix(-1))
  corners <- list(x = matrix(c(1, -1)), neighbor = matrix(c(-1, -1)))
  list(
    number_entry("private_kmeans(tree)", one_of_forty$x, one_of_forty$neighbor, center("tree"), rho = 0.5),
    number_entry("private_kmeans(cube)", one_of_forty$x, one_of_forty$neighbor, center("cube"), epsilon = 2),
    number_entry("counts of cubes", alone$x, alone$neighbor, by_cubes, epsilon = 1),
    number_entry("counts of cubes (rho)", alone$x, alone$neighbor, by_cubes, rho = 0.5),
    number_entry("exchange of a center", alone$x, alone$neighbor, exchange, epsilon = 1),
    number_entry("means of chosen centers", corners$x, corners$neighbor, means, epsilon = 1),
    number_entry("means of chosen centers (rho)", corners$x, corners$neighbor, means, rho = 0.5)
  )
}

diagram_entries <- function() {
  line <- function(...) diagram_entry(..., pair = two_numbers, grid = unit_interval, m0 = 1, max_dimension = 0)
  square <- function(...) diagram_entry(..., pair = four_points, grid = unit_square, m0 = 0.5)
  list(
    line("max, number learned", epsilon = 6),
    line("max, one point", epsilon = 6, learn_points = FALSE, max_points = 1),
    line("max, r = 500", epsilon = 6, r = 500),
    diagram_entry("r = 3, tiny clip", one_leaves, unit_interval, m0 = 1, r = 3, clip = 1e-105, max_dimension = 0,
                  learn_points = FALSE, max_points = 1, epsilon = 1),
    square("max, two dimensions", epsilon = 6, utility = "max"),
    square("sum, two dimensions", epsilon = 6, utility = "sum"),
    square("sum, two points in each dimension", epsilon = 6, utility = "sum", learn_points = FALSE, max_points = 2),
    line("rho, number learned", rho = 4.5),
    square("rho, two dimensions", rho = 4.5)
  )
}

# Graphs that differ in one pair, as what each pair became.
graph_entry <- function(name, edges, neighbor, epsilon, cost = epsilon, ...) {
  list(
    name = paste0("private_graph(", name, ")"), pair = list(x = edges, neighbor = neighbor), epsilon = cost, rho = NULL,
    release = function(data) {
      n <- (1 + sqrt(1 + 8 * length(data))) / 2
      full <- matrix(0, n, n)
      full[upper.tri(full)] <- data
      full <- full + t(full)
      released <- as.matrix(private_graph(full, epsilon, ..., rng = audit_source))
      released[upper.tri(released)]
    }
  )
}

graph_entries <- function() {
  list(
    graph_entry("one pair", 0, 1, 1),
    graph_entry("one pair, laplaceflip", 0, 1, 1, log(2 * exp(1 / 2) - 1), method = "laplaceflip"),
    graph_entry("three pairs", c(0, 1, 0), c(1, 1, 0), 2),
    graph_entry("one pair, few flips", 0, 1, 4.5)
  )
}

# Four landmarks on a ring, six that span an octahedron, and all rows in their middle: one row that leaves it raises all
# vertices, and with them all that is born and dies, by 19/20 of the sensitivity. By a function of two points and on
# manifolds it is the whole sensitivity. After a mixture was released the release is both.
landmark_entries <- function() {
  octahedron <- rbind(diag(3), -diag(3))
  square <- octahedron[-c(3, 6), ]
  leaves <- list(x = matrix(0, 200, 3), neighbor = replace(matrix(0, 200, 3), 1, 1e9))
  entry <- function(name, points, metric = "euclidean", pair = leaves, clip = 20, epsilon = NULL, rho = NULL, dimensions,
                    utility = NULL, learn_points = FALSE, max_points = 1) {
    landmarks <- domain_landmarks(points, metric)
    found <- diagram_entry(paste0("landmarks, ", name), pair, landmarks, m0 = 1, clip = clip, epsilon = epsilon, rho = rho,
                           dimensions = dimensions, utility = utility, learn_points = learn_points, max_points = max_points)
    found$draws <- function(X, runs) {
      # with m0 and r of one
      many_diagrams(X, runs, landmarks, epsilon, rho, 1, 1, clip, dimensions, max_points, learn_points, "cap", utility)
    }
    found
  }
  reach <- function(x, y) if (y[1] > 5) Inf else if (all(y == 0)) 0 else sqrt(sum((x - y)^2))
  poles <- list(x = rbind(c(0, 0, 1), c(0, 0, 1)), neighbor = rbind(c(0, 0, 1), c(0, 0, -1)))
  matrices <- list(x = array(diag(2), c(2, 2, 4)), neighbor = array(c(rep(diag(2), 3), 1e9 * diag(2)), c(2, 2, 4)))
  list(
    entry("components", square, epsilon = 6, dimensions = 0),
    entry("loops alone", square, epsilon = 6, dimensions = 1),
    entry("components and loops, max", square, epsilon = 6, dimensions = 0:1, utility = "max", learn_points = TRUE,
          max_points = 5),
    entry("components and loops, sum", square, epsilon = 6, dimensions = 0:1, utility = "sum"),
    entry("components and loops, rho", square, rho = 4.5, dimensions = 0:1, learn_points = TRUE, max_points = 5),
    entry("voids alone", octahedron, epsilon = 6, dimensions = 2),
    entry("a function", square, reach, epsilon = 6, dimensions = 0:1),
    entry("directions", rbind(c(0, 0, 1)), manifold_sphere(2), poles, Inf, epsilon = 6, dimensions = 0),
    entry("matrices", list(diag(2)), manifold_spd(2), matrices, 2, epsilon = 6, dimensions = 0),
    after_mixture_entry()
  )
}

# The same releases all at once: the true diagram is computed once. A test holds one against the other.
many_diagrams <- function(X, runs, ...) {
  inside <- asNamespace("dptda")
  setup <- inside$release_setup(X, ...)
  drawn <- inside$draw_steps(setup$plan, inside$true_diagrams(setup), runs, audit_source)
  points <- inside$in_units(drawn, setup$plan)
  lapply(split(seq_len(nrow(points)), factor(points[, "draw"], seq_len(runs))), function(rows) {
    persistence_diagram(points[rows, "dimension"], points[rows, "birth"], points[rows, "death"])
  })
}

# The mean of the only component, and the components of the diagram on places that were drawn from it.
after_mixture_entry <- function() {
  line <- domain_box(-1, 1)
  list(
    name = "private_diagram(landmarks, after a mixture)", epsilon = 4, rho = NULL,
    pair = list(x = matrix(rep(c(-1, 1), c(1, 59))), neighbor = matrix(rep(1, 60))),
    release = function(X) {
      mixture <- private_mixture(X, line, 1, epsilon = 2, delta = 1e-9, rounds = 1, rng = audit_source)
      landmarks <- landmarks_from(mixture, 3, slack = 0)
      diagram <- private_diagram(X, landmarks, epsilon = 2, m0 = 1 / 60, clip = 2, dimensions = 0, essential = "cap",
                                 learn_points = FALSE, max_points = 1, rng = audit_source)
      list(mean = as.double(mixture$means), diagram = diagram)
    }
  )
}

# Points on the rim of a public ball. One point, opposite ends: its mean is the point itself, and moves by the whole
# diameter, which is what the sensitivity is capped at.
point_entry <- function(name, manifold, center, pair, radius, method = "intrinsic", epsilon = NULL, rho = NULL,
                        support = NULL) {
  list(
    name = paste0("private_frechet_mean(", name, ")"), pair = pair, epsilon = epsilon, rho = rho,
    release = function(X) {
      private_frechet_mean(X, manifold, center, radius, epsilon, rho, support = support, method = method,
                           rng = audit_source)
    },
    draws = function(X, runs) many_points(X, runs, manifold, center, radius, epsilon, rho, method, support)
  )
}

# The same releases, all at once, as normal coordinates: by what a release is made of, without the bookkeeping, which
# takes longer than the noise. A test holds one against the other.
many_points <- function(X, runs, manifold, center, radius, epsilon, rho, method, support) {
  inside <- asNamespace("dptda")
  P <- inside$read_points(X, manifold)
  ball <- inside$check_mean_ball(ncol(P), manifold, center, radius, epsilon, rho, "sharp", support, method)
  statistic <- inside$plan_statistic(ball$plan, inside$ball_coordinates(ball, P))
  t(inside$draw_mean(ball$plan, statistic, runs, audit_source))
}

# The ends of the geodesics through the center with the velocities v and -v.
opposite <- function(manifold, center, v) {
  list(x = manifold_exp(center, v, manifold), neighbor = manifold_exp(center, -v, manifold))
}

point_entries <- function() {
  pole <- c(0, 0, 1)
  cap <- opposite(manifold_sphere(2), pole, c(pi / 8, 0, 0))
  sheet <- opposite(manifold_hyperbolic(2), c(1, 0, 0), c(0, 1, 0))
  # privacy_neighbors(function(x) frechet_mean(x, manifold_sphere(2))$point, rim, 2,
  #   distance = function(a, b) manifold_distance(a, b, manifold_sphere(2))), rim: eight points of it, and the pole;
  # 0.400 of a sensitivity of 0.520
  rim <- manifold_exp(pole, pi / 8 * sqrt(0.5) * rbind(c(-1, 1, 0), c(-1, -1, 0), c(1, 1, 0)), manifold_sphere(2))
  # the same on manifold_hyperbolic(2) attains the sensitivity: the mean moves from the center to the rim
  half <- list(x = rbind(sheet$neighbor, sheet$x), neighbor = rbind(sheet$x, sheet$x))
  two <- list(x = rim[1:2, ], neighbor = rim[c(1, 3), ])
  spread <- matrix(c(0, 1, 1, 0), 2) / sqrt(2)
  covariance <- opposite(manifold_spd(2), diag(2), spread)
  # ten rows on one side of the ball, and one of them on the other; draws nearly as far as they go
  copies <- function(times) opposite(manifold_spd(2), diag(2), diag(2) / 2)[rep(c("x", "neighbor"), times)]
  crowd <- list(x = simplify2array(copies(c(10, 0))), neighbor = simplify2array(copies(c(9, 1))))
  flat <- manifold_spd(2, "log-euclidean")
  turned <- opposite(manifold_rotation(3), diag(3), rbind(c(0, -0.7, 0), c(0.7, 0, 0), 0))
  line <- cbind(c(1, 0, 0))
  lines <- opposite(manifold_grassmann(1, 3), line, cbind(c(0, 0.4, 0)))
  list(
    point_entry("sphere", manifold_sphere(2), pole, cap, pi / 8, epsilon = 2),
    point_entry("sphere, two points", manifold_sphere(2), pole, two, pi / 8, epsilon = 2),
    point_entry("sphere, rho", manifold_sphere(2), pole, cap, pi / 8, rho = 1),
    point_entry("sphere, ambient", manifold_sphere(2), pole, cap, pi / 8, method = "ambient", epsilon = 2),
    point_entry("hyperbolic", manifold_hyperbolic(2), c(1, 0, 0), sheet, 1, epsilon = 4),
    point_entry("hyperbolic, much noise", manifold_hyperbolic(2), c(1, 0, 0), half, 1, epsilon = 1),
    point_entry("hyperbolic, rho", manifold_hyperbolic(2), c(1, 0, 0), sheet, 1, rho = 2),
    point_entry("sphere, tangent", manifold_sphere(2), pole, cap, pi / 8, method = "tangent", epsilon = 2),
    point_entry("spd, tangent", manifold_spd(2), diag(2), covariance, 1, method = "tangent", epsilon = 4),
    point_entry("spd", manifold_spd(2), diag(2), covariance, 1, epsilon = 4),
    point_entry("spd, near the largest scale", manifold_spd(2), diag(2), crowd, sqrt(0.5), epsilon = 0.1001,
                support = "manifold"),
    point_entry("spd, ambient", manifold_spd(2), diag(2), covariance, 1, method = "ambient", epsilon = 4),
    point_entry("spd log-euclidean, rho", flat, diag(2), opposite(flat, diag(2), spread), 1, rho = 1),
    point_entry("rotation", manifold_rotation(3), diag(3), turned, 0.7, epsilon = 2),
    point_entry("grassmann", manifold_grassmann(1, 3), line, lines, 0.4, epsilon = 2)
  )
}

# A choice of a margin by how far a graphical model is from it: one row takes the first of twenty columns to the model and
# all others away from it, so that scores move by the sensitivity, some up and some down. And a row that leaves one
# code for another in the only column that is measured.
tree_entries <- function() {
  inside <- asNamespace("dptda")
  columns <- 20
  sizes <- structure(rep(2L, columns), names = paste0("c", seq_len(columns)))
  source <- function(codes) list(sizes = sizes[seq_len(ncol(codes))], n = nrow(codes), codes = codes)
  model <- inside$new_tree_model(sizes, 4)
  for (j in seq_len(columns)) model <- inside$add_measurement(model, j, c(0, 0), 1)
  model$potential <- c(list(c(-1000, 0)), rep(list(c(0, -1000)), columns - 1))
  others <- matrix(rep(c(1L, 0L), c(3, 3 * (columns - 1))), 3)
  scopes <- as.list(seq_len(columns))
  scores <- function(X) inside$score_scopes(model, scopes, inside$joint_counts_all(source(X), scopes), 16)
  chosen <- function(X) inside$choose_scope(scores(X), inside$score_sensitivity(1, 16), 1, audit_source) == 1
  one <- list(x = matrix(rep(0:1, c(51, 49))), neighbor = matrix(rep(0:1, c(50, 50))))
  bits <- table_schema(bit = schema_truth())
  count <- function(method) list(
    name = paste0("private_synthesis(", method, ", one column)"), rho = 0.5, epsilon = NULL, pair = one,
    release = function(X) {
      private_synthesis(data.frame(bit = X[, 1] == 1), bits, rho = 0.5, method = method, rng = audit_source)$model$count[[1]]
    }
  )
  list(
    list(name = "choice of a margin", epsilon = 1, rho = NULL, pair = list(x = rbind(0L, others), neighbor = rbind(1L, others)),
         release = chosen),
    count("mst"), count("aim")
  )
}

# Few runs go through the release itself, many through `draws` where there are such.
audit_entry <- function(entry, runs, cores = 1) {
  at_once <- !is.null(entry$draws) && runs > 1000
  privacy_audit(if (!at_once) entry$release, entry$pair$x, entry$pair$neighbor, entry$epsilon, rho = entry$rho,
                runs = runs, draws = if (at_once) entry$draws, cores = cores)
}
