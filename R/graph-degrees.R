#' Private degrees, edge count, and edges between groups of a graph
#'
#' Releases the sorted degree sequence and the number of edges of a graph under edge-level differential privacy. With
#' public `groups` of vertices, it also releases the number of edges within and between groups. A trusted curator must
#' hold the graph. At the same `epsilon`, results are far more accurate than with [private_graph()], which needs no
#' trusted curator.
#'
#' @details
#' `vignette("graphs", package = "dptda")` shows which question needs which of the two releases, and how accurate both
#' are.
#'
#' # Estimation of degrees
#' Noise is added to each sorted degree. `degrees` is the least-squares fit to these numbers: the nearest increasing
#' sequence of numbers from 0 to n - 1 whose sum is twice the released number of edges. If many vertices have about the
#' same degree, the fit averages most of the noise away (Hay et al. 2009).
#'
#' `round(x$degrees)` returns integers with the same guarantee. A graph with exactly these degrees may not exist. The
#' release does not contain the degree of any particular vertex.
#'
#' @param graph An undirected graph: an igraph, a numeric or logical square matrix, a matrix of package Matrix, or a
#'   data frame with two columns, the ends of the edges ([graph_input]).
#' @inheritParams private_release
#' @inheritParams private_graph
#' @param n An integer from 0 to 10 million: the public number of vertices, which are then 1 to `n`. Supply `n` or
#'   `vertices`. For an unnamed base R matrix both may be omitted. Its size is then treated as public.
#' @param groups `NULL`, or a factor or vector of strings or numbers without missing values (public): the group of each
#'   vertex, in the order of the vertices. If `groups` has names, they are matched to `vertices`. The groups are the
#'   levels of a factor, otherwise the sorted values; at most 1,000.
#' @param budget `NULL` or a [privacy_budget()] for edges, `privacy_budget(relation = "edge")`, that is charged for the
#'   release.
#'
#' @return An object of class `dptda_private_degrees`, a list:
#'
#' * `n`: the number of vertices.
#' * `degrees`: increasing numbers from 0 to `n` - 1, usually not integers.
#' * `noisy`: integers, the sorted degrees with noise as they were drawn.
#' * `edges`: an integer, the number of edges with noise. It may be negative.
#' * `groups`: `NULL`, or a symmetric matrix named by the groups. It has the number of edges within each group (the
#'   diagonal) and between each two of them. Its entries are integers with noise of their own, so they may be negative
#'   and do not add up to `edges`.
#' * `noise`: a list of `kind`, `scale`, and `step`, the noise of each integer.
#'
#' For intervals and `plot()`, see [confint()][confint.dptda_private_degrees].
#'
#' @section Privacy:
#' Unit: one edge. Neighbors differ by adding or removing one edge. The vertices and their groups are public, and must
#' not come from the edges ([graph_input]).
#'
#' Sensitivity: one edge changes two of the sorted degrees by 1, the number of edges by 1, and the count of one pair of
#' groups by 1. For all numbers together, the sensitivity is 3 in the l1 norm and sqrt(3) in the l2 norm. With `groups`,
#' it is 4 and 2. All numbers get noise of the same scale.
#'
#' Guarantee: exact `epsilon`-, (`epsilon`, `delta`)-, `rho`-zero-concentrated, or `mu`-Gaussian differential privacy.
#' Noise is drawn and added in integers, and its scale is rounded up. The least-squares fit uses only released numbers.
#'
#' Groups of edges: for k edges the guarantee weakens to k `epsilon`, k `mu`, or k^2 `rho`, and for all edges of a
#' vertex to (n - 1) `epsilon` ([privacy_group()]). The presence of a person in the data, and a person's having many
#' edges, are therefore not protected.
#'
#' Not protected: errors about missing values and the like, which are for the curator and occur before anything is drawn
#' or spent. Running time is not protected either, unless `options(dptda.release_time = )` is set ([dptda-package]).
#' What these terms mean: `vignette("privacy-model", package = "dptda")`.
#'
#' @section Implementation:
#' One pass over the edges, one draw for each number (as for [private_count()]), pooling of adjacent violators, and one
#' shift that makes the sum right. The cost is linear in `n`, about 1 us per vertex. Proof: `system.file("proofs",
#' "graph-degrees.md", package = "dptda")`.
#'
#' @references
#' Hay, M., Li, C., Miklau, G. and Jensen, D. (2009). Accurate estimation of the degree distribution of private
#' networks. *IEEE International Conference on Data Mining*, 169-178.
#'
#' Karwa, V. and Slavkovic, A. (2016). Inference using noisy degrees: differentially private beta-model and synthetic
#' graphs. *Annals of Statistics* 44, 87-112.
#' @seealso [private_graph()] without a trusted curator, and for shapes and clusters.
#' @examples
#' # two groups of 50: 30% of the pairs in a group are edges
#' groups <- rep(c("a", "b"), each = 50)
#' blocks <- graph_sbm(c(50, 50), matrix(c(0.3, 0.02, 0.02, 0.3), 2))
#' release <- private_degrees(simulate(blocks), epsilon = 1, n = 100,
#'                            groups = groups)
#' release
#' confint(release)
#' plot(release)
#' privacy_price(private_degrees(unseen(1000), epsilon = 1))
#' @export
private_degrees <- function(graph, epsilon = NULL, rho = NULL, ..., delta = NULL, mu = NULL, n = NULL, vertices = NULL,
                            groups = NULL, budget = NULL, rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(graph)) stop_missing("graph")
  # refuses bad arguments before the graph is read
  cost <- check_cost(epsilon, rho, delta, mu)
  make <- function(units, read) {
    n <- check_degree_vertices(units)
    degrees_mechanism(n, cost, read$vertices, check_vertex_groups(groups, n, read$vertices))
  }
  release_graph(graph, n, vertices, budget, rng, make)
}

# Each vertex needs a number and a step of least squares: too many are refused by public numbers, before memory ends.
check_degree_vertices <- function(n) {
  if (n <= 1e7) return(n)
  stop_dptda("size", "Degrees can be released for at most 10 million vertices, not for ", format_count(n), ".")
}

# NULL, or a list of `levels`, strings, and `code`, one for each vertex.
check_vertex_groups <- function(groups, n, vertices, arg = deparse1(substitute(groups))) {
  force(arg)
  if (is.null(groups)) return(NULL)
  if (!is.null(dim(groups)) || !value_type(groups) %in% c("number", "text")) {
    stop_argument(arg, "must be NULL, or a factor or vector of strings or numbers with the group of each vertex, not ",
                  describe(groups), ".")
  }
  named <- names(groups)
  if (length(groups) != n) {
    stop_argument(arg, "must have ", format_count(n), " elements, one for each vertex, not ",
                  format_count(length(groups)), ".")
  }
  groups <- coded_groups(unname(groups))
  if (anyNA(groups$code) || anyNA(groups$levels)) stop_argument(arg, "must not contain missing values.")
  if (!length(groups$levels) || length(groups$levels) > 1000) {
    stop_argument(arg, "must have from 1 to 1,000 levels, not ", format_count(length(groups$levels)), ".")
  }
  if (!is.null(named)) groups$code <- groups$code[group_places(named, vertices, arg)]
  groups
}

coded_groups <- function(groups) {
  if (is.factor(groups)) return(list(levels = levels(groups), code = factor_codes(groups)))
  if (is.character(groups)) groups <- canonical_strings(groups)
  levels <- sort(unique(groups), method = "radix")
  list(levels = as.vector(vertex_labels(levels)), code = match(groups, levels))
}

# The position of each vertex's group, by name.
group_places <- function(named, vertices, arg) {
  if (is.null(vertices)) {
    stop_argument(arg, "must not have names, because `vertices` to match them with is not given.")
  }
  place <- match(vertices, canonical_strings(named))
  if (anyNA(place)) stop_argument(arg, "must have the same names as `vertices`, each of them once.")
  place
}

# ---- the mechanism -------------------------------------------------------------------------------------------------

# All arguments are checked. One noise scale for all numbers: each gets a share of the budget in proportion to the
# change that one edge makes.
degrees_mechanism <- function(n, cost, vertices, groups) {
  moved <- if (is.null(groups)) 3 else 4
  noise <- plan_noise(cost, l1 = moved, l2_squared = moved)
  guarantee <- new_guarantee(
    cost$measure, sensitivity = if (noise$kind == "laplace") moved else sqrt(moved),
    mechanism = paste(noise_words(noise), "on sorted degrees and counts of edges"),
    public = c(list(n = n, scale = noise$scale), if (!is.null(groups)) list(groups = groups$levels)),
    sampler = "exact", step = "private_degrees", spent = cost$known, unit = "one edge", relation = relation_edge
  )
  plan <- public_plan(c("private_degrees", "additive"), n = n, vertices = vertices, groups = groups, noise = noise)
  new_mechanism(plan, guarantee)
}

rows_for.private_degrees <- function(plan, x) {
  read_graph(x, if (is.null(plan$vertices)) plan$n, plan$vertices)
}

# The sorted degrees, the number of edges and the counts between groups, in one vector.
statistic_of.private_degrees <- function(plan, rows) {
  edges <- true_pairs(rows, list(packed = FALSE))
  degree <- tabulate(edges$from, plan$n) + tabulate(edges$to, plan$n)
  as.double(c(sort(degree, method = "radix"), length(edges$from), group_counts(edges, plan$groups)))
}

# The upper triangle of the matrix of group counts, column by column.
group_counts <- function(edges, groups) {
  if (is.null(groups)) return(NULL)
  ends <- list(groups$code[edges$from], groups$code[edges$to])
  high <- pmax(ends[[1]], ends[[2]])
  tabulate(high * (high - 1) / 2 + pmin(ends[[1]], ends[[2]]), triangle(length(groups$levels)))
}

# The number of unordered pairs of `k`, including each with itself.
triangle <- function(k) k * (k + 1) / 2

noise_target.private_degrees <- function(plan) {
  c("each sorted degree, before the fit", "the number of edges",
    if (!is.null(plan$groups)) "each count between two groups")
}

# Warns if noise is larger than the error of half of all pairs, a guess that needs no graph.
weakness_of.private_degrees <- function(plan) {
  if (plan$n < 2) return(NULL)
  sd <- noise_deviation(plan$noise$kind, plan$noise$scale)
  pairs <- sd / middle_share
  if (plan$n * (plan$n - 1) / 2 >= pairs) return(NULL)
  least <- ceiling((1 + sqrt(1 + 8 * pairs)) / 2)
  weak("noise", "the noise on the number of edges has a standard deviation of ", format(sd, digits = 2),
       ": guessing half of all pairs, without data, is as accurate",
       remedy = paste0("Use about ", format_count(least), " vertices, or a larger budget."))
}

result_of.private_degrees <- function(plan, drawn) {
  n <- plan$n
  noisy <- drawn[seq_len(n)]
  edges <- drawn[n + 1]
  fields <- list(n = n, degrees = fit_degrees(noisy, edges), noisy = noisy, edges = edges,
                 groups = if (!is.null(plan$groups)) group_matrix(drawn[-seq_len(n + 1)], plan$groups$levels),
                 noise = plan$noise)
  new_result(fields, "dptda_private_degrees")
}

group_matrix <- function(counts, levels) {
  made <- matrix_of_triangle(counts, length(levels))
  dimnames(made) <- list(levels, levels)
  made
}

# ---- least squares -------------------------------------------------------------------------------------------------

# The increasing numbers in [0, n - 1] nearest to the noisy degrees, with twice the number of edges (cut to its possible
# range) as their sum: the unconstrained fit, shifted by one number and then clamped.
fit_degrees <- function(noisy, edges) {
  n <- length(noisy)
  if (n == 0) return(double())
  blocks <- pool_violators(noisy)
  total <- min(max(2 * edges, 0), n * (n - 1))
  shifted <- function(by) pmin(pmax(blocks$mean + by, 0), n - 1)
  sum_at <- function(by) sum(blocks$size * shifted(by))
  low <- -max(blocks$mean)
  high <- n - 1 - min(blocks$mean)
  for (i in 1:100) {
    middle <- low + (high - low) / 2
    if (middle <= low || middle >= high) break
    if (sum_at(middle) < total) low <- middle else high <- middle
  }
  rep(shifted(high), blocks$size)
}

# Blocks of equal values in the increasing sequence nearest to `y`: the mean and the size of each.
pool_violators <- function(y) {
  mean <- size <- double(length(y))
  top <- 0
  for (value in y) {
    count <- 1
    while (top > 0 && mean[top] >= value) {
      value <- (size[top] * mean[top] + count * value) / (size[top] + count)
      count <- size[top] + count
      top <- top - 1
    }
    top <- top + 1
    mean[top] <- value
    size[top] <- count
  }
  list(mean = mean[seq_len(top)], size = size[seq_len(top)])
}

# ---- methods -------------------------------------------------------------------------------------------------------

are_degrees <- function(x, n) {
  is_numbers(x) && length(x) == n && !is.unsorted(x) && (n == 0 || x[1] >= 0 && x[n] <= n - 1)
}

define_class(
  "dptda_private_degrees", "private_degrees()", .bare = is.list, n = function(x) is_vertex_count(x),
  degrees = is_numbers, noisy = is_numbers, edges = is_one_number, groups = is_null_or(is.matrix),
  noise = function(x) is_noise(x),
  .valid = function(x) {
    x <- unclass(x)
    are_degrees(x$degrees, x$n) && length(x$noisy) == x$n &&
      (is.null(x$groups) || is_numbers(c(x$groups)) && isSymmetric(x$groups) && !is.null(rownames(x$groups)))
  }
)

#' @rdname confint.dptda_private_degrees
#' @order 2
#' @export
print.dptda_private_degrees <- function(x, ...) {
  check_valid(x, "dptda_private_degrees")
  around <- function(value) paste0(format_count(value), " +- ", format(degrees_half_width(x), digits = 3), " (95%)")
  print_release(x, {
    cat(count_vertices(x$n), "; edges: ", around(x$edges), "\n", sep = "")
    if (x$n > 0) {
      ranks <- stats::quantile(x$degrees, c(0, 0.25, 0.5, 0.75, 1), names = FALSE)
      cat("degrees: ", paste(c("minimum", "quartile", "median", "quartile", "maximum"), format_degree(ranks),
                             collapse = ", "), "\n", sep = "")
    }
    if (!is.null(x$groups)) {
      cat("edges within and between groups, each +- ", format(degrees_half_width(x), digits = 3), " (95%)\n", sep = "")
      shown <- seq_len(min(8, nrow(x$groups)))
      print(x$groups[shown, shown, drop = FALSE])
      print_rest(nrow(x$groups) - length(shown))
    }
    cat(many_edges_words(x$n, privacy(x)$measure))
  })
}

# Epsilon with delta gets no sentence, because its formula is long: see privacy_group().
many_edges_words <- function(n, measure) {
  for (name in c("epsilon", "mu")) {
    if (identical(names(measure), name)) return(paste0(vertex_words(n, name), "\n"))
  }
  if (!identical(names(measure), "rho")) return(NULL)
  paste0("group privacy: for k edges the guarantee weakens to k^2 * rho,\n  for all edges of one vertex to ",
         format_count(max(n - 1, 0)), "^2 * rho\n")
}

format_degree <- function(x) trimws(formatC(x, format = "f", digits = 1, big.mark = ",", decimal.mark = "."))

degrees_half_width <- function(x, level = 0.95) noise_half_width(x$noise$kind, x$noise$scale, level) * x$noise$step

#' Intervals and plots of private degrees
#'
#' Methods for [private_degrees()]. `confint()` computes an interval for each number of edges, which accounts for the
#' noise with probability `level`. The methods use the release only, so they cost no further privacy.
#'
#' @param x,object An object of class `dptda_private_degrees`.
#' @param parm Not used: all numbers of edges get an interval.
#' @param level One number in (0, 1): the probability that the interval covers the noise.
#' @param of `"data"`. A graph has no interval for a population, because its edges are not independent draws.
#' @param ... Not used. For `plot()`, further graphical parameters.
#' @return
#' * `confint()`: a matrix with one row per number of edges, and the lower and upper limits as columns.
#' * `as.data.frame()`: one row per vertex, with `rank`, `degree`, and `noisy`.
#' * `print()` and `plot()`: `x`, invisibly. `plot()` draws the number of vertices with at least each degree.
#' @seealso [private_degrees()]
#' @examples
#' graph <- simulate(graph_sbm(100, 0.3))
#' release <- private_degrees(graph, epsilon = 1, n = 100)
#' confint(release)
#' head(as.data.frame(release))
#' plot(release)
#' @order 1
#' @export
confint.dptda_private_degrees <- function(object, parm, level = 0.95, of = c("data", "population"), ...) {
  check_no_dots(...)
  check_valid(object, "dptda_private_degrees")
  level <- check_number(level, 0, 1, open_lower = TRUE, open_upper = TRUE)
  of <- check_target(of)
  if (of == "population") refuse_population("because the edges of a graph are not independent draws")
  counts <- c(edges = object$edges, named_counts(object$groups))
  half_width <- degrees_half_width(object, level)
  finish_ends(cbind(counts - half_width, counts + half_width), names(counts), level, of)
}

named_counts <- function(groups) {
  if (is.null(groups)) return(NULL)
  upper <- upper.tri(groups, diag = TRUE)
  names <- outer(rownames(groups), colnames(groups), paste, sep = ", ")
  structure(groups[upper], names = names[upper])
}

#' @exportS3Method
result_table.dptda_private_degrees <- function(x) data.frame(rank = seq_len(x$n), degree = x$degrees, noisy = x$noisy)

#' @rdname confint.dptda_private_degrees
#' @param main,xlab,ylab Strings: the titles. By default, `main` names the release. `""` omits it.
#' @param col The color of the line.
#' @order 3
#' @export
plot.dptda_private_degrees <- function(x, main = NULL, xlab = "degree", ylab = "vertices with at least this degree",
                                       col = "#0072B2", ...) {
  check_valid(x, "dptda_private_degrees")
  if (x$n == 0) stop_argument("x", "must have at least one vertex to be drawn.")
  saved <- open_picture(range(x$degrees), c(1, x$n), xlab, ylab, ...)
  on.exit(graphics::par(saved))
  graphics::lines(rev(x$degrees), seq_len(x$n), type = "s", col = col)
  fit_title(picture_title(x, main))
  invisible(x)
}

#' @exportS3Method ggplot2::autoplot
autoplot.dptda_private_degrees <- function(object, ...) {
  check_no_dots(...)
  check_result(object, "object")
  if (object$n == 0) stop_argument("object", "must have at least one vertex to be drawn.")
  # in the order that geom_step() follows: vertices of the same degree are one step down
  frame <- data.frame(degree = object$degrees, vertices = rev(seq_len(object$n)))
  ggplot2::ggplot(frame, ggplot2::aes(x = .data$degree, y = .data$vertices)) +
    ggplot2::geom_step(color = picture_colors[1], direction = "vh") +
    picture_labels(object, x = "degree", y = "vertices with at least this degree") + picture_theme()
}

# Neighbors with one edge more: changes two degrees, the number of edges, and one pair of groups.
example_of.private_degrees <- function(plan) {
  path <- rbind(c(0, 1, 0), c(1, 0, 0), c(0, 0, 0))
  longer <- rbind(c(0, 1, 1), c(1, 0, 0), c(1, 0, 0))
  degrees <- function(note, settings) release_example("degrees", note, path, longer, settings, 3)
  list(degrees("", list(epsilon = 1)), degrees("rho", list(rho = 0.5)), degrees("mu", list(mu = 1)),
       degrees("delta", list(epsilon = 1, delta = 1e-6)),
       degrees("groups", list(epsilon = 1, groups = c("a", "a", "b"))))
}
