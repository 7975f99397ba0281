# A short audit of every mechanism of the package; the long ones are in
# inst/audits. Seed fixed, at confidence 99 %: an honest mechanism is rejected
# with probability at most 0.01.

audits <- new.env(parent = globalenv())
sys.source(system.file("audits", "mechanisms.R", package = "dptda"), audits)
audits$audit_source <- "R"

test_that("no mechanism is caught by a short audit, and none looks idle", {
  skip_unless_long()
  set.seed(320)
  for (entry in audits$audited_mechanisms()) {
    # releases that are drawn one by one take most of the time
    found <- audits$audit_entry(entry, runs = if (is.null(entry$draws)) 80 else 200)
    expect_false(found$rejected, info = entry$name)
    # the pairs that attain the sensitivity must show something (with r = 500 the pair goes half of the way)
    attained <- entry$name %in% paste0("private_diagram(max, ", c("number learned)", "one point)"))
    if (attained) expect_gt(found$estimate, 0.5)
  }
})

at_once <- function(kind) {
  Filter(function(entry) !is.null(entry$draws) && startsWith(entry$name, kind), audits$audited_mechanisms())
}

test_that("draws made at once are the releases that they stand for", {
  expect_length(c(at_once("private_frechet_mean"), at_once("private_diagram"), at_once("private_synthesis"), at_once("choice of parents")),
                length(at_once("")))
  for (entry in at_once("private_frechet_mean")) {
    for (data in entry$pair) {
      set.seed(321)
      released <- entry$release(data)
      set.seed(321)
      drawn <- as.vector(entry$draws(data, 1))
      # the centers of the ambient ones are their own coordinates
      seen <- if (released$method != "ambient") {
        utils::head(unname(privacy_features(released)), -1)
      } else {
        sqrt(sum((released$value - released$center)^2))
      }
      expect_equal(seen, if (released$method != "ambient") drawn else sqrt(sum(drawn^2)))
    }
  }
})

test_that("diagrams drawn at once are the releases that they stand for", {
  skip_if_not_installed("ripserr", "1.0.0")
  for (entry in at_once("private_diagram")) for (data in entry$pair) {
    set.seed(322)
    released <- entry$release(data)
    set.seed(322)
    expect_identical(entry$draws(data, 1)[[1]][1:3], data.frame(released)[1:3], ignore_attr = TRUE)
  }
})

test_that("tables published at once are the releases that they stand for", {
  for (entry in c(at_once("private_synthesis"), at_once("choice of parents"))) for (data in entry$pair) {
    set.seed(323)
    released <- entry$release(data)
    set.seed(323)
    expect_identical(as.vector(entry$draws(data, 1)), released, info = entry$name)
  }
})

test_that("the committed table covers every mechanism, and rejects none", {
  table <- utils::read.csv(system.file("audits", "results", "audits.csv", package = "dptda"))
  names <- vapply(audits$audited_mechanisms(), `[[`, "", "name")
  expect_setequal(table$mechanism, names)
  expect_false(any(table$rejected))
  expect_true(all(table$lower <= table$declared))
  # two releases take longer than all others
  expect_true(all(table$runs >= ifelse(endsWith(table$mechanism, "after a mixture)"), 2000, 10000)))
})
