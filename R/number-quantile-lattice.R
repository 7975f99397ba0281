# A line of cells of equal width: 2^bits of them in an interval, or one around each multiple of a step.

new_lattice_line <- function(lower, upper, bits) {
  if (!is.finite(2^bits / (upper - lower))) {
    stop_argument("box", "must be wide enough for 2^", bits, " cells.")
  }
  list(lower = lower, upper = upper, bits = bits)
}

# Makes one cell around each multiple of a step in an interval, up to rounding of its bounds. `first`: the first
# multiple, in steps from zero. `bits`: the binary digits of the number of cells.
new_step_line <- function(lower, upper, step) {
  first <- ceiling(lower / step - 1e-9)
  cells <- floor(upper / step + 1e-9) - first + 1
  if (!(cells >= 1 && cells <= 2^24 && abs(first) <= 2^52)) {
    stop_argument("step", "must have from 1 to 2^24 multiples in the box, not ", describe(step), ".")
  }
  line <- new_lattice_line((first - 0.5) * step, (first + cells - 0.5) * step, max(1, ceiling(log2(cells))))
  c(line, list(cells = cells, first = first, step = step))
}

# Returns a step of one day if a box of dates has room for one cell for each of its days, otherwise NULL.
day_step <- function(side) if ((floor(side[2]) - ceiling(side[1]) + 1) %in% seq_len(2^24)) 1

lattice_cells <- function(lattice) if (is.null(lattice$step)) 2^lattice$bits else lattice$cells

line_cells <- function(lattice, column) {
  cell_table(list(axis_cells(lattice$lower, lattice$upper, lattice_cells(lattice))), column)
}

# Returns the start of cells, counted from 0, in the units of the data and never outside the interval.
line_point <- function(lattice, cell) {
  at <- lattice$lower + (lattice$upper - lattice$lower) * (cell / lattice_cells(lattice))
  ifelse(cell == lattice_cells(lattice), lattice$upper, pmin(pmax(at, lattice$lower), lattice$upper))
}

# Returns the middle of a cell. With a step, that is the multiple as it is written: 3 / 10, not 3 * 0.1.
line_middle <- function(lattice, cell) {
  if (is.null(lattice$step)) return(line_point(lattice, cell + 0.5))
  each <- round(1 / lattice$step)
  if (is.finite(each) && abs(each * lattice$step - 1) < 1e-12) (lattice$first + cell) / each else
    (lattice$first + cell) * lattice$step
}

# Returns the smallest possible row of a cell. last_of() returns the largest.
first_of <- function(lattice, cell) (if (is.null(lattice$step)) line_point else line_middle)(lattice, cell)
last_of <- function(lattice, cell) if (is.null(lattice$step)) line_point(lattice, cell + 1) else first_of(lattice, cell)

quantile_names <- function(probs) {
  paste0(formatC(100 * probs, format = "fg", width = 1, digits = 7, decimal.mark = "."), "%")
}

# Describes values and ranks. Equal rows share a cell, and its middle may differ from all of them. Many equal rows in
# one of many cells are also hard to find.
cell_words <- function(lattice, class = NULL) {
  if (!is.null(lattice$step)) {
    step <- width_words(lattice$step, class)
    return(paste0("Values are ", if (step == "1 days") "days" else paste("multiples of", step),
                  ", and ranks are those of rows moved to the nearest one."))
  }
  paste0("Values are midpoints of cells of width ",
         width_words((lattice$upper - lattice$lower) / lattice_cells(lattice), class),
         ", and ranks are those of rows moved there. If many rows are equal, use `step`.")
}
