# Every mechanism of the package on a pair of neighboring data sets that
# attains its sensitivity, or comes near: found by find_worst_neighbors(), the
# calls stand beside the data. One entry: the declared guarantee, the pair and
# the release. Read by audits.R and by the short audits in the tests.

unit_interval <- domain_grid(domain_box(0, 1), by = 0.05)
unit_square <- domain_grid(domain_box(c(0, 0), c(1, 1)), by = 0.1)

# find_worst_neighbors(function(x) dtm_persistence(matrix(x), unit_interval, m0 = 1, essential = "cap", cap = 1),
#                      c(0, 0.5, 1), 2, distance = function(a, b) bottleneck_distance(a, b, dimension = 0))
two_numbers <- list(x = matrix(c(0, 0)), neighbor = matrix(c(0, 1)))

# the same with corners and midpoints of the square, n = 4, m0 = 0.5, and the sum of the distances over both
# dimensions: 0.604 of a possible 0.707 in each
four_points <- list(
  x = rbind(c(0, 0), c(1, 0), c(1, 1), c(0, 0)),
  neighbor = rbind(c(0, 0), c(1, 0), c(1, 1), c(0, 1))
)

diagram_entry <- function(name, pair, grid, ..., epsilon = NULL, rho = NULL) {
  list(
    name = paste0("private_diagram(", name, ")"), pair = pair, epsilon = epsilon, rho = rho,
    release = function(X) private_diagram(X, grid, epsilon, rho = rho, essential = "cap", ..., rng = audit_source)
  )
}

# Numbers by discrete noise: the whole sensitivity shows in the output, so the bound comes near the declared epsilon.
number_entry <- function(name, x, neighbor, release, epsilon = NULL, rho = NULL) {
  list(
    name = name, pair = list(x = x, neighbor = neighbor), epsilon = epsilon, rho = rho,
    release = function(data) release(data, epsilon = epsilon, rho = rho, rng = audit_source)
  )
}

number_entries <- function() {
  cells <- function(data, ...) private_histogram(data, levels = c("a", "b", "c"), ...)
  total <- function(data, ...) private_sum(data, box = domain_box(0, 1), ...)
  average <- function(data, ...) private_mean(data, box = domain_box(0, 1), ...)
  range <- function(data, ...) private_bounds(data, exponents = c(0, 8), ...)
  # both intervals hold about as many rows as decide whether they are kept
  at_threshold <- function(small) rep(c(3, 100), c(small, 28 - small))
  list(
    number_entry("private_count", c(TRUE, FALSE), c(TRUE, TRUE), private_count, epsilon = 1),
    number_entry("private_count(rho)", c(TRUE, FALSE), c(TRUE, TRUE), private_count, rho = 0.5),
    number_entry("private_histogram", c("a", "b"), c("a", "a"), cells, epsilon = 1),
    number_entry("private_histogram(rho)", c("a", "b"), c("a", "a"), cells, rho = 0.5),
    number_entry("private_sum", two_numbers$x, two_numbers$neighbor, total, epsilon = 1),
    number_entry("private_sum(rho)", two_numbers$x, two_numbers$neighbor, total, rho = 0.5),
    number_entry("private_mean", two_numbers$x, two_numbers$neighbor, average, epsilon = 1),
    number_entry("private_bounds", at_threshold(14), at_threshold(13), range, epsilon = 1)
  )
}

# The operating system's entropy, or R's stream where an audit must be repeatable.
audit_source <- "os"

audited_mechanisms <- function() c(number_entries(), diagram_entries())

diagram_entries <- function() {
  line <- function(...) diagram_entry(..., pair = two_numbers, grid = unit_interval, m0 = 1, max_dimension = 0)
  square <- function(...) diagram_entry(..., pair = four_points, grid = unit_square, m0 = 0.5)
  list(
    line("max, number learned", epsilon = 6),
    line("max, one point", epsilon = 6, learn_points = FALSE, max_points = 1),
    square("max, two dimensions", epsilon = 6, utility = "max"),
    square("sum, two dimensions", epsilon = 6, utility = "sum"),
    square("sum, two points in each dimension", epsilon = 6, utility = "sum", learn_points = FALSE, max_points = 2),
    line("rho, number learned", rho = 4.5),
    square("rho, two dimensions", rho = 4.5)
  )
}

audit_entry <- function(entry, runs, cores = 1) {
  audit_privacy(entry$release, entry$pair$x, entry$pair$neighbor, entry$epsilon, rho = entry$rho, runs = runs,
                cores = cores)
}
