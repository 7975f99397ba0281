# What a private regression shows: tables, intervals, predictions, and pictures.

#' Results of private regressions
#'
#' `summary()` shows estimates, the standard deviations of noise and of sampling error, and intervals. `predict()`
#' computes fitted values for new rows, with intervals for the fitted line.
#'
#' @param object,x An object of class `dptda_private_regression`, from [private_lm()] or [private_glm()].
#' @param newdata A data frame with the variables of the formula. Values outside the box are moved into it.
#' @param interval `"none"` or `"confidence"`: adds the interval of the fitted line for the population.
#' @param level One number in (0, 1): the probability of each interval.
#' @param type `"link"` or `"response"`: for logistic models, log odds or probabilities.
#' @param parm Not used.
#' @param of `"data"` accounts for noise only, `"population"` for sampling error and noise.
#' @param part `"both"`, `"noise"`, or `"sampling"`: which covariance matrix.
#' @param main A string: the title. By default, the formula.
#' @param ... Not used. For `plot()`, graphical parameters.
#' @return `summary()`: a data frame with one row per coefficient. `predict()`: a vector, or a matrix with the columns
#'   `fit`, `lwr`, and `upr`. `confint()`: a matrix with the bounds of each interval. `vcov()`: a matrix.
#' @seealso [private_lm()]
#' @examples
#' box <- list(mag = c(3, 8), depth = c(0, 700), stations = c(0, 150))
#' fit <- private_lm(quakes, mag ~ depth + stations, box, rho = 0.5)
#' summary(fit)
#' vcov(fit, part = "noise")
#' plot(fit)
#' @export
summary.dptda_private_regression <- function(object, level = 0.95, ...) {
  check_no_dots(...)
  check_valid(object, "dptda_private_regression")
  level <- check_number(level, 0, 1, open_lower = TRUE, open_upper = TRUE)
  ends <- population_ends(object, level)
  frame <- data.frame(estimate = object$coefficients, noise = sqrt(diag(object$noise)),
                      sampling = sqrt(diag(object$sampling)))
  if (!is.null(ends)) frame[c("lower", "upper")] <- list(ends[, 1], ends[, 2])
  frame$learned <- object$learned
  frame
}

regression_ends <- function(x, level, covariance) {
  off <- stats::qnorm((1 + level) / 2) * sqrt(diag(covariance))
  unname(cbind(x$coefficients - off, x$coefficients + off))
}

population_ends.dptda_private_regression <- function(x, level, ...) {
  if (!is.null(privacy(x)$person)) return(NULL)
  regression_ends(x, level, x$noise + x$sampling)
}

population_reason.dptda_private_regression <- function(x) {
  "because sampling of several rows per person is not that of independent rows"
}

#' @rdname summary.dptda_private_regression
#' @export
confint.dptda_private_regression <- function(object, parm, level = 0.95, of = c("data", "population"), ...) {
  check_no_dots(...)
  check_valid(object, "dptda_private_regression")
  level <- check_number(level, 0, 1, open_lower = TRUE, open_upper = TRUE)
  of <- check_target(of)
  ends <- target_ends(object, level, of, function(x, level) regression_ends(x, level, x$noise))
  finish_ends(ends, names(object$coefficients), level, of)
}

#' @export
coef.dptda_private_regression <- function(object, ...) {
  check_no_dots(...)
  check_valid(object, "dptda_private_regression")$coefficients
}

#' @rdname summary.dptda_private_regression
#' @export
vcov.dptda_private_regression <- function(object, part = c("both", "noise", "sampling"), ...) {
  check_no_dots(...)
  check_valid(object, "dptda_private_regression")
  switch(check_choice(part, c("both", "noise", "sampling")), both = object$noise + object$sampling,
         noise = object$noise, sampling = object$sampling)
}

#' @rdname summary.dptda_private_regression
#' @export
predict.dptda_private_regression <- function(object, newdata, interval = c("none", "confidence"), level = 0.95,
                                             type = c("link", "response"), ...) {
  check_no_dots(...)
  check_valid(object, "dptda_private_regression")
  if (missing(newdata)) stop_missing("newdata")
  interval <- check_choice(interval, c("none", "confidence"))
  type <- check_choice(type, c("link", "response"))
  level <- check_number(level, 0, 1, open_lower = TRUE, open_upper = TRUE)
  X <- new_columns(object, newdata)
  link <- if (type == "response" && object$family == "binomial") stats::plogis else identity
  fit <- drop(X %*% object$coefficients)
  if (interval == "none") return(stats::setNames(link(fit), rownames(newdata)))
  off <- line_half_width(X, object$noise + object$sampling, level)
  matrix(link(c(fit, fit - off, fit + off)), ncol = 3, dimnames = list(rownames(newdata), c("fit", "lwr", "upr")))
}

line_half_width <- function(X, covariance, level = 0.95) {
  stats::qnorm((1 + level) / 2) * sqrt(rowSums((X %*% covariance) * X))
}

# The columns of new rows, in the units of the data.
new_columns <- function(object, newdata) {
  design <- object$design
  factors <- design$axes
  if (object$family == "binomial") factors <- factors[-length(factors)]
  used <- unique(unlist(lapply(design$parts, function(part) all.vars(part$call))))
  if (!is.data.frame(newdata)) stop_argument("newdata", "must be a data frame, not ", describe_data(newdata), ".")
  refuse_other_columns(c(used, names(factors)), names(newdata), "formula", "newdata")
  numbers <- vapply(design$numbers, function(name) {
    if (name %in% used) as.double(newdata[[name]]) else rep(NA_real_, nrow(newdata))
  }, double(nrow(newdata)))
  codes <- Map(function(axis, name) level_cells_of(newdata[[name]], axis), factors, names(factors))
  X <- design_columns(design, matrix(numbers, nrow(newdata)), codes, nrow(newdata))
  # scaled columns times the inverse of `back` are the columns themselves
  X %*% solve(design$back)
}

#' @exportS3Method
result_table.dptda_private_regression <- function(x) {
  frame <- summary.dptda_private_regression(x)
  cbind(term = rownames(frame), frame, row.names = NULL)
}

#' @exportS3Method
tidy_table.dptda_private_regression <- function(x) {
  cbind(term = names(x$coefficients), estimate = unname(x$coefficients),
        tidy_intervals(x, sqrt(unname(diag(x$noise))), regression_ends(x, 0.95, x$noise)))
}

#' @export
print.dptda_private_regression <- function(x, ...) {
  check_valid(x, "dptda_private_regression")
  title <- paste("private", if (x$family == "gaussian") "linear model" else "logistic model")
  print_release(x, title = title, {
    cat(strwrap(x$formula, 80, exdent = 2), sep = "\n")
    data <- regression_ends(x, 0.95, x$noise)
    shown <- data.frame(estimate = mapply(format_beside, x$coefficients, (data[, 2] - data[, 1]) / 2),
                        row.names = names(x$coefficients))
    shown$estimate[!x$learned] <- "-"
    words <- function(ends) ifelse(x$learned, interval_words(ends), "-")
    print(add_intervals(shown, x, data, 0.95, words))
    writeLines(wrap_lines(regression_words(x)))
  })
}

regression_words <- function(x) {
  c(if (!is.null(population_ends(x, 0.95))) {
      paste0("population: if rows are independent draws",
             if (x$family == "gaussian" && !x$robust) " and errors have equal variances")
    },
    if (!all(x$learned)) "\"-\": not learned, because noise hides the coefficient.",
    if (!is.na(x$sigma)) {
      paste0("standard deviation of residuals: ", format(x$sigma, digits = 3), ". Rows far from the others have less ",
             "weight: ", format_percent(round(1 - x$weight, 3)), " of all weight was taken.")
    })
}

# ---- pictures --------------------------------------------------------------------------------------------------------

# The line over the only numeric variable, if there are no factors; otherwise NULL.
regression_line <- function(x) {
  design <- x$design
  variables <- unique(unlist(lapply(design$parts, function(part) all.vars(part$call))))
  factors <- unlist(lapply(design$columns, `[[`, "levels"))
  if (length(variables) != 1 || length(factors)) return(NULL)
  place <- match(variables, design$numbers)
  at <- seq(design$lower[place], design$upper[place], length.out = 201)
  X <- new_columns(x, stats::setNames(data.frame(at), variables))
  fit <- drop(X %*% x$coefficients)
  link <- if (x$family == "binomial") stats::plogis else identity
  noise <- line_half_width(X, x$noise)
  both <- line_half_width(X, x$noise + x$sampling)
  list(variable = variables, frame = data.frame(at, fit = link(fit), noise_low = link(fit - noise),
                                                noise_high = link(fit + noise), low = link(fit - both),
                                                high = link(fit + both)))
}

# Coefficients in one unit, that of the response: what half of the range of a number, or a level, changes.
regression_changes <- function(x) {
  half <- vapply(x$design$columns, `[[`, 0, "half")
  shown <- names(x$coefficients) != "(Intercept)"
  if (any(shown & x$learned)) shown <- shown & x$learned
  off <- function(covariance) stats::qnorm(0.975) * sqrt(diag(covariance)) * half
  value <- x$coefficients * half
  frame <- data.frame(name = names(x$coefficients), fit = value, noise_low = value - off(x$noise),
                      noise_high = value + off(x$noise), low = value - off(x$noise + x$sampling),
                      high = value + off(x$noise + x$sampling))
  frame[shown, ]
}

response_words <- function(x) sub(" ~.*$", "", x$formula)

change_words <- function(x) {
  paste0("Change of ", if (x$family == "binomial") "log odds", if (x$family == "gaussian") response_words(x),
         " (numbers: over half of their range)")
}

line_words <- function(x) if (x$family == "binomial") paste("Probability:", response_words(x)) else response_words(x)

regression_picture_words <- "dark: noise (95%); light: sampling error and noise (95%)"

#' @rdname summary.dptda_private_regression
#' @export
plot.dptda_private_regression <- function(x, main = NULL, ...) {
  check_valid(x, "dptda_private_regression")
  line <- regression_line(x)
  if (!is.null(line)) {
    frame <- line$frame
    saved <- open_picture(range(frame$at), range(frame$low, frame$high), line$variable, line_words(x), ...)
    on.exit(graphics::par(saved))
    graphics::polygon(c(frame$at, rev(frame$at)), c(frame$low, rev(frame$high)), col = "#B9D6EA", border = NA)
    graphics::polygon(c(frame$at, rev(frame$at)), c(frame$noise_low, rev(frame$noise_high)), col = "#7FB2D6",
                      border = NA)
    graphics::lines(frame$at, frame$fit, lwd = 2, col = "#0072B2")
  } else {
    frame <- regression_changes(x)
    if (!nrow(frame)) stop_argument("x", "must have a coefficient besides the intercept to be drawn.")
    place <- rev(seq_len(nrow(frame)))
    saved <- graphics::par(mar = c(3.2, 1.5 + 0.55 * max(nchar(frame$name)), 2.6, 1), las = 1, mgp = c(2, 0.6, 0))
    on.exit(graphics::par(saved))
    graphics::plot(NA, xlim = range(0, frame$low, frame$high), ylim = c(0.5, nrow(frame) + 0.5),
                   xlab = change_words(x), ylab = "", yaxt = "n", bty = "n", ...)
    graphics::axis(2, place, frame$name, tick = FALSE, cex.axis = 0.9)
    graphics::abline(v = 0, col = "gray60")
    graphics::segments(frame$low, place, frame$high, place, col = "#B9D6EA", lwd = 7, lend = 1)
    graphics::segments(frame$noise_low, place, frame$noise_high, place, col = "#0072B2", lwd = 2)
    graphics::points(frame$fit, place, pch = 19, col = "#0072B2")
  }
  tell_on_picture(regression_picture_words, main = picture_title(x, main))
  invisible(x)
}

#' @exportS3Method ggplot2::autoplot
autoplot.dptda_private_regression <- function(object, ...) {
  check_no_dots(...)
  check_result(object, "object")
  line <- regression_line(object)
  if (!is.null(line)) {
    return(ggplot2::ggplot(line$frame, ggplot2::aes(x = .data$at, y = .data$fit)) +
             ggplot2::geom_ribbon(ggplot2::aes(ymin = .data$low, ymax = .data$high), fill = "#B9D6EA") +
             ggplot2::geom_ribbon(ggplot2::aes(ymin = .data$noise_low, ymax = .data$noise_high), fill = "#7FB2D6") +
             ggplot2::geom_line(color = picture_colors[1], linewidth = 1) +
             picture_labels(object, regression_picture_words, x = line$variable, y = line_words(object)) +
             picture_theme())
  }
  frame <- regression_changes(object)
  frame$name <- factor(frame$name, rev(frame$name))
  ggplot2::ggplot(frame, ggplot2::aes(x = .data$fit, y = .data$name)) +
    ggplot2::geom_vline(xintercept = 0, color = "gray60") +
    ggplot2::geom_linerange(ggplot2::aes(xmin = .data$low, xmax = .data$high), color = "#B9D6EA", linewidth = 3) +
    ggplot2::geom_linerange(ggplot2::aes(xmin = .data$noise_low, xmax = .data$noise_high), color = picture_colors[1],
                            linewidth = 1) +
    ggplot2::geom_point(color = picture_colors[1], size = 2) +
    picture_labels(object, regression_picture_words, x = change_words(object), y = NULL) + picture_theme()
}
