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

# The operating system's entropy, or R's stream where an audit must be repeatable.
audit_source <- "os"

audited_mechanisms <- function() {
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
