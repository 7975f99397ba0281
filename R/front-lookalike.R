# Made-up rows for a recipe. Releases of them show how large the noise is. They come from the public parts of the recipe
# and a seed, or from a public table with the same columns.

# Returns as many rows as the recipe has, or rows of as many people. `x`: NULL, or a public data frame.
lookalike_rows <- function(recipe, x = NULL, seed = 1) {
  types <- recipe_types(recipe)
  with_seed(seed, if (is.null(x)) made_up_rows(recipe, types) else resized_rows(recipe, typed_frame(x, types)))
}

made_up_rows <- function(recipe, types) {
  person <- recipe$unit$person
  n <- recipe_units(recipe)
  owner <- if (!is.null(person)) rep(seq_len(n), least_own_rows(recipe) + stats::rpois(n, 1))
  size <- if (is.null(owner)) n else length(owner)
  domains <- recipe_domains(recipe)
  columns <- setdiff(names(types), person)
  frame <- Map(function(name, type) made_up_values(domains[[name]], type, size), columns, types[columns])
  for (entry in recipe$releases) {
    made <- if (entry$release == "diagram") ring_points(entry$box, size) else
      if (entry$release == "curve") ring_points(entry$box, size, stats::runif(n, 0.5, 1)[owner]) else
      if (entry$release %in% c("kmeans", "mixture")) clump_points(entry$box, entry$k, size)
    frame[names(made)] <- made
    if (!is.null(entry$response)) frame[[entry$response]] <- made_up_response(entry, frame, size)
  }
  if (!is.null(person)) frame[[person]] <- as.character(owner)
  structure(frame, names = names(frame), row.names = .set_row_names(size), class = "data.frame")
}

# How many rows each made-up person has at least: a curve needs a shape.
least_own_rows <- function(recipe) if (any(vapply(recipe$releases, `[[`, "", "release") == "curve")) 30 else 1

# A response that grows with the numeric columns, with errors.
made_up_response <- function(entry, frame, size) {
  numbers <- Filter(function(name) is.numeric(entry$box[[name]]), setdiff(names(entry$box), entry$response))
  place <- function(name) 2 * (frame[[name]] - mean(entry$box[[name]])) / diff(entry$box[[name]])
  eta <- if (length(numbers)) Reduce(`+`, lapply(numbers, place)) / length(numbers) else 0
  value <- entry$success
  if (!is.null(value)) {
    met <- stats::runif(size) < stats::plogis(2 * eta)
    if (is_date_text(value)) return(as.Date(value) - !met)
    other <- if (is.logical(value)) !value else if (is.numeric(value)) value - 1 else paste("not", value)
    return(ifelse(met, value, other))
  }
  side <- entry$box[[entry$response]]
  if (!is.numeric(side)) return(frame[[entry$response]])
  mean(side) + diff(side) / 4 * (eta + stats::rnorm(size, sd = 0.3))
}

# The domain of each column in the recipe: `ends` of numbers and dates, `levels` of other columns.
recipe_domains <- function(recipe) {
  domains <- list()
  for (entry in recipe$releases) {
    found <- c(
      lapply(entry$box, function(side) list(ends = side)),
      lapply(entry$breaks, function(breaks) list(ends = breaks[c(1, length(breaks))])),
      lapply(c(entry$levels, entry$by), function(levels) list(levels = levels)),
      lapply(entry$schema, schema_domain),
      lapply(model_success(entry), function(value) list(levels = value, open = TRUE)),
      lapply(entry$where, function(test) list(levels = test[[1]], open = TRUE))
    )
    # a condition is the weakest source, so other releases replace it
    domains <- c(domains, found[setdiff(names(found), names(domains))])
    for (name in names(found)) if (isTRUE(domains[[name]]$open)) domains[[name]] <- found[[name]]
  }
  domains
}

schema_domain <- function(column) {
  if (!is.list(column)) return(list(levels = column))
  switch(column$type, number = list(ends = c(column$lower, column$upper), whole = isTRUE(column$whole)),
         date = list(ends = c(column$lower, column$upper)), logical = list(levels = c(TRUE, FALSE)),
         list(levels = column$levels))
}

made_up_values <- function(domain, type, n) {
  place <- stats::rbeta(n, 2, 3)
  if (!is.null(domain$ends)) {
    ends <- if (type == "date") as.numeric(as.Date(domain$ends)) else as.double(domain$ends)
    values <- ends[1] + place * (ends[2] - ends[1])
    if (type == "date") return(as.Date(floor(values), origin = "1970-01-01"))
    return(if (isTRUE(domain$whole)) round(values) else values)
  }
  levels <- domain$levels
  if (type == "logical") return(stats::runif(n) < 0.4)
  if (isTRUE(domain$open)) {
    # values on both sides of the condition
    if (type == "date") return(as.Date(levels[1]) + round(365 * stats::rnorm(n)))
    near <- function(levels) c(levels - pmax(1, abs(levels)) / 2, levels + pmax(1, abs(levels)) / 2)
    levels <- c(levels, if (type == "number") near(levels) else "other")
  }
  if (type == "number") levels <- as.double(levels)
  if (type == "date") levels <- as.Date(levels)
  chance <- rev(seq_along(levels)) + 1
  levels[sample.int(length(levels), n, replace = TRUE, prob = chance)]
}

# Points of a ring in the first two columns, as a shape that a release can show.
ring_points <- function(box, n, scale = 1) {
  sides <- Filter(is.numeric, box)
  if (length(sides) < 2) return(NULL)
  angle <- stats::runif(n, 0, 2 * pi)
  around <- list(cos(angle), sin(angle))
  Map(function(side, i) {
    shape <- if (i <= 2) 0.6 * scale * around[[i]] + 0.06 * stats::rnorm(n) else 0.1 * stats::rnorm(n)
    mean(side) + shape * (side[2] - side[1]) / 2
  }, sides, seq_along(sides))
}

clump_points <- function(box, k, n) {
  sides <- Filter(is.numeric, box)
  group <- sample.int(k, n, replace = TRUE)
  lapply(sides, function(side) {
    center <- side[1] + (side[2] - side[1]) * (0.15 + 0.7 * sample((seq_len(k) - 0.5) / k))
    center[group] + stats::rnorm(n) * (side[2] - side[1]) / (8 * k)
  })
}

# Draws rows or people of a public table with replacement, if their number differs from the recipe's.
resized_rows <- function(recipe, x) {
  person <- recipe$unit$person
  n <- recipe_units(recipe)
  for (name in names(x)) {
    if (anyNA(x[[name]])) x <- x[!is.na(x[[name]]), , drop = FALSE]
  }
  if (!nrow(x)) stop_argument("x", "must have rows without missing values.")
  if (is.null(person)) {
    if (nrow(x) != n) x <- x[sample.int(nrow(x), n, replace = TRUE), , drop = FALSE]
  } else {
    rows <- split(seq_len(nrow(x)), x[[person]])
    if (length(rows) != n) {
      rows <- rows[sample.int(length(rows), n, replace = TRUE)]
      owner <- rep(seq_along(rows), lengths(rows))
      x <- x[unlist(rows), , drop = FALSE]
      x[[person]] <- as.character(owner)
    }
  }
  row.names(x) <- NULL
  x
}

# Simulates each release of these rows `nsim` times. `people`: see rows_of_part().
simulate_recipe <- function(recipe, rows, nsim = 20, seed = 1, people = Inf) {
  parts <- recipe_parts(recipe)
  room <- recipe_room(recipe, parts)
  room$x <- rows
  mechanisms <- made_in(room, lapply(parts, mechanism_call))
  lapply(structure(names(parts), names = names(parts)), function(name) {
    stats::simulate(mechanisms[[name]], nsim, seed = seed, x = rows_of_part(parts[[name]], room, people))
  })
}

# The rows of a release as its mechanism takes them. A mechanism holds no function, so it takes the diagrams of people.
# Only the first `people` diagrams are computed, and repeated for the others.
rows_of_part <- function(part, room, people = Inf) {
  rows <- eval(part$rows, room)
  if (is.null(part$settings$each)) return(rows)
  rep_len(unname(diagrams_of_rows(rows, eval(part$settings$each, room), people)), rows$n)
}

# Two tables for audits. They differ in one unit, by as much as the public domain allows. The shape of a made-up person
# differs more from a point than two points from each other.
neighbor_rows <- function(recipe, rows) {
  domains <- recipe_domains(recipe)
  person <- recipe$unit$person
  at <- if (is.null(person)) 1L else which(rows[[person]] == rows[[person]][1])
  shaped <- unlist(lapply(recipe$releases, function(entry) if (entry$release == "curve") names(entry$box)))
  moved <- function(last) {
    for (name in setdiff(names(rows), c(person, if (!last) shaped))) {
      domain <- domains[[name]]
      values <- if (!is.null(domain$ends)) domain$ends else if (isTRUE(domain$open)) {
        if (is.numeric(domain$levels)) domain$levels[1] + c(0, -1, 1) * 1e6
        else if (inherits(rows[[name]], "Date")) as.character(as.Date(domain$levels[1]) + c(-400, 400))
        else c(domain$levels[1], "other")
      } else domain$levels
      value <- values[if (last) length(values) else 1]
      if (isTRUE(domain$open) && !last && is.numeric(domain$levels)) value <- values[2]
      rows[[name]][at] <- if (inherits(rows[[name]], "Date")) as.Date(value) else value
    }
    rows
  }
  list(x = moved(FALSE), neighbor = moved(TRUE))
}

# ---- domains from a public table ---------------------------------------------------------------------------------

# Proposes a type for each column of a public file, with bounds rounded outwards or with levels. It guesses types from
# all rows, so the rows must not come from the private data.
public_domains <- function(file, decimal = ".") {
  names <- public_columns(file)
  columns <- table_file(file, structure(rep("text", length(names)), names = names), missing = c("", "NA"))
  Filter(Negate(is.null), lapply(columns, public_domain, decimal))
}

public_columns <- function(file) {
  file <- check_data_file(file)
  if (grepl("[.]parquet$", file, ignore.case = TRUE)) return(names(as.data.frame(parquet_reader()(file))))
  text <- file_text(file)
  each <- lapply(separators, function(separator) text_header(text, separator, file)$names)
  names <- each[[which.max(lengths(each))]]
  unique(names[nzchar(names)])
}

public_domain <- function(x, decimal) {
  x <- x[!is.na(x)]
  if (!length(x)) return(NULL)
  numbers <- read_numbers(x, decimal)
  distinct <- sort(unique(if (anyNA(numbers)) x else numbers))
  if (!anyNA(numbers) && length(distinct) > 2) {
    ends <- range(pretty(range(numbers), 4))
    return(list(type = "number", ends = ends, levels = if (length(distinct) <= 12) distinct))
  }
  days <- read_dates(x)
  if (!anyNA(days) && length(distinct) > 1) {
    years <- as.integer(format(range(days), "%Y"))
    return(list(type = "date", ends = paste0(years, c("-01-01", "-12-31"))))
  }
  # names of people and similar text have too many values for levels
  if (length(distinct) <= 40) list(type = "category", levels = distinct)
}
