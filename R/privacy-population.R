# What released numbers show about the population behind the rows: the target of confint(), columns of print() and
# tidy(), and refusals. A release with an interval for the population has a method of population_ends(), in its own
# file, which uses released and public numbers only (post-processing).

# Returns the bounds of intervals for the population, in the layout and the units of value_ends(), or NULL if no such
# interval is known. It assumes that rows, or people, are independent draws. `...`: settings of a method.
population_ends <- function(x, level, ...) UseMethod("population_ends")

population_ends.default <- function(x, level, ...) NULL

# Returns the same for numbers within the groups that some columns `by` make.
population_ends_by <- function(x, by, level) UseMethod("population_ends_by")

population_ends_by.default <- function(x, by, level) {
  stop_argument("by", "must be NULL, except for private tables of several columns.")
}

# Returns why a release has no interval for the population, and what to do instead, as the end of a sentence.
population_reason <- function(x) UseMethod("population_reason")

population_reason.default <- function(x) {
  paste0("because the variation among ", units_noun(privacy(x)$person), " cannot be computed from it. Counts, ",
         "proportions, means, tables, and histograms have such intervals")
}

# Returns the intervals of confint() for a target, `of`. `data_ends`: a function of the level.
target_ends <- function(x, level, of, data_ends) {
  if (of == "data") data_ends(x, level) else known_population_ends(x, level)
}

known_population_ends <- function(x, level) {
  ends <- population_ends(x, level)
  if (is.null(ends)) refuse_population(population_reason(x))
  ends
}

refuse_population <- function(...) stop_argument("of", "must be \"data\" for this release, ", ..., ".")

check_target <- function(of) check_choice(of, c("data", "population"))

# Intervals of binomial counts are the only ones with two forms.
check_exact <- function(exact, x, of) {
  exact <- check_flag(exact)
  if (!exact) return(FALSE)
  if (of == "data" || !inherits(x, c("dptda_private_count", "dptda_private_proportion", "dptda_private_table"))) {
    stop_argument("exact", "must be FALSE, except for counts, tables, and proportions with `of = \"population\"`.")
  }
  TRUE
}

# Names the rows and columns of intervals, and their target.
finish_ends <- function(ends, names, level, of, classes = NULL) {
  dimnames(ends) <- list(names, paste(format(100 * c(1 - level, 1 + level) / 2, trim = TRUE), "%"))
  structure(classed_ends(ends, classes), of = of)
}

# Returns bounds of intervals in two columns: a matrix, or a data frame for dates, because a matrix cannot hold dates.
classed_ends <- function(ends, classes) {
  if (is.null(classes) || length(unique(classes)) > 1) return(ends)
  names <- if (is.null(rownames(ends))) .set_row_names(nrow(ends)) else rownames(ends)
  ends <- outward_ends(ends, classes[1])
  structure(list(in_class(unname(ends[, 1]), classes[1]), in_class(unname(ends[, 2]), classes[1])),
            names = colnames(ends), row.names = names, class = "data.frame")
}

# Rounds bounds outward to days, because dates print without fractions.
outward_ends <- function(ends, class) {
  if (identical(class, "Date")) ends[] <- c(floor(ends[, 1]), ceiling(ends[, 2]))
  ends
}

# ---- print() and tidy() --------------------------------------------------------------------------------------------

# Adds the columns of intervals to a printed table: for the data, and for the population if it has intervals. `ends`:
# for the data, in two columns, or NULL if there are none. `lines`: the lines that are shown.
add_intervals <- function(shown, x, ends, level, words, lines = seq_len(nrow(shown)), simultaneous = FALSE) {
  at <- paste0(" (", format_percent(level), if (simultaneous) ", simultaneous", ")")
  if (!is.null(ends)) shown[[paste0("data", at)]] <- words(ends[lines, , drop = FALSE])
  around <- population_ends(x, level)
  if (!is.null(around)) {
    shown[[paste0("population (", format_percent(level), ")")]] <- words(around[lines, , drop = FALSE])
  }
  shown
}

# Returns the assumption below a printed table with intervals for the population, or nothing.
population_words <- function(x, level = 0.95) {
  if (is.null(population_ends(x, level))) return(character())
  paste0("population: if ", units_noun(privacy(x)$person), " are independent draws")
}

# Returns the columns of tidy() for the population, or NULL. `std.error` is the standard deviation of a normal
# distribution with intervals as wide as `conf.low` to `conf.high`: sampling and noise together.
tidy_population <- function(x, classes = NULL) {
  ends <- population_ends(x, 0.95)
  if (is.null(ends)) return(NULL)
  c(list(std.error = unname(ends[, 2] - ends[, 1]) / (2 * stats::qnorm(0.975))),
    end_columns(ends, classes, c("conf.low", "conf.high")))
}

# Both bounds as columns, as print() shows them.
end_columns <- function(ends, classes, names) {
  if (length(unique(classes)) == 1) ends <- outward_ends(ends, classes[[1]])
  structure(lapply(1:2, function(side) in_classes(unname(ends[, side]), classes)), names = names)
}

# Returns all columns of intervals for tidy(). `sd`: the standard deviation of added noise, or NULL.
tidy_intervals <- function(x, sd, ends, classes = NULL) {
  columns <- c(if (!is.null(sd)) list(noise.sd = sd),
               end_columns(ends, classes, c("data.low", "data.high")),
               tidy_population(x, classes))
  structure(columns, row.names = .set_row_names(nrow(ends)), class = "data.frame")
}
