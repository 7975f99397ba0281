test_that("a guarantee prints in three lines that say what was promised", {
  release <- small_release()
  lines <- format(privacy(release))
  expect_length(lines, 3)
  expect_match(lines[1], "epsilon = 2 differential privacy for one row (replace one row, n public)", fixed = TRUE)
  expect_match(lines[2], "sampler: exact", fixed = TRUE)
  expect_match(lines[3], "randomness: operating system", fixed = TRUE)
  expect_output(print(privacy(release)), "epsilon = 2")
  expect_null(privacy(data.frame(x = 1)))
})

test_that("only a release says that its sampler is exact, and a composition takes the worst of its parts", {
  exact <- list(small_release(), private_count(TRUE, 1), private_mean(1, domain_box(0, 1), 1),
                suppressWarnings(private_bounds(1, 1)),
                private_table("a", "a", 1), private_frechet_mean(c(0, 0, 1), manifold_sphere(2), c(0, 0, 1), .5, 1))
  for (release in exact) expect_identical(privacy(release)$sampler, "exact")
  expect_identical(privacy_compose(exact[[2]], exact[[3]])$sampler, "exact")
  expect_identical(privacy_convert(exact[[2]], "rho")$sampler, "exact")
  expect_identical(privacy_group(privacy(exact[[2]]), 2)$sampler, "exact")
  budget <- privacy_budget(epsilon = 1)
  private_count(TRUE, 1, budget = budget)
  declared <- privacy_declare(epsilon = 1)
  for (unknown in list(declared, privacy_convert(c(mu = 1), delta = 1e-6), privacy_subsample(1, 10, rate = .1),
                       privacy_compose(exact[[2]], declared), privacy_compose(declared, exact[[2]]),
                       privacy_convert(budget, "rho"))) {
    expect_match(format(unknown)[2], "sampler: not known", fixed = TRUE)
  }
})

test_that("a seeded release is stamped", {
  expect_match(format(privacy(small_release(rng = "R")))[1], "SEEDED: NOT PRIVATE", fixed = TRUE)
})

test_that("the ledger adds up to the declared budget over many settings", {
  for (dimension in 0:1) {
    for (utility in c("max", "sum")) {
      for (value in c(.01, 1, 7)) {
        ledger <- privacy(small_release(epsilon = value, utility = utility, max_dimension = dimension))$ledger
        expect_identical(names(ledger), c("step", "measure", "value"))
        expect_identical(nrow(ledger), 1L)
        expect_equal(sum(ledger$value), value)
        concentrated <- private_diagram(circle_points(), small_grid(), m0 = .1, rho = value, utility = utility,
                                        max_dimension = dimension)
        expect_equal(privacy(concentrated)$measure, c(rho = value))
        expect_equal(sum(privacy(concentrated)$ledger$value), value)
      }
    }
  }
})

test_that("the rates of the groups spend exactly what is declared", {
  grid <- small_grid()
  for (utility in c("max", "sum")) {
    for (top in 0:1) {
      pure <- diagram_plan(100, grid, c(epsilon = 3), .1, 1, Inf, 0:top, 5, TRUE, utility)
      # one exponential mechanism of rate a spends 2 a Delta; independent ones add up
      expect_equal(sum(vapply(pure$groups, `[[`, 0, "rate")) * 2 * pure$sensitivity, 3)
      smooth <- diagram_plan(100, grid, c(rho = .5), .1, 1, Inf, 0:top, 5, TRUE, utility)
      epsilons <- vapply(smooth$groups, `[[`, 0, "rate") * 2 * smooth$sensitivity
      expect_equal(sum(epsilons^2 / 8), .5)
      expect_setequal(unlist(lapply(pure$groups, `[[`, "dimensions")), 0:top)
    }
  }
})
