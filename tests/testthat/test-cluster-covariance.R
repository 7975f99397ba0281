
test_that("pictures of correlations name every column, say once what is gray, and are pale there", {
  X <- withr::with_seed(5, matrix(stats::rnorm(400), 100, dimnames = list(NULL, paste0("a.long.name.", 1:4))))
  x <- data.frame(X, g = rep(c("a", "b"), 50))
  box <- domain_box(structure(rep(-9, 4), names = colnames(X)), 9)
  fit <- withr::with_seed(6, private_covariance(x, box, rho = 1, rng = "R"))
  expect_true(all(table(factor(drawn_text(plot(fit), 5, 4), colnames(X))) == 2))
  cells <- correlation_cells(fit)
  expect_true(any(cells$noisy) && all(abs(cells$shade[cells$noisy]) <= 0.25))
  groups <- withr::with_seed(6, private_covariance(x, box, rho = 1, by = list(g = c("a", "b")), rng = "R"))
  expect_length(grep("^correlations", drawn_text(plot(groups))), 1)
})
