# What audits of mechanisms rest on: that they draw what is released, and that the long ones (inst/audits) cover all.
# Short ones are in test-audit-lies.R.

test_that("what a mechanism draws is what the exported function releases", {
  skip_if_not_installed("ripserr", "1.0.0")
  for (example in Filter(function(one) !is.null(one$release) && !one$slow, mechanism_examples())) {
    # the candidates of the plan come from the stream as well, where they are many: here all of them are taken
    for (data in example[c("x", "neighbor")]) {
      first <- structure(list(data), names = names(formals(example$release))[1])
      set.seed(322)
      released <- suppressWarnings(do.call(example$release, c(first, example$settings, list(rng = "R"))))
      studied <- simulate(example$mechanism, 1, seed = 322, x = data)[[1]]
      attr(released, "privacy") <- attr(released, "released") <- NULL
      expect_equal(studied, released, info = example$name)
    }
  }
})

# That each mechanism has its row is seen in test-privacy-examples.R.
test_that("the committed table is of mechanisms that there are, and rejects none", {
  table <- utils::read.csv(system.file("audits", "results", "audits.csv", package = "dptda"))
  examples <- mechanism_examples()
  expect_identical(setdiff(table$mechanism, names(examples)), character())
  expect_false(any(table$rejected))
  expect_true(all(table$lower <= table$declared))
  declared <- vapply(examples, function(one) one$mechanism$guarantee$measure[[1]], 0)
  expect_equal(table$declared, unname(declared[table$mechanism]), tolerance = 1e-6)
  # models of shapes are drawn in a tenth of a second each
  slow <- vapply(examples, `[[`, NA, "slow")
  shapes <- grepl("topology", table$mechanism)
  expect_true(all(table$runs >= ifelse(shapes, 400, ifelse(slow[table$mechanism], 2000, 10000))))
})
