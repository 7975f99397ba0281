# Recordings check that a redesign of the code does not change results. For each call below, a recording holds the
# numbers of a seeded release, the printed output, the guarantee, the spent budget, and the state of R's random number
# stream afterwards. For calls that fail, it holds the error and its cost. Calls with columns, databases, and many
# settings are listed here. The examples of all mechanisms are also recorded.

# Small data with ties, rows outside the box, and a column of each type.
recorded_rows <- function() {
  turn <- 2 * pi * seq_len(60) / 60
  data.frame(a = c(cos(turn[1:58]), 9, -9), b = sin(turn) + seq_len(60) %% 3 / 4, inside = seq_len(60) %% 4 > 0,
             group = c("u", "v", "w")[1 + seq_len(60)^2 %% 3], stringsAsFactors = FALSE)
}

# The same rows in SQLite. The connection is closed with the frame `env`.
recorded_table <- function(data = recorded_rows(), env = parent.frame())
  dplyr::tbl(local_sqlite(data, env = env), "people")

recorded_schema <- function() {
  table_schema(a = schema_numeric(-2, 2, cells = 3), inside = schema_logical(),
               group = schema_categorical(c("u", "v", "w"), other = "w"))
}

# Calls that use `rows` (a data frame or a table of a database), `x` (its two columns), `box`, `grid`, and `budget`.
recorded_releases <- function() {
  with_method <- function(method) {
    bquote(private_synthesis(rows, recorded_schema(), rho = 1, method = .(method), budget = budget, rng = "R"))
  }
  c(recorded_everywhere(), list(
    "count of logicals" = quote(private_count(rows$inside, epsilon = 1, budget = budget, rng = "R")),
    "sum of no rows" = quote(private_sum(matrix(0, 0, 2), box, epsilon = 1, budget = budget, rng = "R")),
    "k-means by a tree" = quote(private_kmeans(X, box, 2, rho = 2, method = "tree", budget = budget, rng = "R")),
    "k-means on cubes" = quote(private_kmeans(X, box, 2, epsilon = 2, method = "cube", budget = budget, rng = "R")),
    "k-means on a grid" = quote(private_kmeans(X, box, 2, epsilon = 2, method = "grid", budget = budget, rng = "R")),
    "k-means with covariance" = quote(private_kmeans(X, box, 2, rho = 2, covariance = TRUE, budget = budget,
                                                     rng = "R")),
    "diagram" = quote(private_diagram(X, grid, epsilon = 2, m0 = .2, max_points = 2, budget = budget, rng = "R")),
    "diagram, rho" = quote(private_diagram(X, grid, rho = 2, m0 = .2, r = 2, max_points = 2, budget = budget,
                                           rng = "R")),
    "diagram, capped" = quote(private_diagram(X, grid, epsilon = 2, m0 = .2, max_points = 2, learn_points = FALSE,
                                              essential = "cap", budget = budget, rng = "R")),
    "diagram on landmarks" = quote(private_diagram(X, landmarks, epsilon = 2, m0 = .2, max_points = 2, budget = budget,
                                                   rng = "R")),
    "diagram on released landmarks" = quote(private_diagram(X, found_landmarks(X, box, budget), epsilon = 2, m0 = .2,
                                                            max_points = 2,
                                                            budget = budget, rng = "R")),
    "Frechet mean" = quote(private_frechet_mean(tensors, manifold_spd(2), diag(2), .5, epsilon = 1, budget = budget,
                                                rng = "R")),
    "Frechet mean, rho" = quote(private_frechet_mean(tensors, manifold_spd(2), diag(2), .5, rho = 1, budget = budget,
                                                     rng = "R")),
    "Frechet mean, intrinsic" = quote(private_frechet_mean(tensors, manifold_spd(2), diag(2), .5, epsilon = 1,
                                                         method = "intrinsic",
                                                         budget = budget, rng = "R")),
    "Frechet mean, ambient" = quote(private_frechet_mean(tensors, manifold_spd(2), diag(2), .5, epsilon = 1,
                                                         method = "ambient",
                                                         budget = budget, rng = "R")),
    "mean on a sphere" = quote(private_frechet_mean(poles, manifold_sphere(2), c(0, 0, 1), .7, epsilon = 1,
                                                    support = "ball",
                                                    budget = budget, rng = "R")),
    "graph" = quote(private_graph(edges, epsilon = 1, n = 9, budget = budget_of_edges, rng = "R")),
    "graph, rarely flipped" = quote(private_graph(edges, epsilon = 9, n = 9, method = "laplaceflip",
                                             budget = budget_of_edges, rng = "R")),
    "graph of names" = quote(private_graph(data.frame(from = c("a", "b"), to = c("b", "z")), epsilon = 1,
                                           vertices = c("b", "a", "c"),
                                           budget = budget_of_edges, rng = "R")),
    "graph, one vertex" = quote(private_graph(c(2, 5, 9), epsilon = 1, n = 9, vertex = 6, budget = budget_of_edges,
                                              rng = "R")),
    "degrees" = quote(private_degrees(edges, epsilon = 1, n = 9, groups = rep(c("a", "b"), c(4, 5)),
                                      budget = budget_of_edges, rng = "R")),
    "table, PrivBayes" = quote(private_synthesis(rows, recorded_schema(), epsilon = 2, method = "privbayes",
                                                 budget = budget, rng = "R")),
    "table, PrivBayes, rho" = with_method(quote(synthesis_privbayes(degree = 1))),
    "table, DP2-Pub" = quote(private_synthesis(rows, recorded_schema(), epsilon = 2, method = "dp2pub", budget = budget,
                                               rng = "R")),
    "table, margins" = with_method("margins"),
    "table, AIM" = with_method("aim"),
    "table, AIM, epsilon and delta" = quote(private_synthesis(rows, recorded_schema(), epsilon = 2, delta = 1e-6,
                                                              method = "aim",
                                                              budget = budget_with_delta, rng = "R")),
    "table, AIM, epsilon" = quote(private_synthesis(rows, recorded_schema(), epsilon = 2, budget = budget, rng = "R")),
    "table, MST" = with_method("mst"),
    "table, MST, epsilon" = quote(private_synthesis(rows, recorded_schema(), epsilon = 2, method = "mst",
                                                    budget = budget, rng = "R")),
    "table, topology" = quote(private_synthesis(rows, recorded_schema(), epsilon = 2, delta = 1e-3,
                                                budget = budget_with_delta, rng = "R",
                                                method = synthesis_topology(size = 8, cloud = 20, steps = 10))),
    "noise" = quote(list(rdiscrete_laplace(5, 3, rng = "R"), rdiscrete_gaussian(5, 3, rng = "R"))),
    "points on a manifold" = quote(list(rmanifold_laplace(2, manifold_spd(2), diag(2), scale = .2, rng = "R"),
                                        rmanifold_uniform(2, manifold_sphere(2), center = c(0, 0, 1), radius = .5,
                                                          rng = "R"))),
    "Markov chain" = quote(nonprivate_chain(X, grid, epsilon = 1, m0 = .5, max_points = 2, steps = 5, step_sd = .1,
                                            rng = "R"))
  ))
}

# Calls that work in memory and in databases.
recorded_everywhere <- function() {
  xy <- c("a", "b")
  list(
    "count" = quote(private_count(rows, columns = "inside", epsilon = 1, budget = budget, rng = "R")),
    "count, rho" = quote(private_count(rows, columns = "inside", rho = .5, budget = budget, rng = "R")),
    "histogram of levels" = quote(private_table(rows, c("u", "v"), epsilon = 1, columns = "group", budget = budget,
                                                    rng = "R")),
    "histogram of breaks" = quote(private_histogram(rows, breaks = list(a = c(-1, 0, 1)), rho = 1, columns = "a",
                                                    budget = budget,
                                                    rng = "R")),
    "quantiles" = quote(private_quantile(rows, c(-2, 2), c(.1, .5, .9), epsilon = 5, columns = "a", budget = budget,
                                         rng = "R")),
    "median, rho" = quote(private_quantile(rows, c(-2, 2), .5, rho = 5, columns = "a", bits = 8, budget = budget,
                                           rng = "R")),
    "median with interval" = quote(private_median(rows, c(-2, 2), epsilon = 50, columns = "a", bits = 8,
                                                  interval = 0.5, budget = budget, rng = "R")),
    "median by group" = quote(private_median(rows, c(-2, 2), epsilon = 5, columns = "a", bits = 8,
                                             by = list(group = c("u", "v")), budget = budget, rng = "R")),
    "quartiles by group, rho" = quote(private_quantile(rows, c(-2, 2), 1:3 / 4, rho = 5, columns = "a", bits = 8,
                                                       by = list(group = "u"), budget = budget, rng = "R")),
    "sum" = quote(private_sum(rows, box, epsilon = 1, columns = .(xy), budget = budget, rng = "R")),
    "mean" = quote(private_mean(rows, box, epsilon = 1, columns = .(xy), budget = budget, rng = "R")),
    "mean, rho" = quote(private_mean(rows, box, rho = 1, columns = .(xy), bits = 8, budget = budget, rng = "R")),
    "bounds" = quote(private_bounds(rows, epsilon = 90, columns = .(xy), exponents = c(-4, 4), budget = budget,
                                    rng = "R")),
    "bounds by quantiles" = quote(private_bounds(rows, rho = 90, columns = "a", exponents = c(-4, 4), probs = c(.1, .9),
                                                 budget = budget,
                                                 rng = "R")),
    "covariance" = quote(private_covariance(rows, box, rho = 1, columns = .(xy), budget = budget, rng = "R")),
    "covariance by group" = quote(private_covariance(rows, box, rho = 100, columns = .(xy), by = list(group = "v"),
                                                     rounds = 2, budget = budget, rng = "R")),
    "covariance, epsilon and delta" = quote(private_covariance(rows, box, epsilon = 2, delta = 1e-6, columns = .(xy),
                                                               rounds = 2,
                                                               budget = budget_with_delta, rng = "R")),
    "mixture" = quote(private_mixture(rows, box, 2, rho = 2, columns = .(xy), rounds = 4, budget = budget, rng = "R")),
    "mixture, hard, box" = quote(private_mixture(rows, box, 2, rho = 2, columns = .(xy), rounds = 4, features = "box",
                                                 assignment = "hard", budget = budget, rng = "R")),
    "k-means by Lloyd" = quote(private_kmeans(rows, box, 2, rho = 2, columns = .(xy), method = "lloyd",
                                              budget = budget, rng = "R"))
  ) |> lapply(function(call) do.call(bquote, list(call)))
}

# Calls that are refused, before and after something could have been spent. Each records its cost.
recorded_failures <- function() {
  list(
    "budget too small" = quote(private_mean(X, box, epsilon = 1e3, budget = budget, rng = "R")),
    "budget of edges for rows" = quote(private_count(rows$inside, epsilon = 1, budget = budget_of_edges, rng = "R")),
    "budget of rows for edges" = quote(private_graph(edges, epsilon = 1, n = 9, budget = budget, rng = "R")),
    "epsilon and rho" = quote(private_sum(X, box, epsilon = 1, rho = 1, budget = budget, rng = "R")),
    "neither" = quote(private_sum(X, box, budget = budget, rng = "R")),
    "negative epsilon" = quote(private_count(rows$inside, epsilon = -1, budget = budget, rng = "R")),
    "delta without epsilon" = quote(private_mixture(X, box, 2, delta = 1e-6, budget = budget, rng = "R")),
    "delta missing" = quote(private_mixture(X, box, 2, epsilon = 1, budget = budget, rng = "R")),
    "landmarks of another relation" = quote(private_diagram(X, landmarks_of_another_relation(landmarks), epsilon = 2,
                                                            m0 = .2,
                                                            max_points = 2, budget = budget, rng = "R")),
    "missing value: count" = quote(private_count(c(TRUE, NA), epsilon = 1, budget = budget, rng = "R")),
    "missing value: histogram" = quote(private_table(c("u", NA), c("u", "v"), epsilon = 1, budget = budget,
                                                         rng = "R")),
    "missing value: quantile" = quote(private_quantile(c(1, NA), c(0, 1), .5, epsilon = 1, budget = budget, rng = "R")),
    "missing value: sum" = quote(private_sum(cbind(c(1, NA), 1), box, epsilon = 1, budget = budget, rng = "R")),
    "missing value: mean" = quote(private_mean(cbind(c(1, NA), 1), box, epsilon = 1, budget = budget, rng = "R")),
    "missing value: bounds" = quote(private_bounds(c(1, NA), epsilon = 1, budget = budget, rng = "R")),
    "missing value: bounds by quantiles" =
      quote(private_bounds(c(1, NA), epsilon = 1, probs = c(.1, .9), budget = budget, rng = "R")),
    "missing value: covariance" =
      quote(private_covariance(cbind(c(1, NA), 1), box, rho = 1, budget = budget, rng = "R")),
    "missing value: mixture" =
      quote(private_mixture(cbind(c(1, NA, 1), 1), box, 2, rho = 1, budget = budget, rng = "R")),
    "missing value: k-means by Lloyd" =
      quote(private_kmeans(cbind(c(1, NA, 1), 1), box, 2, rho = 1, budget = budget, rng = "R")),
    "missing value: k-means by a tree" = quote(private_kmeans(cbind(c(1, NA, 1), 1), box, 2, rho = 1, method = "tree",
                                                              budget = budget,
                                                              rng = "R")),
    "missing value: diagram" =
      quote(private_diagram(cbind(c(1, NA), 1), grid, epsilon = 1, m0 = .5, budget = budget, rng = "R")),
    "missing value: Frechet mean" = quote(private_frechet_mean(rbind(c(0, 0, 1), NA), manifold_sphere(2), c(0, 0, 1),
                                                               .7, epsilon = 1,
                                                               budget = budget, rng = "R")),
    "missing value: graph" = quote(private_graph(data.frame(1:2, c(2, NA)), epsilon = 1, n = 9,
                                                 budget = budget_of_edges, rng = "R")),
    "missing value: table" = quote(private_synthesis(rbind(rows, NA), recorded_schema(), epsilon = 1, budget = budget,
                                                     rng = "R")),
    "missing value: table, AIM" = quote(private_synthesis(rbind(rows, NA), recorded_schema(), rho = 1, method = "aim",
                                                          budget = budget,
                                                          rng = "R")),
    "missing value: table, DP2-Pub" = quote(private_synthesis(rbind(rows, NA), recorded_schema(), epsilon = 1,
                                                              method = "dp2pub",
                                                              budget = budget, rng = "R")),
    "no such column" = quote(private_mean(rows, box, epsilon = 1, columns = c("a", "none"), budget = budget,
                                          rng = "R")),
    "no such argument" = quote(private_mean(X, box, epsilno = 1, budget = budget, rng = "R")),
    "no rows: mean" = quote(private_mean(X[0, ], box, epsilon = 1, budget = budget, rng = "R")),
    "no rows: quantile" = quote(private_quantile(double(), c(0, 1), .5, epsilon = 1, budget = budget, rng = "R")),
    "no rows: diagram" = quote(private_diagram(X[0, ], grid, epsilon = 1, m0 = .5, budget = budget, rng = "R")),
    "no rows: table" = quote(private_synthesis(rows[0, ], recorded_schema(), epsilon = 1, budget = budget, rng = "R")),
    "box of another dimension" = quote(private_sum(X, domain_box(0, 1), epsilon = 1, budget = budget, rng = "R")),
    "not rows" = quote(private_mean("a", box, epsilon = 1, budget = budget, rng = "R"))
  )
}

# Finds landmarks by a private model of the same rows. The diagram's guarantee includes the model's cost.
found_landmarks <- function(X, box, budget) {
  landmarks_from(private_mixture(X, box, 2, rho = 5, budget = budget, rng = "R"), 6, metric = "euclidean", box = box)
}

# Makes places that were released under a neighbor relation incompatible with the diagram's. This is an error that costs
# nothing.
landmarks_of_another_relation <- function(landmarks) {
  attach_guarantee(landmarks, privacy_declare(epsilon = 1, relation = "add_remove"))
}

recording_frame <- function(rows) {
  plain <- recorded_rows()
  box <- domain_box(c(-2, -2), c(2, 2))
  list(
    rows = rows, X = as.matrix(plain[c("a", "b")]), box = box, grid = domain_grid(box, by = 1),
    landmarks = domain_landmarks(circle_points(6), box = box),
    tensors = lapply(1:8, function(i) diag(c(1 + i / 20, 1 / (1 + i / 20)))),
    poles = cbind(sin(1:8 / 9), 0, cos(1:8 / 9)),
    edges = data.frame(from = c(1, 2, 3, 5), to = c(2, 3, 1, 9)), budget = privacy_budget(rho = 1e4),
    budget_with_delta = privacy_budget(epsilon = 100, delta = .1),
    budget_of_edges = privacy_budget(epsilon = 100, relation = "edge")
  )
}

# Records the results of one call, as lines of text.
record_call <- function(call, rows = recorded_rows()) {
  frame <- recording_frame(rows)
  set.seed(20, "Mersenne-Twister", "Inversion", "Rejection")
  value <- tryCatch(eval(call, frame, parent.env(environment())), error = identity)
  stream <- get(".Random.seed", globalenv())
  spent <- frame[intersect(all.vars(call), c("budget", "budget_with_delta", "budget_of_edges"))]
  gone <- if (inherits(value, "error")) c(paste("error", class(value)[1]), conditionMessage(value))
  c(gone, if (is.null(gone)) c(paste("value", digest_lines(exact_lines(value))),
                               paste("guarantee", digest_lines(exact_lines(privacy_of(value)))),
                               printed_lines(value)),
    unlist(lapply(spent, printed_lines), use.names = FALSE), paste("stream", digest_lines(deparse(stream))))
}

privacy_of <- function(value) if (is.list(value) && is.null(attr(value, "class"))) NULL else privacy(value)

printed_lines <- function(value) utils::capture.output(print(value))

# Writes every bit of an object, except functions (a metric), whose bodies differ if lines are counted.
exact_lines <- function(value) {
  value <- without_parent(without_decoder(value))
  plain <- rapply(list(if (holds_function(value)) without_bodies(value) else value), unclass, how = "replace")
  deparse(plain, control = c("keepNA", "keepInteger", "niceNames", "showAttributes", "hexNumeric"))
}

# Drops the class that all results share.
without_parent <- function(x) {
  if (is.function(x) || is.language(x) || is.environment(x)) return(x)
  marks <- attributes(x)
  if (is.list(x)) {
    if (is.data.frame(x)) marks$row.names <- .row_names_info(x, 0L) # as short as they are
    x <- lapply(unclass(x), without_parent)
    attributes(x) <- marks
  }
  for (name in setdiff(names(marks), c("names", "row.names"))) attr(x, name) <- without_parent(marks[[name]])
  if (!is.null(marks$class)) attr(x, "class") <- setdiff(marks$class, "dptda_result")
  x
}

# Drops the decoder of a plane. Its steps amplify the last bits of LAPACK, which differ between versions.
without_decoder <- function(value) {
  if (!inherits(value, "dptda_synthesis") || !identical(value$method, "topology")) return(value)
  value <- unclass(value)
  attr(value, "released") <- NULL
  value$model$decoder$columns <- NULL
  value
}

holds_function <- function(x) {
  is.function(x) || !is.null(attributes(x)) && any(vapply(attributes(x), holds_function, NA)) ||
    is.list(x) && any(vapply(unclass(x), holds_function, NA))
}

without_bodies <- function(x) {
  if (is.function(x)) return(paste("function of", paste(names(formals(x)), collapse = ", ")))
  if (is.null(attributes(x)) && !is.list(x)) return(x)
  marks <- attributes(x)
  if (is.list(x)) x <- lapply(unclass(x), without_bodies)
  attributes(x) <- lapply(marks, without_bodies)
  x
}

digest_lines <- function(lines) {
  file <- tempfile()
  on.exit(unlink(file))
  writeLines(lines, file)
  unname(tools::md5sum(file))
}

# All recordings, named by their calls. The failure in SQLite is a missing value in a column that is read late.
all_recordings <- function() {
  local_recording_options()
  found <- lapply(c(recorded_releases(), recorded_failures()), record_call)
  in_database <- function(calls, data) lapply(calls, function(call) record_call(call, recorded_table(data)))
  holes <- recorded_rows()
  holes$a[60] <- NA
  holes$inside[60] <- NA
  missing <- recorded_everywhere()
  database <- c(in_database(recorded_everywhere(), recorded_rows()),
                stats::setNames(in_database(missing, holes), paste("missing value:", names(missing))))
  examples <- lapply(mechanism_examples(), record_example)
  c(found, stats::setNames(database, paste("SQLite:", names(database))),
    stats::setNames(examples, paste("example:", names(examples))))
}

# Records the guarantee, the cost, and two draws of each example of a mechanism. All are digests, because the calls
# above record readable text.
record_example <- function(example) {
  set.seed(20, "Mersenne-Twister", "Inversion", "Rejection")
  drawn <- tryCatch(simulate(example$mechanism, 2, x = example$x), error = identity)
  if (inherits(drawn, "error")) return(c("error", conditionMessage(drawn)))
  kept <- list(draws = lapply(1:2, function(i) without_decoder(drawn[[i]])), guarantee = example$mechanism$guarantee,
               price = recorded_price(example$mechanism), stream = deparse(get(".Random.seed", globalenv())))
  vapply(names(kept), function(part) paste(part, digest_lines(exact_lines(kept[[part]]))), "", USE.NAMES = FALSE)
}

# Records the numbers of a price, without its text (privacy-weak.R).
recorded_price <- function(mechanism) {
  price <- privacy_price(mechanism)
  structure(unclass(price)[c("guarantee", "noise", "ledger")], class = class(price))
}

# Formats recordings as one readable file: the name of each call on a line, followed by its results.
recordings_as_text <- function(recordings) {
  unlist(Map(function(name, lines) c(paste("##", name), lines, ""), names(recordings), recordings), use.names = FALSE)
}

recordings_from_text <- function(lines) {
  heads <- startsWith(lines, "## ")
  parts <- split(lines[!heads], cumsum(heads)[!heads])
  stats::setNames(lapply(parts, function(part) part[-length(part)]), substring(lines[heads], 4))
}

local_recording_options <- function(env = parent.frame()) {
  withr::local_options(list(digits = 7, width = 80, scipen = 0, OutDec = ".", dptda.threads = 1, dptda.budget = NULL,
                            cli.unicode = FALSE), .local_envir = env)
  withr::local_preserve_seed(env)
}
