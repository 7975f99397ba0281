# A line of cells of one width: 2^bits of them in an interval, or one around each multiple of a step.

new_lattice_line <- function(lower, upper, bits) {
  if (!is.finite(2^bits / (upper - lower))) {
    stop_argument("box", "must be wide enough for 2^", bits, " cells.")
  }
  list(lower = lower, upper = upper, bits = bits)
}

# The multiples of a step in an interval, up to a rounding of its ends, each in the middle of a cell: `first` steps from
# zero is the first one, and `bits` are those of its count.
new_step_line <- function(lower, upper, step) {
  first <- ceiling(lower / step - 1e-9)
  cells <- floor(upper / step + 1e-9) - first + 1
  if (!(cells >= 1 && cells <= 2^24 && abs(first) <= 2^52)) {
    stop_argument("step", "must have from 1 to 2^24 multiples in the box, not ", describe(step), ".")
  }
  line <- new_lattice_line((first - 0.5) * step, (first + cells - 0.5) * step, max(1, ceiling(log2(cells))))
  c(line, list(cells = cells, first = first, step = step))
}

# One day, for a box of dates that has room for a cell for each of its days, or NULL.
day_step <- function(side) if ((floor(side[2]) - ceiling(side[1]) + 1) %in% seq_len(2^24)) 1

lattice_cells <- function(lattice) if (is.null(lattice$step)) 2^lattice$bits else lattice$cells

line_cells <- function(lattice, column) {
  cell_table(list(axis_cells(lattice$lower, lattice$upper, lattice_cells(lattice))), column)
}

# Where cells begin, counted from 0: what was released, in the units of the data and never outside the interval.
line_point <- function(lattice, cell) {
  at <- lattice$lower + (lattice$upper - lattice$lower) * (cell / lattice_cells(lattice))
  ifelse(cell == lattice_cells(lattice), lattice$upper, pmin(pmax(at, lattice$lower), lattice$upper))
}

# Of a step the multiple itself, as it is written: 3 / 10 and not 3 * 0.1.
line_middle <- function(lattice, cell) {
  if (is.null(lattice$step)) return(line_point(lattice, cell + 0.5))
  each <- round(1 / lattice$step)
  if (is.finite(each) && abs(each * lattice$step - 1) < 1e-12) (lattice$first + cell) / each else
    (lattice$first + cell) * lattice$step
}

# The first and the last that a row of a cell may be.
first_of <- function(lattice, cell) (if (is.null(lattice$step)) line_point else line_middle)(lattice, cell)
last_of <- function(lattice, cell) if (is.null(lattice$step)) line_point(lattice, cell + 1) else first_of(lattice, cell)
