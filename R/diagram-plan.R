# Compares settings of a private diagram by how many of the expected features they show.
# They are tried on public look-alikes of the data, before anything is spent.

#' Choose settings for a private persistence diagram
#'
#' Compares settings of [private_diagram()] on public look-alike data: simulated, or from an earlier study. For each
#' pair of `m0` and `clip`, it draws releases and counts how often each feature of the look-alike is detected. This
#' spends no budget, because the private data are not used. The function cannot check that, so do not supply private
#' data as `simulate`.
#'
#' @details
#' # When a feature counts as detected
#' The features of a look-alike are the points of its diagram without a clip. A released point is matched to a feature
#' of the same dimension if two conditions hold: it is evidence of a feature ([feature_evidence()]), and it lies within
#' half the feature's persistence in the maximum norm. Each point is matched to at most one feature, the most persistent
#' first. So a `clip` that cuts a feature to less than half its persistence hides it.
#'
#' # Recommended setting
#' The recommended setting detects the most features on average. Among settings within 2% of the best, the one with the
#' smallest error is chosen. If only some features matter, pass `wanted`: in two dimensions, `wanted = c(1, 2)` means
#' one component besides the first and two loops.
#'
#' # Private data must not be used
#' The plan shows diagrams of the data in `simulate` without noise and without a guarantee. Values of `m0` and `clip`
#' chosen on private data would also reveal something about them. If `simulate` is a table, the printed plan states that
#' it reveals these rows if they are private. If it has as many rows as the private data, a message of class
#' `dptda_message_private` warns you. The data that a function reads are not checked.
#'
#' @param simulate **Public** look-alike data. Either a function that takes the number of rows and returns a numeric
#'   matrix with one row per point (use R's random numbers, so that [set.seed()] repeats the plan), or such a matrix or
#'   data frame with any number of rows. It must **not** be, or read, the private data.
#' @param n An integer: the number of rows of the private data; or [unseen()], if people have several rows each.
#'   `simulate` is then called with the number of people, and may return several rows per person by [table_rows()].
#' @param m0 Numbers in (0, 1]: the values to try.
#' @param clip Positive numbers (`Inf` is allowed): the values to try. By default, the diagonal of the box, and 1/2,
#'   1/4, 1/8, and 1/16 of it.
#' @param wanted One integer per released dimension: the number of most persistent features that matter. By default, all
#'   features, up to `max_points`.
#' @param level One number in (0, 1): the level of [feature_evidence()].
#' @param repeats An integer: the number of look-alikes to simulate, if `simulate` is a function.
#' @param draws An integer: the number of releases to draw for each look-alike and setting, with a fixed public key.
#' @param ... For `plot()`: graphical parameters of the left picture. Otherwise not used; later arguments must be named.
#' @inheritParams private_diagram
#' @param x A plan.
#'
#' @return A list of class `dptda_plan` with these elements:
#'
#' * `settings`: a data frame with one row per pair of `m0` and `clip`, best first: `m0`, `clip`, `sensitivity`, `seen`
#'   (mean number of wanted features detected), `false` (mean number of points that are evidence but match no feature),
#'   and `error` (median over releases of the largest bottleneck distance to the diagram without a clip).
#' * `features`: a data frame with one row per setting and wanted feature: `m0`, `clip`, `dimension`, `rank` (by
#'   persistence), `birth`, `death`, `persistence` (medians over the look-alikes), and `probability` (of detection).
#' * `best`: a list with the recommended `m0` and `clip`.
#'
#' `as.data.frame()` returns `settings`. `plot()` draws the mean number of features detected at each setting, and the
#' probability of detection of each feature at the best one.
#' @seealso [power_diagram()]
#' @examples
#' two_circles <- function(n) {
#'   angle <- runif(n, 0, 2 * pi)
#'   cbind(cos(angle) + rep_len(c(-1.7, 1.7), n), sin(angle)) +
#'     rnorm(2 * n, sd = 0.05)
#' }
#' grid <- domain_grid(domain_box(c(-3.5, -2), c(3.5, 2)), by = 0.2)
#' plan <- plan_private_diagram(two_circles, n = 4000, grid, epsilon = 1,
#'   m0 = c(0.05, 0.2), clip = c(0.8, 1.6, Inf), wanted = c(1, 2), repeats = 1)
#' plan
#' plot(plan)
#' @export
plan_private_diagram <- function(simulate, n, grid, epsilon = NULL, rho = NULL, ..., mu = NULL,
                                 m0 = c(0.01, 0.02, 0.05, 0.1, 0.2), clip = NULL, r = 1,
                                 max_dimension = NULL, dimensions = NULL, max_points = 10,
                                 utility = NULL, wanted = NULL, level = 0.95, repeats = 3, draws = 100) {
  check_no_dots(...)
  if (missing(simulate)) stop_missing("simulate")
  check_domain(grid)
  dimensions <- check_released(dimensions, max_dimension, grid)
  if (inherits(grid, "dptda_landmarks")) check_complex(grid, dimensions)
  if (missing(n)) stop_missing("n")
  if (!is_unseen(n)) n <- check_count(n, 1)
  units <- check_public_units(n, 1, exact = TRUE)
  cost <- check_diagram_cost(epsilon, rho, mu = mu)
  m0 <- check_candidates_of(m0, function(x) is.finite(x) & x > 0 & x <= 1, "numbers above 0 and at most 1")
  if (is.null(clip)) clip <- domain_width(grid) / 2^(0:4)
  clip <- check_candidates_of(clip, function(x) x > 0, "positive numbers")
  r <- check_number(r, 1)
  settings <- expand.grid(m0 = m0, clip = clip)
  plans <- Map(function(m0, clip) {
    diagram_plan(n, grid, cost, m0 = m0, r = r, clip = clip, dimensions = dimensions,
                    max_points = check_count(max_points, 1, most_points), learn_points = TRUE,
                    utility = check_utility(utility, cost))
  }, settings$m0, settings$clip)
  wanted <- check_wanted(wanted, length(dimensions), max_points)
  level <- check_number(level, 0, 1, open_lower = TRUE, open_upper = TRUE)
  draws <- check_count(draws, 1, 1e6)
  queries <- stand_ins(simulate, units$n, grid, check_count(repeats, 1, 1e4))
  given <- !is.function(simulate)
  if (given && queries[[1]]$total == units$n) tell_given(units)

  tell <- repeat_progress("Trying settings")
  trials <- expand.grid(setting = seq_along(plans), query = seq_along(queries))
  tried <- lapply(seq_len(nrow(trials)), function(i) {
    plan <- plans[[trials$setting[i]]]
    result <- try_setting(plan, queries[[trials$query[i]]], grid, wanted, level, draws)
    tell(i / nrow(trials))
    result
  })
  settings$sensitivity <- vapply(plans, `[[`, 0, "sensitivity")
  public <- c(list(n = units$n, measure = cost$measure, grid = domain_to_keep(grid), level = level, wanted = wanted,
                   draws = draws, queries = length(queries), given = given),
              if (!is.null(units$person)) list(person = units$person))
  new_plan(settings, split(tried, trials$setting), public)
}

# Informs the user that `simulate` may be the private data. Equal numbers of rows make this likely.
tell_given <- function(units) {
  tell_dptda("private", "`simulate` has ", count_units(units$n, units$person), ", as many as the private data. ",
             "If these are the private data, the plan reveals them without noise and without a guarantee, and so may ",
             "its `m0` and `clip`. Use public look-alike data.")
}

check_candidates_of <- function(x, good, words, arg = deparse1(substitute(x))) {
  if (!(is_plain_numeric(x) && length(x) > 0 && !anyNA(x) && all(good(x)))) {
    stop_argument(arg, "must be ", words, ", not ", describe(x), ".")
  }
  unique(as.double(x))
}

check_wanted <- function(wanted, dimensions, max_points, arg = deparse1(substitute(wanted))) {
  if (is.null(wanted)) return(rep(max_points, dimensions))
  good <- is_plain_numeric(wanted) && length(wanted) == dimensions && !anyNA(wanted) &&
    all(wanted >= 0 & wanted <= max_points & wanted == floor(wanted)) && any(wanted > 0)
  if (!good) {
    stop_argument(arg, "must be ", dimensions, if (dimensions > 1) " integers" else " integer",
                  " from 0 to `max_points`, not all 0, one per released dimension, not ", describe(wanted), ".")
  }
  as.double(wanted)
}

# Public points or bins in the box, one set for each look-alike.
stand_ins <- function(simulate, n, grid, repeats) {
  made <- is.function(simulate)
  if (made && is.null(formals(args(simulate)))) {
    stop_argument("simulate", "must take one argument, the number of rows.")
  }
  queries <- if (made) blame_argument("simulate", lapply(seq_len(repeats), function(i) simulate(n))) else list(simulate)
  lapply(queries, function(x) {
    cloud <- curator_cloud(domain_cloud(grid, x, "simulate"))
    if (made && cloud$total != n) {
      stop_argument("simulate", "must return the requested number of rows, ", format(n), ", not ",
                    format(cloud$total), ".")
    }
    small <- cloud$binned || is_of_people(cloud) || cloud$total * prod(dim(grid)) < 1e7
    if (!inherits(grid, "dptda_grid") || small) return(cloud)
    domain_cloud(grid, bin_points(cloud$points, domain_grid(grid$box, size = 2 * dim(grid) - 1)), "simulate")
  })
}

# Tries one setting on one look-alike. Returns the features of the diagram without a clip, and how often releases show
# them.
try_setting <- function(plan, cloud, grid, wanted, level, draws) {
  # a look-alike may have a different number of rows than the lattice of the release
  diagrams_at <- function(clip) {
    values <- domain_values(grid, cloud, plan$m0, plan$r, clip)
    pairs <- domain_pairs(grid, values, plan$dimensions, "drop", cap = diagram_bound(grid, clip))
    split_diagram(pairs, plan$dimensions)
  }
  whole <- diagrams_at(Inf)
  features <- Map(leading_features, whole, wanted, plan$dimensions)
  drawn <- as.data.frame(draw_plan(plan, diagrams_at(plan$clip), draws, public_key))
  drawn$persistence <- drawn$death - drawn$birth
  evident <- evident_points(plan, drawn, draws, level)
  features <- do.call(rbind, features)
  found <- lapply(evident, find_features, features)
  error <- vapply(split(drawn, factor(drawn$draw, seq_len(draws))), farthest, 0, whole, plan$dimensions)
  list(features = cbind(features, seen = Reduce(`+`, lapply(found, `[[`, "seen"), double(nrow(features))) / draws),
       false = mean(vapply(found, `[[`, 0, "false")), error = stats::median(error))
}

# The most persistent points of one dimension, at most `count` of them.
leading_features <- function(points, count, dimension) {
  persistence <- points[, 2] - points[, 1]
  first <- utils::head(order(-persistence), count)
  first <- first[persistence[first] > 0]
  data.frame(dimension = rep(dimension, length(first)), rank = seq_along(first), birth = points[first, 1],
             death = points[first, 2], persistence = persistence[first])
}

# Returns the points of each draw that are evidence, as in feature_evidence(). Thresholds depend on counts alone and
# are computed once.
evident_points <- function(plan, drawn, draws, level) {
  each_level <- level^(1 / length(plan$groups))
  known <- new.env(parent = emptyenv())
  threshold <- function(setting, counts) {
    key <- paste(c(setting$dimensions, counts), collapse = " ")
    if (is.null(known[[key]])) known[[key]] <- spurious_height(setting, counts, each_level)
    known[[key]]
  }
  settings <- lapply(plan$groups, noise_setting, plan = plan)
  lapply(split(drawn, factor(drawn$draw, seq_len(draws))), function(points) {
    points <- points[order(-points$persistence), ]
    do.call(rbind, lapply(settings, function(setting) {
      chosen <- points[points$dimension %in% setting$dimensions, ]
      counts <- walk_points(chosen, setting, function(counts) threshold(setting, counts))$counts
      chosen[seq_len(sum(counts)), ]
    }))
  })
}

# Matches features to points. Each feature, the tallest first, takes the nearest remaining point within half of its
# persistence.
find_features <- function(points, features) {
  seen <- double(nrow(features))
  for (i in order(-features$persistence)) {
    away <- pmax(abs(points$birth - features$birth[i]), abs(points$death - features$death[i]))
    away[points$dimension != features$dimension[i]] <- Inf
    nearest <- which.min(away)
    if (length(nearest) && away[nearest] < features$persistence[i] / 2) {
      seen[i] <- 1
      points <- points[-nearest, ]
    }
  }
  list(seen = seen, false = nrow(points))
}

# The largest bottleneck distance between a release and the true diagram over all dimensions.
farthest <- function(points, actual, dimensions) {
  max(vapply(seq_along(dimensions), function(i) {
    chosen <- points[points$dimension == dimensions[i], ]
    .Call(ffi_persistence_bottleneck_distance, chosen$birth, chosen$death, actual[[i]][, 1], actual[[i]][, 2],
          kernel_options())
  }, 0))
}

# Summarizes all trials. `tried` has one list per setting, with the result of try_setting() for each look-alike.
new_plan <- function(settings, tried, public) {
  features <- Map(summarize_features, tried, settings$m0, settings$clip)
  settings$seen <- vapply(tried, function(results) mean(vapply(results, function(one) sum(one$features$seen), 0)), 0)
  settings$false <- vapply(tried, function(results) mean(vapply(results, `[[`, 0, "false")), 0)
  settings$error <- vapply(tried, function(results) stats::median(vapply(results, `[[`, 0, "error")), 0)
  good <- settings$seen >= 0.98 * max(settings$seen)
  order <- order(!good, ifelse(good, settings$error, -settings$seen), settings$error)
  settings <- settings[order, ]
  row.names(settings) <- NULL
  features <- do.call(rbind, features[order])
  row.names(features) <- NULL
  best <- as.list(settings[1, c("m0", "clip")])
  new_answer("dptda_plan", c(list(settings = settings, features = features, best = best), public))
}

# Medians over the look-alikes. A feature that a look-alike lacks counts as not detected there.
summarize_features <- function(results, m0, clip) {
  all <- do.call(rbind, lapply(results, `[[`, "features"))
  if (nrow(all) == 0) return(NULL)
  rows <- lapply(split(all, list(all$rank, all$dimension), drop = TRUE), function(one) {
    data.frame(m0 = m0, clip = clip, dimension = one$dimension[1], rank = one$rank[1], birth = stats::median(one$birth),
               death = stats::median(one$death), persistence = stats::median(one$persistence),
               probability = sum(one$seen) / length(results))
  })
  do.call(rbind, rows)
}

define_class("dptda_plan", "plan_private_diagram()", settings = is.data.frame, features = is_null_or(is.data.frame),
             best = function(x) is_one_number(x$m0) && is_one_number(x$clip), n = is_one_number, measure = is_numbers,
             person = is_null_or(is_one_string), level = is_one_number, queries = is_one_number,
             draws = is_one_number, wanted = is_numbers, given = is_one_flag,
             .valid = function(x) {
               has <- function(frame, columns) all(vapply(frame[columns], is.numeric, NA)) && nrow(frame) > 0
               has(x$settings, c("m0", "clip", "sensitivity", "seen", "false", "error")) &&
                 (is.null(x$features) || has(x$features, c("m0", "clip", "dimension", "persistence", "probability")))
             })

# Features of the look-alikes at the recommended setting, with zero rows if there are none.
best_features <- function(x) {
  rows <- x$features
  if (is.null(rows)) {
    rows <- data.frame(m0 = double(), clip = double(), dimension = double(), rank = double(), birth = double(),
                       death = double(), persistence = double(), probability = double())
  }
  rows[rows$m0 == x$best$m0 & rows$clip == x$best$clip, , drop = FALSE]
}

format_setting <- function(m0, clip) paste0("m0 = ", format(m0, digits = 3), ", clip = ", format(clip, digits = 3))

# Formats numbers one by one, as labels of the axes.
format_each <- function(x) vapply(x, format, "", digits = 3)

answer_blocks.dptda_plan <- function(x, n) {
  head <- paste0(count_of(nrow(x$settings), "setting"), " for ", units_words(x), ", ",
                 names(x$measure), " = ", format(unname(x$measure), digits = 3))
  settings <- utils::head(x$settings, n)
  settings$clip <- format_each(settings$clip)
  c(list("private diagram plan" = head), recommended_blocks(x), list(
    "settings, best first:", shown_table(settings, digits = 3),
    if (nrow(x$settings) > n) paste("... and", nrow(x$settings) - n, "more") else character(),
    if (x$given) "NOTE: `simulate` was a table of rows. If they are private, this plan reveals them."
    else character()
  ))
}

recommended_blocks <- function(x) {
  if (max(x$settings$seen) < 0.05) {
    return(list(paste0("No feature would be detected. Use more rows, a larger ", names(x$measure),
                       ", or a smaller clip.")))
  }
  rows <- best_features(x)
  rows <- rows[rows$probability >= 0.05, ]
  shown <- data.frame(dimension = rows$dimension, birth = rows$birth, death = rows$death,
                      seen = paste(format(100 * rows$probability, digits = 2), "%"))
  list(paste0("recommended: ", format_setting(x$best$m0, x$best$clip), "; ",
              count_of(format(x$settings$seen[1], digits = 2), "feature"), " detected on average"),
       shown_table(shown, digits = 3))
}

answer_table.dptda_plan <- function(x) x$settings

#' @rdname plan_private_diagram
#' @export
plot.dptda_plan <- function(x, ...) {
  check_valid(x, "dptda_plan")
  old <- graphics::par(mfrow = c(1, 2), mar = c(4.2, 5.4, 2.6, 0.8), las = 1)
  on.exit(graphics::par(old))
  plot_settings(x, ...)
  graphics::par(mar = c(4.2, 7.6, 2.6, 0.8))
  plot_chances(x)
  invisible(x)
}

# Draws the mean number of detected features in a table of m0 by clip.
plot_settings <- function(x, main = "features detected", col = NULL, ...) {
  m0 <- sort(unique(x$settings$m0))
  clip <- sort(unique(x$settings$clip))
  if (is.null(col)) col <- grDevices::colorRampPalette(c("#F7FBFF", "#0072B2"))(101)
  top <- max(x$settings$seen, 1e-9)
  column <- match(x$settings$m0, m0)
  row <- match(x$settings$clip, clip)
  graphics::plot(c(0.5, length(m0) + 0.5), c(0.5, length(clip) + 0.5), type = "n", axes = FALSE, xaxs = "i", yaxs = "i",
                 xlab = "m0", ylab = "", main = main, ...)
  graphics::title(ylab = "clip", line = 4)
  share <- x$settings$seen / top
  graphics::rect(column - 0.5, row - 0.5, column + 0.5, row + 0.5, col = col[1 + round(100 * share)], border = "white")
  graphics::text(column, row, format(round(x$settings$seen, 1)), col = ifelse(share > 0.6, "white", "gray20"))
  graphics::rect(column[1] - 0.48, row[1] - 0.48, column[1] + 0.48, row[1] + 0.48, border = "#D55E00", lwd = 3)
  graphics::axis(1, seq_along(m0), format_each(m0), tick = FALSE)
  graphics::axis(2, seq_along(clip), format_each(clip), tick = FALSE)
}

# Draws the probability to detect each feature at the recommended setting.
plot_chances <- function(x) {
  rows <- best_features(x)
  rows <- utils::head(rows[order(-rows$persistence), ], 8)
  rows <- rows[rev(seq_len(nrow(rows))), ]
  colors <- c("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00")
  graphics::plot(c(0, 1), c(0.5, max(nrow(rows), 1) + 0.5), type = "n", yaxt = "n", xlab = "power",
                 ylab = "",
                 main = format_setting(x$best$m0, x$best$clip), bty = "n")
  if (nrow(rows) == 0) return(graphics::text(0.5, 1, "no features", col = "gray40"))
  place <- seq_len(nrow(rows))
  graphics::segments(0, place, rows$probability, place, col = "gray70")
  graphics::points(rows$probability, place, pch = 19, cex = 1.3, col = colors[1 + rows$dimension])
  graphics::axis(2, place, sprintf("dimension %d: %s", rows$dimension,
                                   vapply(rows$persistence, format, "", digits = 2)),
                 tick = FALSE, cex.axis = 0.8)
}
