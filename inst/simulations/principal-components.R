# Which of the two methods of private_pca() finds a plane of three axes, and which one public numbers choose. Normal
# rows with standard deviations of 1, .9 and .7 along three axes and `rest` along all others, in turned coordinates; a
# box of `side` to each side, of which they are a sixth away from the middle; delta = 1e-6. Medians of five releases:
# the largest angle in degrees between the released plane and that of the rows.
source("inst/simulations/common.R")
set.seed(41)
releases <- sized(5)

settings <- expand.grid(rest = c(0.1, 0.3), side = c(6, 60), epsilon = c(0.25, 1), n = c(1000, 5000, 20000),
                        columns = c(5, 10, 20, 50))

normal_rows <- function(n, columns, rest) {
  turned <- qr.Q(qr(matrix(rnorm(columns^2), columns)))
  list(x = matrix(rnorm(n * columns), n) %*% (c(1, 0.9, 0.7, rep(rest, columns - 3)) * t(turned)),
       plane = turned[, 1:3])
}

angle <- function(U, V) acos(min(1, svd(crossprod(U, V))$d)) * 180 / pi

one_release <- function(s, box) {
  rows <- normal_rows(s$n, s$columns, s$rest)
  vapply(c(covariance = "covariance", ball = "ball"), function(method) {
    pca <- suppressWarnings(dptda::private_pca(rows$x + s$side / 6, box, 3, epsilon = s$epsilon, delta = 1e-6,
                                               method = method, rng = "R"))
    angle(pca$rotation, rows$plane)
  }, 0)
}

summary_of <- function(i) {
  s <- settings[i, ]
  box <- dptda::domain_box(rep(-s$side, s$columns), rep(s$side, s$columns))
  planned <- suppressWarnings(dptda::private_pca(unseen(s$n), box, 3, epsilon = s$epsilon, delta = 1e-6))
  chosen <- dptda::privacy_price(planned)$guarantee$public$method
  found <- apply(replicate(releases, one_release(s, box)), 1, stats::median)
  data.frame(s[c("columns", "n", "epsilon", "side", "rest")], covariance = signif(found[[1]], 3),
             ball = signif(found[[2]], 3), chosen)
}

write_table(do.call(rbind, repetitions(nrow(settings), summary_of)), "principal-components")
record_time("principal-components.R")
