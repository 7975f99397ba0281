# A short audit of every mechanism of the package; the long ones are in inst/audits. Seed fixed, at confidence 99 %: an
# honest mechanism is rejected with probability at most 0.01.

test_that("no mechanism is caught by a short audit, and none looks idle", {
  skip_unless_long()
  set.seed(320)
  for (example in mechanism_examples()) {
    # what is drawn one by one takes most of the time
    found <- privacy_audit(example$mechanism, example$x, example$neighbor, part = example$part, rng = "R",
                           runs = if (example$slow) 40 else 200)
    expect_false(found$rejected, info = example$name)
    # the pairs that attain the sensitivity must show something (with r = 500 the pair goes half of the way)
    attained <- example$name %in% paste0("private_diagram(max, ", c("number learned)", "one point)"))
    if (attained) expect_gt(found$estimate, 0.5)
  }
})

test_that("half of the noise is caught, whatever has additive noise", {
  set.seed(321)
  additive <- Filter(function(one) inherits(one$mechanism$plan, "additive"), mechanism_examples())
  expect_gt(length(additive), 15)
  # the decision of private_bounds() about one interval tells little; of epsilon with delta one event shows a part
  for (example in additive[!names(additive) %in% c("private_bounds", "private_count(delta)")]) {
    lie <- example$mechanism
    lie$plan$noise$scale <- lie$plan$noise$scale / 2
    found <- privacy_audit(lie, example$x, example$neighbor, part = example$part, runs = 4000, rng = "R")
    expect_true(found$rejected, info = example$name)
  }
})

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

test_that("the committed table covers every mechanism, and rejects none", {
  table <- utils::read.csv(system.file("audits", "results", "audits.csv", package = "dptda"))
  examples <- mechanism_examples()
  expect_setequal(table$mechanism, names(examples))
  expect_false(any(table$rejected))
  expect_true(all(table$lower <= table$declared))
  declared <- vapply(examples, function(one) one$mechanism$guarantee$measure[[1]], 0)
  expect_equal(table$declared, unname(declared[table$mechanism]), tolerance = 1e-6)
  # models of shapes are drawn in a tenth of a second each
  slow <- vapply(examples, `[[`, NA, "slow")
  shapes <- grepl("topology", table$mechanism)
  expect_true(all(table$runs >= ifelse(shapes, 400, ifelse(slow[table$mechanism], 2000, 10000))))
})
