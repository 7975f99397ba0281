# Previews of the wizard before there are rows: noise in a table, and a picture of releases of made-up rows or of a
# public table.

# Limits of a simulation, because a preview must not take longer than users wait after a change.
most_simulated <- c(rows = 1e5, places = 2e4, values = 1e5)

# The recipe of the current release alone, with fewer rows if there are too many. Returns NULL if a picture would take
# too long.
preview_recipe <- function(recipe) {
  last <- length(recipe$releases)
  recipe$releases <- recipe$releases[last]
  recipe$budget <- NULL
  recipe$data <- NULL
  size <- if (is.null(recipe$unit$person)) "rows" else "people"
  recipe$unit[[size]] <- min(recipe$unit[[size]], floor(most_simulated[["rows"]] / least_own_rows(recipe)))
  if (grid_places(recipe$releases[[1]]) > most_simulated[["places"]]) return(NULL)
  release_recipe(unclass(recipe))
}

# The number of points of a release's grid, or 0.
grid_places <- function(entry) {
  if (is.null(entry$spacing)) return(0)
  prod(vapply(entry$box, function(side) {
    diff(if (is.character(side)) as.numeric(as.Date(side)) else side) / entry$spacing + 1
  }, 0))
}

# Collects the data for a picture. `public`: NULL or a public table.
make_preview <- function(recipe, public = NULL, seed = 1) {
  trial <- preview_recipe(recipe)
  if (is.null(trial)) return(NULL)
  rows <- lookalike_rows(trial, public)
  scalar <- trial$releases[[1]]$release %in% c("count", "proportion", "mean", "sum", "quantile", "var", "sd") &&
    is.null(trial$releases[[1]]$by) && is.null(trial$releases[[1]]$missing)
  people <- max(20, floor(most_simulated[["values"]] / grid_places(trial$releases[[1]])))
  simulated <- without_weak(simulate_recipe(trial, rows, if (scalar) 100 else 1, seed, people))[[1]]
  list(entry = trial$releases[[1]], rows = rows, simulated = simulated, scalar = scalar,
       fewer = recipe_units(trial) < recipe_units(recipe), public = !is.null(public),
       people = !is.null(trial$unit$person), guarantee = recipe_mechanisms(trial)[[1]]$guarantee)
}

draw_preview <- function(preview) {
  kind <- preview$entry$release
  before <- graphics::par(mar = c(4.5, 5, 2, 1), mgp = c(3.4, 0.7, 0))
  on.exit(graphics::par(before))
  if (preview$scalar) return(draw_numbers(preview))
  if (kind == "diagram") return(draw_shape(preview))
  if (kind == "synthesis") return(draw_columns(preview))
  plot(as_released(preview))
  # adds pale points for the rows if the picture shows the same two columns
  if (kind %in% c("kmeans", "mixture") && length(preview$entry$box) == 2) {
    shown <- preview$rows[seq_len(min(1000, nrow(preview$rows))), names(preview$entry$box)]
    graphics::points(shown, pch = 16, cex = 0.35, col = grDevices::adjustcolor("gray30", 0.3))
  }
  invisible()
}

# Attaches the guarantee, from which pictures compute the noise. The result is used only in the picture.
as_released <- function(preview) attach_guarantee(preview$simulated[[1]], preview$guarantee)

# Draws a strip for each number: a hundred simulated releases, and the value of the rows without noise.
draw_numbers <- function(preview) {
  values <- lapply(preview$simulated, function(one) {
    if (inherits(one, "dptda_private_quantile")) as.double(one$value) else as.double(unclass(one))
  })
  values <- do.call(rbind, values)
  values <- values[, seq_len(min(4, ncol(values))), drop = FALSE]
  exact <- exact_numbers(preview)
  labels <- number_labels(preview, ncol(values))
  graphics::par(mfrow = c(ncol(values), 1), mar = c(3, 1, 2.2, 1), mgp = c(2, 0.7, 0))
  for (j in seq_len(ncol(values))) {
    ends <- range(values[, j], exact[j], finite = TRUE)
    ends <- ends + c(-1, 1) * max(diff(ends) * 0.15, 1e-9 * max(abs(ends)), 1e-300)
    # converts numbers to days if the column has dates
    shown <- function(x) if (is_day_number(preview$entry, j)) format(as.Date(round(x), origin = "1970-01-01")) else x
    graphics::plot.default(values[, j], preview_jitter(nrow(values)), xlim = ends, ylim = c(0, 1), yaxt = "n",
                           ylab = "", xlab = "", xaxt = "n", pch = 16, bty = "n",
                           col = grDevices::adjustcolor(picture_colors[1], 0.35))
    places <- graphics::axTicks(1)
    graphics::axis(1, places, shown(places))
    if (is.finite(exact[j])) graphics::segments(exact[j], 0, exact[j], 1, lwd = 2)
    inner <- stats::quantile(values[, j], c(0.025, 0.975), names = FALSE)
    inner <- if (is_day_number(preview$entry, j)) shown(inner) else signif(inner, 4)
    graphics::mtext(paste0(labels[j], ": 95 of 100 between ", inner[1], " and ", inner[2]), line = 0.6, adj = 0,
                    cex = 0.9 * graphics::par("cex"))
  }
  invisible()
}

# Means and quantiles of dates are dates. Other statistics of dates are numbers.
is_day_number <- function(entry, j) {
  side <- entry$box[[(j - 1) %% max(1, length(entry$box)) + 1]]
  entry$release %in% c("mean", "quantile") && is.character(side)
}

# Vertical positions of points, spread without random numbers.
preview_jitter <- function(n) 0.1 + 0.8 * (seq_len(n) * 0.618034) %% 1

number_labels <- function(preview, count) {
  entry <- preview$entry
  columns <- entry_columns(entry)
  words <- switch(entry$release, quantile = paste0(columns, ", ", quantile_names(quantile_probs(entry))),
                  count = , proportion = paste(columns, names(entry$where[[1]]), toString(entry$where[[1]][[1]])),
                  columns)
  rep_len(words, count)
}

quantile_probs <- function(entry) if (is.null(entry$probs)) 0.5 else entry$probs

# Exact values of the rows if rows are units. They are left out for people.
exact_numbers <- function(preview) {
  entry <- preview$entry
  rows <- preview$rows
  columns <- entry_columns(entry)
  number <- function(f) vapply(columns, function(name) f(as.double(rows[[name]])), 0)
  found <- switch(entry$release,
    count = , proportion = {
      met <- eval(where_call(entry$where), list(x = rows))
      if (entry$release == "count") sum(met) else mean(met)
    },
    mean = number(mean), sum = number(sum), var = number(stats::var), sd = number(stats::sd),
    quantile = stats::quantile(as.double(rows[[columns]]), quantile_probs(entry), type = 1, names = FALSE)
  )
  if (preview$people) NA_real_ * found else unname(found)
}

draw_shape <- function(preview) {
  columns <- names(preview$entry$box)
  graphics::par(mfrow = c(1, 2), mar = c(4, 4, 2.8, 0.5), mgp = c(2.3, 0.7, 0))
  shown <- preview$rows[seq_len(min(2000, nrow(preview$rows))), columns[1:2]]
  graphics::plot.default(shown[[1]], shown[[2]], pch = 16, cex = 0.4, col = "gray45", xlab = columns[1],
                         ylab = columns[2], main = "rows", cex.main = 1, asp = 1)
  plot(as_released(preview), main = "released")
}

# Draws the relative frequencies of columns in the rows and in draws from the model.
draw_columns <- function(preview) {
  schema <- preview$entry$schema
  columns <- names(schema)[seq_len(min(4, length(schema)))]
  drawn <- stats::simulate(preview$simulated[[1]], nsim = nrow(preview$rows), seed = 1)
  graphics::par(mfrow = if (length(columns) > 2) c(2, 2) else c(1, length(columns)), mar = c(4, 3, 2.2, 0.5))
  for (name in columns) {
    cells <- cells_of(schema[[name]])
    shares <- function(x) prop.table(table(cells(x[[name]])))
    share <- rbind(shares(preview$rows), shares(drawn))
    graphics::barplot(share, beside = TRUE, col = c("gray70", picture_colors[1]), border = NA, main = name,
                      cex.main = 1, las = if (max(nchar(colnames(share))) > 4) 2 else 1, cex.names = 0.8)
  }
}

# Returns a function from values to a factor of cells.
cells_of <- function(column) {
  levels <- if (!is.list(column)) column else column$levels
  if (is.list(column) && column$type == "logical") levels <- c(FALSE, TRUE)
  if (!is.null(levels)) return(function(x) factor(as.character(x), union(as.character(levels), "other")))
  numbers <- function(x) if (is.character(x)) as.double(as.Date(x)) else as.double(x)
  ends <- c(numbers(column$lower), numbers(column$upper))
  breaks <- seq(ends[1], ends[2], length.out = 1 + if (is.null(column$cells)) 10 else min(column$cells, 10))
  function(x) {
    from <- breaks[-length(breaks)]
    labels <- if (is.character(column$lower)) format(as.Date(from, origin = "1970-01-01")) else
      format(signif(from, 3), trim = TRUE)
    cut(pmin(pmax(numbers(x), ends[1]), ends[2]), breaks, labels = labels, include.lowest = TRUE, right = FALSE)
  }
}
