# Whole tables, published as models from which rows are drawn. Each method is one function
# release_<method>(source, spent, budget, rng, ...), which gives `model`, `steps` and `guarantee`; what of it sees rows stands in
# draw_release(). A model has a class with methods for draw_codes() and model_margin(), and everything in it was released.

#' A private model of a whole table
#'
#' Fits a model to the rows of a table under differential privacy, from which any number of rows can be drawn that look like
#' them. All columns of a public schema are modeled together, as codes; the model sees rows through noisy joint counts of
#' a few columns (or, with `method = "dp2pub"`, flipped codes) and through choices among them.
#'
#' | `method` | model | budget |
#' |---|---|---|
#' | `"privbayes"` | network in which each column depends on a few others, chosen privately, Zhang and others (2017) | `epsilon`, `rho`, or `epsilon` with `delta` |
#' | `"dp2pub"` | codes that are flipped row by row, and flipped back cluster by cluster of such a network, Jiang and others (2023) | `epsilon` |
#' | `"aim"` | graphical model of margins that are chosen and measured in rounds, where the model is worst, McKenna and others (2022) | `rho`, or `epsilon` with `delta` |
#' | `"mst"` | the same of pairs of columns that make a tree, McKenna and others (2021) | `rho`, or `epsilon` with `delta` |
#' | `"margins"` | each column by itself | `epsilon`, `rho`, or `epsilon` with `delta` |
#' | `"topology"` | places in a plane whose persistence diagram is a private one, and a decoder from there, after Alipourjeddi and Miri | `rho`, or `epsilon` with `delta` |
#'
#' `"topology"` brings each row into a plane, the first two principal directions of noisy second moments, and draws a private
#' persistence diagram ([private_diagram()]) and a private mixture ([private_mixture()]) of the rows there. Points drawn from the mixture are moved until
#' their diagram is near the private one, and codes are drawn where they stand, with probabilities that have, over these points, the means
#' that a regression on the plane gives. Everything that sees rows is paid; in the method of the paper the decoder was
#' trained on them without privacy. It keeps what two directions can say. With `decoder = "autoencoder"` a small network,
#' trained on noisy sums of cut gradients, takes the place of the principal directions. It did worse: on Adult (15 columns, `epsilon = 1`,
#' `delta = 1e-6`) margins of two columns were .106 from those of held-out rows, with the linear decoder .081.
#'
#' Settings of `"topology"`, for the argument of this name:
#'
#' | setting | default | meaning |
#' |---|---|---|
#' | `shares` | `c(moments = 0.5, diagram = 0.2, mixture = 0.3)` | parts of the budget; of the decoder `"autoencoder"`, of what its training leaves. With 0 for the diagram there is none, and points stay where the mixture has put them |
#' | `scale` | `NULL` | names of the columns that have one coordinate, and not one for each level; `NULL`: those of numbers, and ordinal ones of more than 50 cells |
#' | `side` | 3 | half the side of the box in the plane, where variances are about one |
#' | `size`, `m0`, `clip`, `max_points` | 32, 0.05, 1, 6 | the diagram: points on a side of its grid, and see [private_diagram()] |
#' | `k0`, `rounds` | 12, 6 | the mixture: see [private_mixture()] |
#' | `cloud` | 800 | how many points are moved |
#' | `steps`, `temperature` | 6000, `c(0.005, 0.0002)` | the annealing that moves them, from the one temperature to the other; with no steps a diagram is paid for that moves nothing |
#' | `decoder` | `"linear"` | or `"autoencoder"`, which takes `epsilon` with `delta` |
#' | `hidden` | 16 | of the autoencoder: numbers in the layers on either side of the plane |
#' | `batch`, `passes` | `NULL`, 5 | rows in a step of its training (`NULL`: 1.2 times the root of their number), and in all steps, as times all rows |
#' | `length`, `learning` | 1, 0.01 | where gradients are cut, and the rate of learning |
#'
#' `model$distance` of the result has the bottleneck distances between the diagram of the points and the private one, before they were moved and after, or
#' `NULL` where there is none. For rows by the hundred the noise of the training of an autoencoder drowns everything: a message of class `dptda_message_noise` says so
#' before anything is paid. Where a budget with `epsilon` and `delta` pays that is not basic, and so counts at one Renyi order, the training has the noise that
#' keeps both at this order too.
#'
#' Tables may have up to 256 columns; no table of all of them is ever made. `"aim"` chooses among all columns, pairs and sets
#' of three. Where these are more than 20,000 (50 columns; of rows in an engine 2,000), or their cells more than 2^26, as many sets of three are drawn as there is
#' room for, whatever the rows; columns and pairs always are candidates. Each round looks at 1,000 candidates drawn from these, beside the single columns. With a hundred columns it may take minutes; a smaller
#' `megabytes` makes it faster. What has too many cells for memory, as pairs of a hundred columns of 400
#' cells, is refused before anything is paid.
#'
#' Of all, `"aim"` came nearest to tables of some ten thousand rows at an `epsilon` of .4 and above. At .1 and below, or for some
#' hundred rows, no method was best on all tables, and `"margins"` was often as near as any (`vignette("tables", package = "dptda")`). Both `"aim"` and `"mst"` take
#' codes of a column that are not told from noise for one class, within which codes do not depend on other columns.
#'
#' `"margins"` keeps nothing of what columns have to do with each other: what any other method must surpass. `"dp2pub"`
#' spends its budget on each row by itself, and is nearly useless below an `epsilon` of about one for each column: for
#' 45,222 rows and nine columns its two-way margins are farther from the true ones, at an `epsilon` of 1, than those of
#' `"margins"`. It is here to be compared with. Other than in the published method a column joins a cluster only while, by a bound of public
#' numbers, something of the distribution of the cluster is left by the flips; without that these margins are farther from the
#' true ones by a factor of two or more, at an `epsilon` of 1 and of 10.
#'
#' Tables of an engine ([table_rows()]) are looked at by all methods, and no row leaves the engine. `"privbayes"`, `"margins"`, `"aim"` and `"mst"`
#' are the same there and in memory. With `"dp2pub"` the joint counts of each cluster come to R, and codes are flipped as
#' counts: which row of one cluster goes with which of another is not known then, and drawn rows take the clusters of their columns independently
#' of each other. What columns of different clusters have in common is lost so; in memory, where a drawn row is a whole flipped one, it is
#' kept as far as the flips leave it. With `"topology"` and its linear decoder the engine computes where each row is in the plane
#' (noise of its moments is up to 1.41 times that in memory where the columns have more than 2^18 cells together: they are then counted
#' in several tables, in which a row of a view that draws numbers at random may have several values);
#' the diagram is that of these places on a grid eight times as fine as its own, which in memory are taken as they are. The
#' decoder `"autoencoder"` needs rows in memory, and is refused before anything is paid.
#'
#' @param data A data frame, or a table of an engine ([table_rows()]), which has the columns of the schema; others are not looked
#'   at. At least one row.
#' @param schema A public schema made by [table_schema()].
#' @param epsilon,rho One positive number, one of the two: `epsilon`, alone or with `delta`, or `rho`, the parameter of
#'   zero-concentrated differential privacy.
#' @param delta `NULL`, or one number in (0, 1): given with `epsilon`. The largest `rho` is spent that is known to keep both,
#'   which takes Gaussian noise.
#' @param method A string: see above.
#' @param theta One positive number, of `"privbayes"` and `"dp2pub"`. A column gets another parent only while the average number of rows in a
#'   cell of their joint counts is at least `theta` times the size of the noise there (the usefulness of Zhang and others 2017), and while all
#'   counts together have at most 2^27 cells. Larger: fewer parents, and less noise.
#' @param score A string, of `"privbayes"` and `"dp2pub"`: how parents are compared. `"distance"`: that of the joint
#'   distribution from the product of its margins; `"information"`: the mutual information.
#' @param degree `NULL`, or one whole number of at least 0, of `"privbayes"` and `"dp2pub"`: how many parents a column has at most. `NULL`: as many as the
#'   number of columns allows without more than 20,000 choices.
#' @param megabytes One positive number, of `"aim"`: how large the tables of its model may become, as doubles. A larger model holds
#'   more that columns have in common, and takes longer.
#' @param topology A named list, of `"topology"`: those of its public settings (see the table below) that are not to be as they are by default.
#' @inheritParams private_release
#' @param object,x An object of class `dptda_synthesis`.
#' @param nsim One whole number of at least 0: how many rows to draw.
#' @param seed One whole number or `NULL`: the seed of the draws ([set.seed()]); the generator is then left as it was found.
#' @param which A string: `"network"`, which columns were looked at together, or `"margins"`, the share of each cell of each column with
#'   lines in which the noise stays with probability 0.95 or about so.
#'
#' @return An object of class `dptda_synthesis`, a list of `schema`, `method`, `n` (the number of rows), `model` and `steps`, a data frame
#'   of what was done: `step`, `columns`, the `scale` of the noise on counts, the `epsilon` of a choice, and its cost in
#'   `epsilon` or `rho`.
#'
#'   `simulate()`: a data frame with `nsim` rows and the columns of the schema: numbers, drawn uniformly within their cell
#'   (whole ones if the schema says so), factors (ordered for ordinal columns), logical values, and `NA` where a missing
#'   value has a cell of its own. It is as private as the model. `summary()`: the `steps`, a data frame. It says when it is printed, as `print()` of
#'   the model does, of which pairs of columns the model holds what they have to do with each other: those that were looked at together
#'   in what was released (with `"topology"`, those that both change with the place in the plane). Two columns of no such pair, and joined by none, are
#'   drawn independently. `print()` and `plot()`: `x`, invisibly.
#'
#' @section Privacy:
#' Unit: one row. Relation: replace one row, the number of rows is public. Guarantee: `epsilon`-differential privacy,
#' `rho`-zero-concentrated differential privacy or (`epsilon`, `delta`)-differential privacy, exactly. Scores of choices are whole numbers, whose
#' sensitivity is exact, and choices are drawn exactly; noise is drawn and added in integers, and its scale is rounded up. One row
#' changes two counts of a table by one each. Everything else works on what was released. The whole budget is paid before the
#' first draw, and the ledger adds up to it. A missing value is an error before that, where the schema refuses it; the
#' message is for the curator and not part of a release. Running time is not protected. A schema that was read from the
#' data ([schema_from_data()]) makes the release not private, and the guarantee says so. What these words promise:
#' `vignette("privacy-model", package = "dptda")`.
#'
#' @section Implementation:
#' Noisy counts become the nearest ones that are not negative and add up to the number of rows. Of a table in an engine, joint counts are one statement for several sets of columns; all of them are in one transaction
#' that only reads, where SQLite and PostgreSQL have rows. The proofs are in
#' `system.file("proofs", "publish-privbayes.md", package = "dptda")`, `"publish-dp2pub.md"`, `"publish-tree.md"`,
#' `"publish-topology.md"` and `"publish-autoencoder.md"`. Graphical models are fitted by mirror descent along a junction tree, and
#' rows are drawn from it such that their margins differ from the model's by rounding.
#'
#' @references
#' Zhang, J., Cormode, G., Procopiuc, C. M., Srivastava, D. and Xiao, X. (2017). PrivBayes: private data release via
#' Bayesian networks. *ACM Transactions on Database Systems* 42(4).
#'
#' Alipourjeddi, N. and Miri, A. (2024). Preserving privacy in high-dimensional data publishing.
#'
#' Jiang, H., Yu, H., Cheng, X., Pei, J., Pless, R. and Yu, J. (2023). DP2-Pub: differentially private high-dimensional data
#' publication with invariant post randomization. *IEEE Transactions on Knowledge and Data Engineering* 35(10).
#'
#' McKenna, R., Miklau, G. and Sheldon, D. (2021). Winning the NIST contest: a scalable and general approach to
#' differentially private synthetic data. *Journal of Privacy and Confidentiality* 11(3).
#'
#' McKenna, R., Mullins, B., Sheldon, D. and Miklau, G. (2022). AIM: an adaptive and iterative mechanism for differentially
#' private synthetic data. *Proceedings of the VLDB Endowment* 15(11), 2599-2612.
#' @seealso [table_schema()], [evaluate_synthesis()], [privacy_budget()], `vignette("tables", package = "dptda")`
#' @examples
#' n <- 2000
#' smokes <- stats::runif(n) < 0.3
#' coughs <- stats::runif(n) < ifelse(smokes, 0.6, 0.1)
#' people <- data.frame(age = stats::runif(n, 18, 80), smokes, coughs)
#' schema <- table_schema(
#'   age = schema_numeric(0, 100, cells = 10), smokes = schema_truth(), coughs = schema_truth()
#' )
#' fit <- private_synthesis(people, schema, epsilon = 1, method = "privbayes")
#' fit
#' drawn <- simulate(fit, nsim = 1000, seed = 1)
#' table(drawn$smokes, drawn$coughs)
#' @export
private_synthesis <- function(data, schema, epsilon = NULL, rho = NULL, ..., delta = NULL,
                              method = c("privbayes", "dp2pub", "margins", "aim", "mst", "topology"), theta = 4,
                              score = c("distance", "information"), degree = NULL, megabytes = 8, topology = list(),
                              budget = NULL, rng = c("os", "R")) {
  check_no_dots(...)
  if (missing(data)) stop_missing("data")
  schema <- check_schema(schema)
  spent <- check_synthesis_budget(epsilon, rho, delta)
  method <- check_choice(method, names(synthesis_methods()))
  options <- list(theta = check_number(theta, 0, open_lower = TRUE), score = check_choice(score, c("distance", "information")),
                  degree = if (!is.null(degree)) check_count(degree, 0, max_row_columns),
                  megabytes = check_number(megabytes, 0, 2048, open_lower = TRUE),
                  topology = topology_options(topology, names(schema$columns)))
  rng <- check_choice(rng, c("os", "R"))
  coded <- encode_table(data, schema, "data")
  mechanism <- synthesis_methods()[[method]](public_part(coded, schema), spent, options, rng, counted_order(budget))
  draw_release(mechanism, coded, budget, rng)
}

# One line for each method: its mechanism, of the public part of a table, what is spent, the options, where what is public of it is drawn
# from, and the order at which the budget counts.
synthesis_methods <- function() {
  list(
    privbayes = privbayes_mechanism,
    dp2pub = dp2pub_mechanism,
    margins = margins_mechanism,
    aim = aim_mechanism,
    mst = mst_mechanism,
    topology = topology_mechanism
  )
}

# `plan`: what the methods of the class `kind` need, with `n`.
synthesis_mechanism <- function(kind, plan, domain, guarantee, method = kind) {
  plan[c("method", "schema")] <- list(method, domain$schema)
  new_mechanism(structure(plan, class = c(paste0("synthesis_", kind), "private_synthesis")), guarantee)
}

result_of.private_synthesis <- function(plan, drawn) {
  fit <- list(schema = plan$schema, method = plan$method, n = plan$n, model = drawn$model, steps = drawn$steps)
  structure(fit, class = "dptda_synthesis")
}

define_class("dptda_synthesis", "private_synthesis()", schema = is_made("dptda_schema"), method = is_one_string, n = is_one_number,
             steps = is.data.frame,
             .whole = function(x) {
               class <- class(x$model)[1]
               !is.null(known_classes[[class]]) && is_whole(x$model, class) && identical(x$model$sizes, schema_sizes(x$schema))
             })

# A set of columns of a model, by their places.
are_places <- function(x, sizes) is_plain_numeric(x) && all(x %in% seq_along(sizes)) && !anyDuplicated(x)

# Sums of probabilities.
are_ones <- function(x) all(abs(x - 1) < 1e-6)

# Products of two of them are far from infinite, as the kernel that draws rows wants it (src/ffi-publish-decode.c).
are_moderate <- function(x) is_numbers(x) && all(abs(x) <= 1e100)

# `measure`: what was declared. Either `epsilon` is spent or `rho`; the other is NA.
check_synthesis_budget <- function(epsilon, rho, delta) {
  spent <- if (is.null(delta) && is.null(rho)) {
    measure <- check_measure(epsilon, rho)
    list(measure = measure, epsilon = measure[["epsilon"]], rho = NA_real_)
  } else {
    c(check_look_budget(epsilon, rho, delta), list(epsilon = NA_real_))
  }
  if (max(spent$epsilon, spent$rho, na.rm = TRUE) < least_spent) stop_little_budget(spent)
  spent
}

stop_little_budget <- function(spent) {
  stop_argument(names(spent$measure)[1], "is so small that no noise of this package keeps it.")
}

# The largest scale, 2^40, keeps a rho of 2^-80 for one table of counts. Below, parts of a budget would have no digits.
least_spent <- 2^-90

# Beyond it no noise is left to take away. Weights of margins that are measured again and again would have no end, and eight times a
# rho would be no double.
useful_rho <- function(rho) min(rho, 2^40)

# ---- guarantees ----------------------------------------------------------------------------

is_pure <- function(spent) !is.na(spent$epsilon)

# A budget in named parts that add up to it exactly: all but the last are multiples of its last digits.
split_budget <- function(spent, shares) {
  total <- if (is_pure(spent)) spent$epsilon else spent$rho
  grid <- 2^(binary_exponent(total) - 40)
  first <- floor(shares[-length(shares)] * total / grid) * grid
  structure(c(first, total - sum(first)), names = names(shares))
}

# What a part of the budget buys: less than it by more than all roundings that follow.
part_measure <- function(spent, part) structure(unname(part) * look_margin, names = if (is_pure(spent)) "epsilon" else "rho")

# `parts`: as split_budget() gives them, one entry of the ledger for each; those of 0 are none. `choices`: by name, how many exponential
# mechanisms share a part evenly. A declared epsilon and delta are one entry.
synthesis_guarantee <- function(spent, parts, mechanism, public, choices = NULL) {
  step <- "private_synthesis"
  declared <- look_guarantee(spent, mechanism, public, step)
  kind <- if (is_pure(spent)) "epsilon" else "rho"
  if (!identical(names(spent$measure), kind)) return(declared)
  parts <- parts[parts > 0]
  steps <- Map(function(name, part) {
    measure <- structure(part, names = kind)
    title <- if (length(parts) == 1) step else paste0(step, ": ", name)
    if (is_pure(spent) && name %in% names(choices)) return(new_step(title, measure, bounded_range = TRUE, times = choices[[name]]))
    new_step(title, measure)
  }, names(parts), parts)
  fields <- unclass(declared)[c("unit", "relation", "sensitivity", "mechanism", "public", "sampler", "random", "inexact")]
  assemble_guarantee(unname(steps), fields)
}

# What all methods say of what is public.
synthesis_public <- function(domain, ...) {
  c(list(n = domain$n, sizes = domain$sizes), list(...), if (!is.null(domain$caveat)) list(caveat = domain$caveat))
}

# Lines of `steps`: `cost` in epsilon or rho, whichever is spent.
synthesis_step <- function(spent, step, columns, cost, scale = NA_real_, epsilon = NA_real_) {
  frame <- data.frame(step = step, columns = columns, scale = scale, epsilon = epsilon)
  frame[[if (is_pure(spent)) "cost_epsilon" else "rho"]] <- cost
  frame
}

scope_label <- function(sizes, scope) paste(names(sizes)[scope], collapse = ", ")

# ---- models --------------------------------------------------------------------------------

# `nsim` rows as an integer matrix of codes from 0, a column for each column of the schema.
draw_codes <- function(model, nsim, rng) UseMethod("draw_codes")

# How likely each combination of the codes of `columns` (places) is in the model, up to a factor, the first of them fastest.
model_margin <- function(model, columns) UseMethod("model_margin")

# A part of the columns of each pair that is joined, from `from` to `to` where there is a direction.
model_edges <- function(model) UseMethod("model_edges")

# Pairs of columns of which the model holds what they have to do with each other, each once: places `from` < `to`.
model_pairs <- function(model) UseMethod("model_pairs")

# What the model says of the others, or of all columns where there is no such pair.
pair_words <- function(model, none) UseMethod("pair_words")

# How far the noise may have moved the probability of each cell of one column, in standard deviations; NULL where not known.
model_noise <- function(model, column) UseMethod("model_noise")

#' @exportS3Method
model_noise.default <- function(model, column) NULL

#' @exportS3Method
model_edges.default <- function(model) data.frame(from = integer(), to = integer())

#' @exportS3Method
pair_words.default <- function(model, none) {
  if (none) "columns are drawn independently of each other" else "the others through these at most"
}

# What does not change where the place in a table along one side changes, but for rounding, holds nothing.
is_moved <- function(table) any(abs(table - table[, 1]) > 1e-12)

# Pairs of different places, in any order and number.
distinct_pairs <- function(from, to) {
  pairs <- unique(data.frame(from = pmin(from, to), to = pmax(from, to)))
  pairs <- pairs[order(pairs$from, pairs$to), ]
  data.frame(from = pairs$from, to = pairs$to)
}

# Pairs that are joined, of columns that have more than one code.
joined_pairs <- function(model, sizes) {
  edges <- model_edges(model)
  several <- sizes[edges$from] > 1 & sizes[edges$to] > 1
  distinct_pairs(edges$from[several], edges$to[several])
}

# Pairs of columns that share a scope.
scope_edges <- function(scopes) {
  pairs <- lapply(scopes[lengths(scopes) > 1], function(scope) t(utils::combn(sort.int(scope), 2)))
  pairs <- unique(do.call(rbind, c(list(matrix(0L, 0, 2)), pairs)))
  data.frame(from = pairs[, 1], to = pairs[, 2])
}

# ---- methods -------------------------------------------------------------------------------

#' @rdname private_synthesis
#' @importFrom stats simulate
#' @export
simulate.dptda_synthesis <- function(object, nsim = object$n, seed = NULL, ...) {
  check_no_dots(...)
  check_whole(object, "dptda_synthesis")
  nsim <- check_count(nsim, upper = 2^31 - 1)
  with_seed(seed, decode_table(draw_codes(object$model, nsim, "R"), object$schema, "R"))
}

#' @rdname private_synthesis
#' @export
summary.dptda_synthesis <- function(object, ...) {
  check_no_dots(...)
  check_whole(object, "dptda_synthesis")
  structure(object$steps, class = c("summary.dptda_synthesis", "data.frame"), pairs = format_pairs(object$model))
}

define_class("summary.dptda_synthesis", "summary()", .of = is.data.frame,
             .whole = function(x) all(vapply(unclass(x), is.atomic, NA)) && all(lengths(x) == nrow(x)))

#' @export
print.summary.dptda_synthesis <- function(x, ...) {
  check_whole(x, "summary.dptda_synthesis")
  print(as.data.frame(x), digits = 3, row.names = FALSE, right = FALSE)
  if (is_one_string(attr(x, "pairs"))) cat(attr(x, "pairs"), "\n", sep = "")
  invisible(x)
}

#' @export
as.data.frame.summary.dptda_synthesis <- function(x, ...) {
  check_whole(x, "summary.dptda_synthesis")
  attr(x, "pairs") <- NULL
  class(x) <- "data.frame"
  as.data.frame(x, ...)
}

# Which pairs of columns the model holds, by their names where they are few; NULL of one column.
format_pairs <- function(model) {
  names <- names(model$sizes)
  all <- choose(length(names), 2)
  if (all == 0) return(NULL)
  held <- model_pairs(model)
  found <- nrow(held)
  count <- if (found == 0) "none of" else if (found < all) paste(format_count(found), "of") else "all"
  named <- if (found > 0 && found <= 6) paste0("`", names[held$from], "` and `", names[held$to], "`", collapse = ", ")
  words <- if (found < all) pair_words(model, found == 0)
  paste0("pairs of columns in the model: ", count, " ", format_count(all), if (!is.null(named)) paste0(", ", named),
         if (!is.null(words)) paste0(if (found == 0) ": " else "; ", words))
}

#' @rdname private_synthesis
#' @export
print.dptda_synthesis <- function(x, ...) {
  check_whole(x, "dptda_synthesis")
  print_release(x, {
    cat("method ", x$method, ": ", count_of(format_count(x$n), "row"), ", ", count_of(length(x$schema$columns), "column"), "\n", sep = "")
    shown <- utils::head(x$steps, 20)
    print(shown[vapply(shown, function(column) !all(is.na(column)), NA)], digits = 3, row.names = FALSE, right = FALSE)
    if (nrow(x$steps) > 20) cat("... and", nrow(x$steps) - 20, "more\n")
    if (!is.null(pairs <- format_pairs(x$model))) cat(pairs, "\n", sep = "")
  })
}

#' @rdname private_synthesis
#' @param main A string: the title.
#' @param col A color: of bars and arrows.
#' @export
plot.dptda_synthesis <- function(x, which = c("network", "margins"), main = NULL, col = "#0072B2", ...) {
  check_no_dots(...)
  check_whole(x, "dptda_synthesis")
  which <- check_choice(which, c("network", "margins"))
  if (which == "network") plot_network(x, main, col) else plot_margins(x, main, col)
  invisible(x)
}

# Columns on a circle; an arrow from a parent, a line where there is no direction.
plot_network <- function(x, main, col) {
  names <- names(x$schema$columns)
  d <- length(names)
  angle <- pi / 2 - 2 * pi * (seq_len(d) - 1) / d
  at <- if (d == 1) cbind(0, 0) else cbind(cos(angle), sin(angle))
  edges <- model_edges(x$model)
  graphics::plot(NULL, xlim = c(-1.5, 1.5), ylim = c(-1.3, 1.3), asp = 1, axes = FALSE, xlab = "", ylab = "",
                 main = if (is.null(main)) x$method else main)
  if (nrow(edges)) {
    from <- at[edges$from, , drop = FALSE]
    to <- at[edges$to, , drop = FALSE]
    # arrows end short of the names
    start <- from + 0.1 * (to - from)
    end <- from + 0.9 * (to - from)
    directed <- !is.null(attr(edges, "directed"))
    graphics::arrows(start[, 1], start[, 2], end[, 1], end[, 2], length = if (directed) 0.1 else 0, col = col)
  }
  graphics::text(1.12 * at[, 1], 1.12 * at[, 2], names, xpd = NA)
}

# At most twelve columns, each with its cells.
plot_margins <- function(x, main, col) {
  shown <- utils::head(seq_along(x$schema$columns), 12)
  saved <- graphics::par(mfrow = grDevices::n2mfrow(length(shown)), mar = c(4, 3, 2, 1))
  on.exit(graphics::par(saved))
  for (j in shown) {
    share <- model_margin(x$model, j)
    share <- share / sum(share)
    noise <- model_noise(x$model, j)
    reach <- if (is.null(noise)) 0 else 1.96 * noise
    at <- graphics::barplot(share, names.arg = x$schema$columns[[j]]$names, col = col, border = NA, las = 2, cex.names = 0.7,
                            ylim = c(0, max(share + reach)), main = if (is.null(main)) names(x$schema$columns)[j] else main)
    if (!is.null(noise)) graphics::segments(at, pmax(share - reach, 0), at, share + reach)
  }
}
