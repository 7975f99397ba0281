# Small public settings and data that many tests share.
small_box <- function() domain_box(c(-2, -2), c(2, 2))
small_grid <- function(by = .25) domain_grid(small_box(), by = by)
circle_points <- function(n = 400) {
  angle <- 2 * pi * seq_len(n) / n
  cbind(cos(angle), sin(angle))
}
small_release <- function(..., epsilon = 2, m0 = .1) {
  private_diagram(circle_points(), small_grid(), epsilon = epsilon, m0 = m0, ...)
}
