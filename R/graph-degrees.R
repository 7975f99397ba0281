#' Private degrees, number of edges and edges between groups of a graph
#'
#' Releases the sorted degree sequence of a graph, how many edges it has and, for public groups of vertices, how many
#' there are between each two groups, under edge-level differential privacy. It takes a curator who holds the graph and
#' is trusted with it; for the same `epsilon` much more can be seen than by [private_graph()], which takes none.
#'
#' Which question takes which, and what is to be expected of both: `vignette("graphs", package = "dptda")`.
#'
#' Noise moves the sorted degrees up and down; what is released as `degrees` is the increasing sequence from 0 to n - 1
#' that is nearest to them by least squares and adds up to twice the released number of edges. Where many vertices have
#' about the same degree, that averages most of the noise away (Hay et al. 2009). `round(x$degrees)` are whole
#' numbers, and as private. There may be no graph with exactly these degrees. Which vertex has which is not told.
#'
#' @param groups `NULL`, or a factor or vector of strings or numbers, none missing: the group of each vertex, public. In
#'   the order of the vertices, or, where it has names, by the names that `vertices` gives. The groups are the levels of
#'   a factor, else the values, sorted; at most 1,000.
#' @inheritParams private_graph
#' @inheritParams private_release
#' @param n One whole number of at least 0, at most 10 million: how many vertices there are, which then are 1 to `n`.
#'   This or `vertices` must be given, but for a matrix of R without names: its size is taken for public as it is.
#' @param budget `NULL` or a [privacy_budget()] for edges, `privacy_budget(relation = "edge")`, that is charged for the
#'   release.
#'
#' @return An object of class `dptda_private_degrees`, a list of `n`, how many vertices there are; `degrees`, increasing
#'   numbers from 0 to `n` - 1, in general not whole; `noisy`, the sorted degrees with noise as they were drawn, whole
#'   numbers; `edges`, the number of edges, a whole number that may be below 0; `groups`, `NULL` or a symmetric
#'   matrix, named by the groups, of how many edges are within each (the diagonal) and between each two of them, whole
#'   numbers that may be below 0 and do not add up to `edges`, since each has noise of its own; and `noise`, a list of
#'   `kind`, `scale` and `step`, the noise of each whole number.
#'
#'   `confint()` gives the ends between which the noise puts the numbers of edges, a row for each, with probability
#'   `level`; `as.data.frame()` has one row for each vertex, with `rank`, `degree` and `noisy`. `plot()` draws how many
#'   vertices have at least which degree, and returns its argument invisibly.
#'
#' @section Privacy:
#' Unit: one edge. Relation: add or remove one edge, the vertices and their groups are public; vertices, and graphs
#' that are accepted, as for [private_graph()]. One edge changes two of the sorted degrees by 1, the number of edges by
#' 1 and the count of one pair of groups by 1: the sensitivity of all of them together is 3 in the l1 distance and
#' sqrt(3) in the l2 distance, with groups 4 and 2. All get noise of one scale. Guarantee: `epsilon`-differential
#' privacy, (`epsilon`, `delta`)-differential privacy or `rho`-zero-concentrated differential privacy, exactly: the
#' noise is drawn and added in integers, and its scale is rounded up; least squares are computed of what was released.
#' k edges together are protected by k `epsilon` (or k^2 `rho`), and all edges of a vertex by (n - 1) `epsilon`
#' ([privacy_group()]): who was in the data at all, and who knows many, is not what this protects. Missing values and
#' the like are an error before anything is drawn or spent, for the curator. Running time is not protected, but by the
#' option `dptda.release_time` ([dptda-package]). What these words promise: `vignette("privacy-model", package =
#' "dptda")`.
#'
#' @section Implementation:
#' One pass over the edges, one draw for each number ([rdiscrete_laplace()]), pooling of adjacent violators, and one
#' shift that makes the sum right: linear in `n`, about 1 us a vertex. The proof is in
#' `system.file("proofs", "graph-degrees.md", package = "dptda")`.
#'
#' @references
#' Hay, M., Li, C., Miklau, G. and Jensen, D. (2009). Accurate estimation of the degree distribution of private
#' networks. *IEEE International Conference on Data Mining*, 169-178.
#'
#' Karwa, V. and Slavkovic, A. (2016). Inference using noisy degrees: differentially private beta-model and synthetic
#' graphs. *Annals of Statistics* 44, 87-112.
#' @seealso [private_graph()], where nobody is trusted, and for shapes and clusters.
#' @examples
#' # two groups of 50; 30 percent of the pairs in a group are edges
#' groups <- rep(c("a", "b"), each = 50)
#' blocks <- graph_sbm(c(50, 50), matrix(c(0.3, 0.02, 0.02, 0.3), 2))
#' release <- private_degrees(simulate(blocks), epsilon = 1, n = 100,
#'                            groups = groups)
#' release
#' confint(release)
#' plot(release)
#' privacy_price(private_degrees(unseen(1000), epsilon = 1))
#' @export
private_degrees <- function(graph, epsilon = NULL, rho = NULL, ..., delta = NULL, n = NULL, vertices = NULL,
                            groups = NULL, budget = NULL, rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(graph)) stop_missing("graph")
  # what is wrong with these is said before the graph is read
  cost <- check_cost(epsilon, rho, delta)
  make <- function(units, read) {
    n <- check_degree_vertices(units)
    degrees_mechanism(n, cost, read$vertices, check_vertex_groups(groups, n, read$vertices))
  }
  release_graph(graph, n, vertices, budget, rng, make)
}

# A number, and a step of least squares, for each of them: refused by public numbers, not where memory ends.
check_degree_vertices <- function(n) {
  if (n <= 1e7) return(n)
  stop_dptda("size", "A degree for each of ", format_count(n), " vertices is more than the 10 million that can be had.")
}

# NULL, or a list of `levels`, strings, and `code`, one for each vertex.
check_vertex_groups <- function(groups, n, vertices, arg = deparse1(substitute(groups))) {
  force(arg)
  if (is.null(groups)) return(NULL)
  if (!is.null(dim(groups)) || !value_type(groups) %in% c("number", "text")) {
    stop_argument(arg, "must be NULL, or a factor or a vector of strings or numbers, the group of each vertex, not ",
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

# Where the group of each vertex stands, by name.
group_places <- function(named, vertices, arg) {
  if (is.null(vertices)) {
    stop_argument(arg, "must have no names, which are matched with those of `vertices`, and these are not given.")
  }
  place <- match(vertices, canonical_strings(named))
  if (anyNA(place)) stop_argument(arg, "must have the names that `vertices` has, each of them once.")
  place
}

# ---- the mechanism -------------------------------------------------------------------------------------------------

# Of arguments that are checked. One scale for all numbers: shares of a budget in proportion to what an edge changes.
degrees_mechanism <- function(n, cost, vertices, groups) {
  moved <- if (is.null(groups)) 3 else 4
  noise <- plan_noise(cost, l1 = moved, l2_squared = moved)
  guarantee <- new_guarantee(
    cost$measure, sensitivity = if (noise$kind == "laplace") moved else sqrt(moved),
    mechanism = paste(noise_words(noise), "on sorted degrees and counts of edges"),
    public = c(list(n = n, scale = noise$scale), if (!is.null(groups)) list(groups = groups$levels)),
    sampler = "exact", step = "private_degrees", spent = cost$spent, unit = "one edge", relation = relation_edge
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

# Of the upper triangle of a matrix, column after column.
group_counts <- function(edges, groups) {
  if (is.null(groups)) return(NULL)
  ends <- list(groups$code[edges$from], groups$code[edges$to])
  high <- pmax(ends[[1]], ends[[2]])
  tabulate(high * (high - 1) / 2 + pmin(ends[[1]], ends[[2]]), triangle(length(groups$levels)))
}

# How many pairs there are of `k`, each with itself among them.
triangle <- function(k) k * (k + 1) / 2

noise_target.private_degrees <- function(plan) {
  c("each degree, before they are made to increase", "the number of edges",
    if (!is.null(plan$groups)) "each count between two groups")
}

# Of all pairs: half of them, which needs no graph, is never farther off.
weakness_of.private_degrees <- function(plan) {
  if (plan$n < 2) return(NULL)
  sd <- noise_deviation(plan$noise$kind, plan$noise$scale)
  pairs <- sd / middle_share
  if (plan$n * (plan$n - 1) / 2 >= pairs) return(NULL)
  least <- ceiling((1 + sqrt(1 + 8 * pairs)) / 2)
  weak("noise", "the noise on the number of edges has a standard deviation of ", format(sd, digits = 2),
       ": half of all pairs, a guess without data, is as near",
       remedy = paste0("It takes about ", format_count(least), " vertices, or a larger budget."))
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
  k <- length(levels)
  made <- matrix(0, k, k, dimnames = list(levels, levels))
  made[upper.tri(made, diag = TRUE)] <- counts
  made[lower.tri(made)] <- t(made)[lower.tri(made)]
  made
}

# ---- least squares -------------------------------------------------------------------------------------------------

# The increasing numbers in [0, n - 1] that are nearest to the noisy degrees, and of which the sum is twice the number
# of edges, as far as there may be so many: those without bounds and sum, shifted by one number and then cut.
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

# Blocks of equal values in the increasing sequence nearest to `y`: their means, and how many are in each.
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

#' @rdname private_degrees
#' @param x,object An object of class `dptda_private_degrees`.
#' @export
print.dptda_private_degrees <- function(x, ...) {
  check_valid(x, "dptda_private_degrees")
  around <- function(value) paste0(format_count(value), " +- ", format(degrees_half_width(x), digits = 3), " (95 %)")
  print_release(x, {
    cat(count_vertices(x$n), "; edges: ", around(x$edges), "\n", sep = "")
    if (x$n > 0) {
      ranks <- stats::quantile(x$degrees, c(0, 0.25, 0.5, 0.75, 1), names = FALSE)
      cat("degrees, sorted: ", paste(c("least", "quartile", "median", "quartile", "largest"), format_degree(ranks),
                                    collapse = ", "), "\n", sep = "")
    }
    if (!is.null(x$groups)) {
      cat("edges within and between groups, each +- ", format(degrees_half_width(x), digits = 3), " (95 %)\n", sep = "")
      shown <- seq_len(min(8, nrow(x$groups)))
      print(x$groups[shown, shown, drop = FALSE])
      print_rest(nrow(x$groups) - length(shown))
    }
    cat(many_edges_words(x$n, privacy(x)$measure))
  })
}

# Of an epsilon with a delta there is no short sentence: privacy_group().
many_edges_words <- function(n, measure) {
  if (identical(names(measure), "epsilon")) return(paste0(vertex_words(n), "\n"))
  if (!identical(names(measure), "rho")) return(NULL)
  paste0("k edges together are protected by k^2 rho, a vertex with all of its edges by ",
         format_count(max(n - 1, 0)), "^2 rho\n")
}

format_degree <- function(x) trimws(formatC(x, format = "f", digits = 1, big.mark = ",", decimal.mark = "."))

degrees_half_width <- function(x, level = 0.95) noise_half_width(x$noise$kind, x$noise$scale, level) * x$noise$step

#' @rdname private_degrees
#' @param parm Not used: all numbers of edges get an interval.
#' @param level One number in (0, 1): the probability with which the noise alone stays in the interval.
#' @export
confint.dptda_private_degrees <- function(object, parm, level = 0.95, ...) {
  check_no_dots(...)
  check_valid(object, "dptda_private_degrees")
  level <- check_number(level, 0, 1, open_lower = TRUE, open_upper = TRUE)
  counts <- c(edges = object$edges, named_counts(object$groups))
  half_width <- degrees_half_width(object, level)
  ends <- cbind(counts - half_width, counts + half_width)
  dimnames(ends) <- list(names(counts), paste(format(100 * c(1 - level, 1 + level) / 2, trim = TRUE), "%"))
  ends
}

named_counts <- function(groups) {
  if (is.null(groups)) return(NULL)
  upper <- upper.tri(groups, diag = TRUE)
  names <- outer(rownames(groups), colnames(groups), paste, sep = ", ")
  structure(groups[upper], names = names[upper])
}

#' @exportS3Method
result_table.dptda_private_degrees <- function(x) data.frame(rank = seq_len(x$n), degree = x$degrees, noisy = x$noisy)

#' @rdname private_degrees
#' @param main,xlab,ylab Strings: the titles. By default `main` names the release; `""` is none.
#' @param col The color of the line.
#' @export
plot.dptda_private_degrees <- function(x, main = NULL, xlab = "degree", ylab = "vertices with at least this degree",
                                       col = "#0072B2", ...) {
  check_valid(x, "dptda_private_degrees")
  if (x$n == 0) stop_argument("x", "has no vertex to draw.")
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
  if (object$n == 0) stop_argument("object", "has no vertex to draw.")
  # in the order in which geom_step() goes on: vertices of the same degree are one step down
  frame <- data.frame(degree = object$degrees, vertices = rev(seq_len(object$n)))
  ggplot2::ggplot(frame, ggplot2::aes(x = .data$degree, y = .data$vertices)) +
    ggplot2::geom_step(color = picture_colors[1], direction = "vh") +
    picture_labels(object, x = "degree", y = "vertices with at least this degree") + picture_theme()
}

# An edge more: two degrees, the number of edges and one pair of groups.
example_of.private_degrees <- function(plan) {
  path <- rbind(c(0, 1, 0), c(1, 0, 0), c(0, 0, 0))
  longer <- rbind(c(0, 1, 1), c(1, 0, 0), c(1, 0, 0))
  degrees <- function(note, settings) release_example("degrees", note, path, longer, settings, 3)
  list(degrees("", list(epsilon = 1)), degrees("rho", list(rho = 0.5)),
       degrees("delta", list(epsilon = 1, delta = 1e-6)),
       degrees("groups", list(epsilon = 1, groups = c("a", "a", "b"))))
}
