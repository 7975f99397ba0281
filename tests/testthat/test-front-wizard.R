# The wizard without a browser: what was typed becomes a recipe, what is shown, and what spends.

# What is typed for a kind that is not written out: what its recipe of every_kind() says of columns, and its settings.
typed_recipe <- function(entry) {
  domain <- recipe_kinds[[entry$release]]$needs[1]
  columns <- entry[[domain]]
  fields <- switch(domain, box = list(lower = lapply(columns, `[`, 1), upper = lapply(columns, `[`, 2)),
                   levels = list(levels = lapply(columns, paste, collapse = ", ")))
  each <- lapply(seq_along(columns), function(i) {
    own <- c(list(name = names(columns)[i]), lapply(fields, function(values) as.character(values[[i]])))
    structure(own, names = paste0(names(own), "_", i))
  })
  c(unlist(each, recursive = FALSE), lapply(entry[setdiff(recipe_kinds[[entry$release]]$needs, domain)], as.character))
}

test_that("what is typed is a recipe for each kind", {
  box <- list(name_1 = "age", lower_1 = "15", upper_1 = "50", name_2 = "parity", lower_2 = "0", upper_2 = "10")
  given <- list(
    count = list(name_1 = "case", test_1 = "is", value_1 = "1"),
    proportion = list(name_1 = "education", test_1 = "one_of", value_1 = "0-5yrs, 12+ yrs"),
    mean = c(box, list(by_name = "education", by_levels = "0-5yrs; 6-11yrs", omit = TRUE)),
    quantile = c(box[1:3], list(probs = "0.25, 0.75", step = "1")),
    covariance = c(box, list(by_name = "education", by_levels = "0-5yrs, 6-11yrs")),
    histogram = list(name_1 = "age", lower_1 = "15", upper_1 = "50", cells_1 = "7"),
    diagram = c(box, list(m0 = "0.1", clip = "5", max_dimension = "1")),
    curve = c(box, list(m0 = "0.1", curve = "life", range = "0, 20", dimension = "1", radius = "0.5", clip = "")),
    synthesis = list(name_1 = "age", type_1 = "number", lower_1 = "15", upper_1 = "50", cells_1 = "7",
                     name_2 = "education", type_2 = "category", levels_2 = "0-5yrs, 6-11yrs", name_3 = "ok",
                     type_3 = "logical", name_4 = "day", type_4 = "date", lower_4 = "2024-01-01",
                     upper_4 = "2024-12-31", rows = "9")
  )
  others <- setdiff(names(recipe_kinds), names(given))
  given[others] <- lapply(every_kind()[others], typed_recipe)
  expect_setequal(unlist(lapply(names(wizard_groups), wizard_kinds)), names(recipe_kinds))
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  for (kind in names(given)) {
    values <- c(given[[kind]], list(kind = kind, unit = if (needs_people(kind)) "person" else "row", person = "who",
                                    n = "300", cost = "epsilon", epsilon = "1",
                                    delta = "1e-6"))
    recipe <- wizard_recipe(values)
    expect_identical(recipe$releases[[1]]$release, kind)
    for (step in 1:5) expect_null(wizard_problem(values, step), info = paste(kind, step))
    preview <- make_preview(recipe)
    failed <- tryCatch(is.null(draw_preview(preview)), error = conditionMessage)
    expect(!is.character(failed), paste0("the wizard shows no picture of ", kind, ": ", failed))
    expect_match(preview_caption(preview, list(recipe = recipe)), "Simulated")
    expect_match(as.character(noise_panel(recipe, recipe_mechanisms(recipe))), "epsilon = 1")
  }
})

test_that("a wrong input is said at its step, in the words of the page", {
  problem <- function(step, ...) wizard_problem(typed_mean(...), step)
  expect_null(problem(5))
  expect_match(problem(2, n = ""), "how many` must be given")
  expect_match(problem(2, n = "many"), "must be one integer")
  expect_match(problem(2, unit = "person"), "the column that identifies people")
  expect_match(problem(2, kind = "curve"), "^`unit` must be one person, because each person's own rows become")
  expect_match(problem(3, name_1 = ""), "column` must be named")
  expect_match(problem(3, name_2 = "age", lower_2 = "1", upper_2 = "2"), "is there twice")
  expect_match(problem(3, upper_1 = ""), "age` must have a lower and an upper bound")
  expect_match(problem(3, lower_1 = "50", upper_1 = "15"), "^`age` must be [[]lower, upper], the second above")
  expect_match(problem(3, lower_1 = "old"), "numbers or of dates")
  expect_match(problem(3, by_name = "sex"), "levels of the groups")
  expect_match(problem(3, kind = "count", value_1 = ""), "a value that it is compared with")
  expect_match(problem(3, kind = "table"), "levels, with commas")
  expect_match(problem(3, kind = "kmeans"), "takes at least 2")
  expect_match(problem(4, epsilon = "none"), "epsilon` must be one finite number above 0")
  expect_match(problem(4, cost = "rho", rho = ""), "must have either `epsilon`, `rho`, or `mu`")
  expect_match(problem(4, cost = "mu", mu = "0"), "mu` must be one finite number above 0")
  expect_match(problem(5, total = "0.5"), "cannot be charged")
  expect_match(problem(5, ledger = file.path(tempdir(), "none.txt")), "There is no")
  expect_null(problem(3, kind = "count", test_1 = "is", value_1 = "TRUE"))
})

test_that("a mean curve needs its settings, and its grid is chosen if none is typed", {
  skip_without_wizard()
  problem <- function(...) wizard_problem(utils::modifyList(typed_mean(
    kind = "curve", unit = "person", person = "who", name_2 = "b", lower_2 = "0", upper_2 = "70", m0 = "0.1",
    curve = "landscape", range = "0; 20", dimension = "1", radius = "2", level = "", smooth = "", spacing = ""
  ), list(...)), 3)
  expect_null(problem())
  expect_null(problem(spacing = "5", level = "2", smooth = "4"))
  expect_match(problem(range = "20"), "range` must be a pair")
  expect_match(problem(range = ""), "must have `range` for a mean curve")
  expect_match(problem(radius = ""), "must have `radius` for a mean curve")
  expect_match(problem(radius = "0"), "radius` must be one finite number above 0")
  expect_match(problem(dimension = "2"), "dimension` must be below the number of columns, 2, not 2")
  expect_match(problem(level = "2", curve = "betti"), "level` goes with")
  expect_match(problem(smooth = "100"), "smooth` must be")
  expect_match(problem(unit = "row"), "must be one person")
  asked <- as.character(wizard_setting_inputs("curve", list(curve = "betti")))
  for (name in setdiff(unlist(recipe_kinds$curve[c("needs", "may")]), c("box", "r", "normalize", "size"))) {
    expect_match(asked, paste0("id=\"", name, "\""), fixed = TRUE)
  }
  expect_match(asked, "<option value=\"betti\" selected>")
})

test_that("people, ledgers and releases that were kept are in the recipe", {
  values <- typed_mean(unit = "person", person = "patient", ledger = "l.txt", total = "2", file = "a.csv",
                       decimal = ",", label = "mean age")
  kept <- list(list(release = "count", where = list(case = list(is = 1)), epsilon = 0.5))
  recipe <- wizard_recipe(values, kept)
  expect_identical(recipe$unit, list(people = 248, person = "patient"))
  expect_identical(recipe$budget, list(epsilon = 2, ledger = "l.txt"))
  expect_identical(recipe$data, list(file = "a.csv", decimal = ","))
  expect_identical(vapply(recipe$releases, `[[`, "", "name"), c("count", "mean_age"))
  expect_true(make_preview(recipe)$people)
  values <- typed_mean(cost = "delta", delta = "1e-6", total = "2", total_delta = "1e-5")
  expect_identical(wizard_recipe(values)$budget, list(epsilon = 2, delta = 1e-5))
  recipe <- wizard_recipe(typed_mean(cost = "mu", mu = "0.4", total = "2"))
  expect_identical(recipe$budget, list(mu = 2))
  expect_identical(recipe$releases[[1]]$mu, 0.4)
  expect_null(recipe$releases[[1]]$epsilon)
})

test_that("a public file proposes columns, with ends that are rounded outwards, and nothing where one is named", {
  file <- withr::local_tempfile(fileext = ".csv")
  public <- transform(infert, day = as.Date("2023-03-01") + stratum, who = paste("person", seq_len(248)))
  utils::write.csv(public, file, row.names = FALSE)
  base <- list(kind = "mean", unit = "row", n = "1000", cost = "epsilon", epsilon = "1", public = file)
  mean <- wizard_proposal(base)
  expect_identical(mean[c("name_1", "lower_1", "upper_1")], list(name_1 = "age", lower_1 = "20", upper_1 = "45"))
  expect_length(mean, 3 * sum(startsWith(names(mean), "name_")))
  named <- unlist(mean[startsWith(names(mean), "name_")])
  expect_false(any(c("day", "who", "education", "case") %in% named))
  values <- utils::modifyList(base, mean)
  expect_null(wizard_problem(values, 5))
  expect_s3_class(load_public(values), "data.frame")
  rows <- wizard_proposal(utils::modifyList(base, list(kind = "synthesis", person = "age")))
  expect_identical(rows[c("type_1", "levels_1")], list(type_1 = "category", levels_1 = "0-5yrs, 12+ yrs, 6-11yrs"))
  expect_false("age" %in% unlist(rows))
  both <- wizard_proposal(utils::modifyList(base, list(kind = "table")))
  expect_identical(both[["levels_1"]], "0-5yrs, 12+ yrs, 6-11yrs")
  expect_length(wizard_proposal(utils::modifyList(base, list(name_1 = "age"))), 0)
  expect_length(wizard_proposal(utils::modifyList(base, list(kind = "count"))), 0)
  expect_identical(public_domain(format(public$day), ".")$ends, c("2023-01-01", "2023-12-31"))
  expect_error(wizard_proposal(utils::modifyList(base, list(public = "none.csv"))), "There is no")
})

test_that("counts and covariances have groups, and synthetic rows a method", {
  values <- list(kind = "count", unit = "row", n = "248", name_1 = "case", test_1 = "is", value_1 = "1",
                 by_name = "education", by_levels = "0-5yrs, 6-11yrs", cost = "epsilon", epsilon = "5")
  counts <- recipe_release(wizard_recipe(values), infert)$count
  expect_identical(as.character(as.data.frame(counts)[[1]]), c("0-5yrs", "6-11yrs", "other"))
  person <- utils::modifyList(values, list(unit = "person", person = "stratum", n = "83"))
  expect_identical(privacy(recipe_release(wizard_recipe(person), infert)$count)$person, "stratum")
  values <- list(kind = "synthesis", unit = "row", n = "248", name_1 = "case", type_1 = "category", levels_1 = "0, 1",
                 name_2 = "age", type_2 = "number", lower_2 = "15", upper_2 = "50", method = "mst", cost = "epsilon",
                 epsilon = "1")
  expect_identical(wizard_recipe(values)$releases[[1]]$method, "mst")
  expect_null(wizard_recipe(utils::modifyList(values, list(method = "")))$releases[[1]]$method)
  skip_without_wizard()
  expect_match(as.character(wizard_setting_inputs("synthesis", values)), "<option value=\"mst\" selected>")
})

test_that("a picture of days has days", {
  entry <- wizard_entry(typed_mean(name_1 = "day", lower_1 = "2024-01-01", upper_1 = "2024-12-31"))
  expect_true(is_day_number(entry, 1))
  expect_false(is_day_number(wizard_entry(typed_mean()), 1))
  file <- withr::local_tempfile()
  grDevices::pdf(file, compress = FALSE)
  draw_preview(make_preview(wizard_recipe(typed_mean(name_1 = "day", lower_1 = "2024-01-01", upper_1 = "2024-12-31"))))
  grDevices::dev.off()
  drawn <- lines_of_pdf(file)
  expect_match(drawn, "2024", all = FALSE, fixed = TRUE)
  expect_no_match(drawn, "19[89][0-9][0-9]\\) Tj")
})

test_that("a picture is not drawn where it takes too long, and of fewer rows where there are many", {
  many <- make_preview(wizard_recipe(typed_mean(n = "1e7")))
  expect_identical(nrow(many$rows), 100000L)
  expect_match(preview_caption(many, list(recipe = 1)), "Fewer rows")
  fine <- typed_mean(kind = "diagram", name_2 = "b", lower_2 = "0", upper_2 = "100", m0 = "0.1", spacing = "0.01")
  expect_null(preview_recipe(wizard_recipe(fine)))
  expect_match(preview_caption(NULL, list(recipe = 1)), "No picture")
  days <- list(unit = "person", person = "who", name_1 = "day", lower_1 = "2024-01-01", upper_1 = "2024-12-31",
               name_2 = "b", lower_2 = "0", upper_2 = "100", m0 = "0.1", spacing = "20", curve = "betti",
               range = "0, 50", dimension = "1", radius = "5")
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off())
  for (kind in c("diagram", "curve")) {
    recipe <- wizard_recipe(do.call(typed_mean, c(list(kind = kind), days)))
    expect_equal(grid_places(recipe$releases[[1]]), (365 / 20 + 1) * 6)
    expect_no_error(draw_preview(make_preview(recipe)))
  }
  expect_match(cost_sentence(list(rho = 0.1)), "probability 1e-06")
  expect_match(cost_sentence(list(mu = 0.4)), "than 5[.]845 times .* probability 1e-06")
})

test_that("the page serves its own machine under its own path", {
  skip_without_wizard()
  app <- dptda_wizard(withr::local_tempdir())
  expect_match(app$path, "^/[0-9a-f]{32}/$")
  expect_false(identical(app$path, wizard_app(".")$path))
  ask <- function(path, host = "127.0.0.1:80", origin = NULL) {
    app$httpHandler(list2env(list(PATH_INFO = path, HTTP_HOST = host, HTTP_ORIGIN = origin, REQUEST_METHOD = "GET")))
  }
  page <- ask(app$path)
  expect_equal(page$status, 200)
  expect_match(page$content, "<base href=\"/\">", fixed = TRUE)
  expect_identical(page$headers[["X-Frame-Options"]], "DENY")
  expect_match(page$headers[["Content-Security-Policy"]], "^default-src 'none'; .* 'self' ws://127.0.0.1:80$")
  expect_null(ask("/"))
  expect_null(ask("/0123/"))
  for (host in c("evil.example", "127.0.0.1.evil.example", "localhost.evil:80", "localhost:80", "127.0.0.1:80:80")) {
    expect_identical(ask(app$path, host)$status, 403L)
  }
  # a server of another user of this machine has another port
  for (origin in c("http://evil.example", "http://127.0.0.1:81", "http://127.0.0.1", "null")) {
    expect_identical(ask(app$path, origin = origin)$status, 403L)
  }
  expect_equal(ask(app$path, origin = "http://127.0.0.1:80")$status, 200)
  closed <- FALSE
  session <- list(request = list(PATH_INFO = "/websocket/", HTTP_HOST = "127.0.0.1:80"),
                  close = function() closed <<- TRUE)
  guarded_server(app$path)(NULL, NULL, session)
  expect_true(closed)
  expect_true(is_below(paste0(app$path, "websocket/"), app$path))
})

test_that("all that is sent is for this host, and what a browser is started with does not say where the page is", {
  skip_without_wizard()
  skip_on_os("windows")
  folder <- withr::local_tempdir()
  # a browser that writes down what it was started with
  browser <- file.path(folder, "browser")
  writeLines(c("#!/bin/sh", paste0("echo \"$@\" >", shQuote(file.path(folder, "started")))), browser)
  Sys.chmod(browser, "755")
  code <- paste0(".libPaths(", deparse1(.libPaths()), "); cat(Sys.getpid(), sep = \"\\n\"); library(dptda); ",
                 "options(browser = ", deparse1(browser), "); print(dptda_wizard(", deparse1(folder),
                 ", browse = TRUE))")
  said <- file.path(folder, "said")
  system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote(code)), stdout = said, stderr = FALSE, wait = FALSE)
  withr::defer(tools::pskill(as.integer(readLines(said)[1])))
  line <- wait_for(grep("http://", readLines(said), value = TRUE), 60)
  address <- sub("^.*(http[^ ]*).*$", "\\1", line)
  token <- basename(address)
  started <- wait_for(readLines(file.path(folder, "started")))
  expect_no_match(started, token)
  file <- sub("^file://", "", started)
  expect_match(paste(readLines(file), collapse = ""), address, fixed = TRUE)
  expect_identical(format(file.mode(file)), "600")

  port <- as.integer(sub("^.*:([0-9]+)/.*$", "\\1", address))
  ask <- function(path, host = paste0("127.0.0.1:", port), send = NULL) {
    server <- socketConnection("127.0.0.1", port, open = "r+b", blocking = TRUE, timeout = 20)
    on.exit(close(server))
    writeLines(paste0(if (is.null(send)) "GET " else "POST ", path, " HTTP/1.1\r\nHost: ", host,
                      "\r\nConnection: close\r\n", if (!is.null(send)) paste0("Content-Length: ", nchar(send), "\r\n"),
                      "\r\n", send), server, sep = "")
    readLines(server, warn = FALSE)
  }
  page <- paste(ask(paste0("/", token, "/")), collapse = "\n")
  parts <- regmatches(page, gregexpr("(src|href)=\"[^\"#]*[.](js|css)\"", page))[[1]]
  parts <- paste0("/", sub("^[^\"]*\"(.*)\"$", "\\1", parts))
  expect_gt(length(parts), 4)
  for (path in c(paste0("/", token, "/"), parts)) {
    expect_match(ask(path)[1], " 200 ", info = path)
    for (host in c("evil.example", paste0("localhost:", port))) expect_match(ask(path, host)[1], " 403 ", info = path)
  }
  # nothing can be uploaded, by whoever asks
  expect_match(ask("/session/0123/upload/4567", send = "twelve bytes")[1], " 413 ")
})

test_that("the whole way: from a plan to a script, a recipe and a release, spent once", {
  skip_without_wizard()
  folder <- withr::local_tempdir()
  withr::local_dir(folder)
  utils::write.csv(infert, "rows.csv", row.names = FALSE)
  utils::write.csv(infert[rep(1:100, 2), ], "public.csv", row.names = FALSE)
  shiny::testServer(wizard_server, {
    text <- function(output) gsub("\\s+", " ", output$html)
    session$setInputs(step = "1", group = "numbers", kind = "mean", again = 0)
    session$setInputs(forth = 1, n = "")
    session$setInputs(unit = "row", n = "248", name_1 = "age", lower_1 = "15", upper_1 = "50", cost = "epsilon",
                      epsilon = "1", ledger = "ledger.txt", total = "2", file = "rows.csv", step = "5", more = 1)
    session$elapse(500)
    expect_match(text(output$panel), "epsilon = 1 differential privacy")
    expect_match(text(output$columns), "name_2")
    expect_match(text(output$settings), "by_levels")
    expect_match(text(output$meaning), "2.718 times")
    expect_match(text(output$ledger_state), "does not exist yet")
    expect_identical(output$pictured, "yes")
    expect_match(output$picture$src, "^data:image")
    expect_match(text(output$caption), "made up")
    expect_match(output$script, "private_mean(x, box, epsilon = 1, budget = budget)", fixed = TRUE)
    expect_match(output$recipe, "box: {age: [15, 50]}", fixed = TRUE)
    session$setInputs(public = "public.csv", load = 1)
    session$elapse(500)
    expect_match(text(output$loaded), "200 public rows of age")
    expect_match(text(output$caption), "public rows")
    session$setInputs(public = "none.csv", load = 2)
    expect_match(text(output$loaded), "There is no")
    session$setInputs(save = 1)
    expect_match(text(output$saved), "mean.R and mean.yaml")
    session$setInputs(save = 2)
    expect_match(text(output$saved), "mean-2.yaml")
    if (.Platform$OS.type != "windows") {
      file.symlink(file.path(folder, "elsewhere"), "mean-3.R")
      session$setInputs(save = 3)
      expect_match(text(output$saved), "mean-4.yaml")
      expect_false(file.exists("elsewhere"))
    }
    expect_false(file.exists("ledger.txt"))

    session$setInputs(run = 1, sure = FALSE)
    session$setInputs(run = 2)
    expect_match(text(output$done), "must be ticked")
    expect_false(file.exists("ledger.txt"))
    session$setInputs(sure = TRUE, file = "")
    session$setInputs(run = 3)
    expect_match(text(output$done), "path of the file")
    session$setInputs(file = "rows.csv", ledger = "")
    session$setInputs(run = 4)
    expect_match(text(output$done), "charged to one")
    session$setInputs(ledger = "ledger.txt", run = 5)
    expect_match(text(output$done), "written to mean.csv")
    expect_match(text(output$result), "1 of 2 spent")
    expect_match(output$released_picture$src, "^data:image")
    session$elapse(500)
    expect_match(text(output$ledger_state), "Left: epsilon = 1")
    # a second click spends nothing
    session$setInputs(run = 6)
    expect_match(text(output$done), "must be ticked")
    session$setInputs(sure = FALSE)
    session$setInputs(sure = TRUE)
    session$setInputs(total = "3", run = 7)
    expect_match(text(output$done), "other terms")
  })
  expect_identical(privacy_budget(file = "ledger.txt")$spent, 1)
  again <- recipe_release("mean.yaml")
  expect_identical(privacy_budget(file = "ledger.txt")$spent, 2)
  made <- read_guarantee("mean-privacy.yaml")
  expect_identical(made$measure, privacy(again$mean)$measure)
  # what was paid for is not written over
  first <- readLines("mean.csv")
  recipe_release(wizard_recipe(typed_mean()), infert, folder = ".")
  expect_true(all(file.exists("mean-2.csv", "mean-2-privacy.yaml")))
  expect_identical(readLines("mean.csv"), first)
})

test_that("a release that fails in the middle is not made again by a second click, and what was made is shown", {
  skip_without_wizard()
  skip_if_not_installed("filelock")
  withr::local_dir(withr::local_tempdir())
  utils::write.csv(infert, "rows.csv", row.names = FALSE)
  failing <- list2env(list(written = 0, fails = function() stop_argument("folder", "went away")))
  real <- release_files
  every_second <- function(...) {
    failing$written <- failing$written + 1
    if (failing$written %% 2 == 0) failing$fails()
    real(...)
  }
  with_replaced("release_files", every_second, shiny::testServer(wizard_server, {
    text <- function(output) gsub("\\s+", " ", output$html)
    spent <- function() privacy_budget(file = "ledger.txt")$spent
    do.call(session$setInputs, typed_mean(step = "5", ledger = "ledger.txt", total = "20", file = "rows.csv"))
    session$elapse(500)
    session$setInputs(keep = 1)
    session$setInputs(label = "second", sure = TRUE)
    session$setInputs(run = 1)
    expect_match(text(output$done), "went away")
    expect_identical(lengths(regmatches(text(output$result), gregexpr("private mean", text(output$result)))), 2L)
    expect_identical(spent(), 2)
    session$setInputs(run = 2)
    expect_match(text(output$done), "must be ticked")
    expect_identical(spent(), 2)
    # R's own errors do not end the page, nor are they shown
    failing$fails <- function() stop("a value, 34.5")
    session$setInputs(sure = FALSE)
    session$setInputs(sure = TRUE)
    session$setInputs(run = 3)
    expect_match(text(output$done), "an unknown reason")
    expect_identical(spent(), 4)
  }))
})

test_that("a file that is no ledger is left alone", {
  skip_if_not_installed("filelock")
  withr::local_dir(withr::local_tempdir())
  utils::write.csv(infert, "rows.csv", row.names = FALSE)
  expect_match(ledger_sentence("rows.csv"), "is not the ledger of a budget")
  expect_identical(list.files(all.files = TRUE, no.. = TRUE), "rows.csv")
  privacy_budget(epsilon = 1, file = "l.txt")
  expect_match(ledger_sentence("l.txt"), "Left: epsilon = 1")
})

test_that("a tick is for the plan that it was made for", {
  skip_without_wizard()
  skip_if_not_installed("filelock")
  withr::local_dir(withr::local_tempdir())
  utils::write.csv(infert, "rows.csv", row.names = FALSE)
  shiny::testServer(wizard_server, {
    text <- function(output) gsub("\\s+", " ", output$html)
    do.call(session$setInputs, typed_mean(step = "5", ledger = "ledger.txt", total = "20", file = "rows.csv"))
    session$setInputs(sure = TRUE)
    session$setInputs(epsilon = "10")
    session$setInputs(run = 1)
    expect_match(text(output$done), "must be ticked, for the plan as it is now")
    expect_false(file.exists("ledger.txt"))
    session$setInputs(sure = FALSE)
    session$setInputs(sure = TRUE)
    session$setInputs(run = 2)
    expect_match(text(output$done), "Released")
    expect_identical(privacy_budget(file = "ledger.txt")$spent, 10)
  })
})

test_that("the file of rows is not the one that was shown as a public table, nor a copy of it", {
  skip_without_wizard()
  skip_if_not_installed("filelock")
  withr::local_dir(withr::local_tempdir())
  utils::write.csv(infert, "rows.csv", row.names = FALSE)
  file.copy("rows.csv", "copy.csv")
  shiny::testServer(wizard_server, {
    text <- function(output) gsub("\\s+", " ", output$html)
    do.call(session$setInputs, typed_mean(step = "5", ledger = "ledger.txt", total = "20", file = "rows.csv"))
    for (file in c("copy.csv", "rows.csv")) {
      session$setInputs(public = file)
      session$setInputs(load = match(file, c("copy.csv", "rows.csv")))
      session$setInputs(public = "", sure = file == "copy.csv")
      session$setInputs(sure = TRUE)
      session$setInputs(run = match(file, c("copy.csv", "rows.csv")))
      expect_match(text(output$done), "must not be the file that was loaded as a public table")
    }
    expect_false(file.exists("ledger.txt"))
  })
})

test_that("nobody goes on from a step that is not done, and releases are kept", {
  skip_without_wizard()
  withr::local_dir(withr::local_tempdir())
  shiny::testServer(wizard_server, {
    text <- function(output) gsub("\\s+", " ", output$html)
    session$setInputs(step = "2", group = "numbers", kind = "mean", unit = "row", n = "x", to_5 = 0, forth = 0)
    session$setInputs(forth = 1)
    session$elapse(500)
    expect_match(text(output$problem), "one integer")
    session$setInputs(to_5 = 1, back = 1)
    expect_match(text(output$panel), "Not yet: ")
    expect_match(output$script, "Not yet: ")
    session$setInputs(n = "248", name_1 = "age", lower_1 = "15", upper_1 = "50", cost = "epsilon", epsilon = "0.5")
    session$elapse(500)
    expect_null(output$problem$html)
    session$setInputs(keep = 1)
    expect_match(text(output$kept), "Kept: mean")
    session$setInputs(group = "clusters", kind = "kmeans", name_2 = "parity", lower_2 = "0", upper_2 = "10", k = "2")
    session$elapse(500)
    expect_match(text(output$panel), "epsilon = 1 differential")
    session$setInputs(kind = "mixture")
    expect_match(text(output$settings), "How many clusters")
  })
})

test_that("a wizard without its packages says what to install", {
  expect_identical(error_status(tryCatch(stop_dptda("package", "a"), error = identity)), 5L)
  expect_error(dptda_wizard(port = 0), class = "dptda_error_argument")
})
