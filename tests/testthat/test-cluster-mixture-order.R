# The components of a private mixture have one order: by weight, the heaviest first.

test_that("components are numbered by weight in print, summary, table and labels", {
  set.seed(43)
  x <- cbind(u = rep(c(1, 5, 9), c(150, 1000, 400)) + stats::rnorm(1550, 0, 0.2), v = stats::rnorm(1550, 4, 0.3))
  box <- domain_box(c(u = 0, v = 0), 12)
  for (features in c("whitened", "box")) for (i in 1:4) {
    fit <- private_mixture(x, box, 3, rho = 30, features = features, assignment = "hard", rng = "R")
    expect_false(is.unsorted(-fit$weights), info = features)
    expect_identical(summary(fit)$weight, fit$weights)
    expect_identical(as.data.frame(fit)$component, 1:3)
    expect_identical(as.data.frame(fit)$weight, fit$weights)
    lines <- utils::capture.output(print(fit))
    row <- function(k) as.double(strsplit(trimws(grep(paste0("^", k, " +[0-9]"), lines, value = TRUE)), " +")[[1]])
    for (k in 1:3) expect_equal(row(k)[1:2], c(k, fit$weights[k]), tolerance = 0.01)
    # labels are those numbers: most rows of the heaviest component have its own
    if (features == "whitened") {
      expect_identical(unname(stats::predict(fit, fit$means)), 1:3)
      expect_equal(as.vector(table(factor(predict(fit, x), 1:3))) / 1550, fit$weights, tolerance = 0.1)
    }
  }
})
