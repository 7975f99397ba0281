# The wizard in a real browser, where there is one.

test_that("a mean, a diagram and a synthesis go the whole way, in two browsers, and spend what they say", {
  skip_if_instrumented()
  folder <- withr::local_tempdir()
  wizard <- local_wizard(folder)
  withr::local_seed(1)
  angle <- stats::runif(400, 0, 2 * pi)
  rows <- data.frame(x = cos(angle), y = sin(angle), sex = rep(c("f", "m"), 200))
  utils::write.csv(rows, file.path(folder, "rows.csv"), row.names = FALSE)
  ledger <- file.path(folder, "ledger.txt")

  begin <- function(page, group, kind) {
    pick(page, "group", group)
    wait_for(in_page(page, sprintf("!!document.querySelector(\"input[name='kind'][value='%s']\")", kind)))
    pick(page, "kind", kind)
    go_on(page, "2")
    type_in(page, n = "400")
    go_on(page, "3")
  }
  end <- function(page, name) {
    go_on(page, "4")
    type_in(page, epsilon = "1", ledger = "ledger.txt", total = "3")
    go_on(page, "5")
    wait_for(grepl("private_", text_in(page, "script")))
    press(page, "save")
    wait_for(grepl(paste0(name, ".yaml"), text_in(page, "saved"), fixed = TRUE))
    type_in(page, file = "rows.csv")
    press(page, "sure")
    Sys.sleep(0.5)
    press(page, "run")
    wait_for(grepl("Released", text_in(page, "done")))
    recipe <- release_recipe(file.path(folder, paste0(name, ".yaml")))
    made <- read_guarantee(file.path(folder, paste0(name, "-privacy.yaml")))
    expect_identical(made$measure, recipe_mechanisms(recipe)[[1]]$guarantee$measure)
  }

  # two pages at once
  mean <- wizard$page()
  shape <- wizard$page(400)
  begin(mean, "numbers", "mean")
  begin(shape, "shape", "diagram")
  type_in(mean, name_1 = "x", lower_1 = "2", upper_1 = "-2")
  press(mean, "forth")
  # a page shows a problem for what was typed a third of a second ago, and then for all of it
  wait_for(grepl("the second above the first", text_in(mean, "problem")))
  type_in(mean, lower_1 = "-2", upper_1 = "2")
  wait_for(grepl("epsilon = 1 differential", text_in(mean, "panel")))
  type_in(shape, name_1 = "x", lower_1 = "-2", upper_1 = "2", name_2 = "y", lower_2 = "-2", upper_2 = "2",
          spacing = "0.25")
  # nothing is wider than the page
  expect_lte(in_page(shape, "document.documentElement.scrollWidth"), 400)
  expect_false(file.exists(ledger))
  # a curve is of people
  curve <- wizard$page()
  expect_identical(in_page(curve, "document.querySelector(\"input[name='unit']:checked\").value"), "row")
  pick(curve, "group", "shape")
  wait_for(in_page(curve, "!!document.querySelector(\"input[name='kind'][value='curve']\")"))
  pick(curve, "kind", "curve")
  expect_true(wait_for(in_page(curve, "document.querySelector(\"input[name='unit']:checked\").value == 'person'")))
  curve$close()
  # one that is closed in the middle spends nothing
  third <- wizard$page()
  begin(third, "table", "table")
  third$close()
  expect_false(file.exists(ledger))
  end(mean, "mean")
  end(shape, "diagram")
  expect_identical(privacy_budget(file = ledger)$spent, 2)

  synthesis <- wizard$page()
  begin(synthesis, "synthesis", "synthesis")
  type_in(synthesis, name_1 = "x", lower_1 = "-2", upper_1 = "2", name_2 = "sex", type_2 = "category")
  type_in(synthesis, levels_2 = "f, m", rows = "10")
  end(synthesis, "synthesis")
  expect_identical(nrow(utils::read.csv(file.path(folder, "synthesis.csv"))), 10L)
  expect_identical(privacy_budget(file = ledger)$spent, 3)
  # the budget is spent
  press(synthesis, "run")
  wait_for(grepl("must be ticked", text_in(synthesis, "done")))
  press(synthesis, "sure")
  Sys.sleep(0.5)
  press(synthesis, "run")
  wait_for(grepl("cannot be charged", text_in(synthesis, "done")))

  # nothing that the page does was refused by its policy, and what it does not do is
  for (page in list(mean, shape, synthesis)) expect_identical(in_page(page, "window.refused.join()"), "")
  in_page(mean, "(function() { new Image().src = 'http://127.0.0.1:9/x.png' })()")
  expect_match(wait_for(in_page(mean, "window.refused.join()")), "img-src http://127.0.0.1:9")
})
