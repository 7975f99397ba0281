# The order of a release: public checks, statistic, charge, draw.

# Small calls of everything that takes a budget.
examples <- mechanism_examples()

# Those that are written here, and of other releases the first example.
charging_calls <- function() {
  calls <- written_calls()
  for (one in examples) {
    name <- one$release
    if (is.null(name) || !is.null(calls[[name]])) next
    calls[[name]] <- c(list(one$x), one$settings[setdiff(names(one$settings), cost_forms)])
  }
  calls
}

written_calls <- function() {
  list(
    private_count = list(c(TRUE, FALSE)),
    private_table = list(c("a", "b"), levels = "a"),
    private_sum = list(cbind(1:3, 1:3), domain_box(c(0, 0), c(4, 4))),
    private_mean = list(cbind(1:3, 1:3), domain_box(c(0, 0), c(4, 4))),
    private_quantile = list(1:10, box = c(0, 11), probs = c(0.1, 0.5)),
    private_median = list(1:10, box = c(0, 11)),
    private_bounds = list(1:10),
    private_covariance = list(cbind(1:3, 1:3), domain_box(c(0, 0), c(4, 4)), delta = 1e-6),
    private_cor = list(cbind(1:3, 1:3), domain_box(c(0, 0), c(4, 4)), delta = 1e-6),
    private_lm = list(data.frame(a = 1:3, b = 1:3), b ~ a, domain_box(c(a = 0, b = 0), 4), delta = 1e-6),
    private_glm = list(data.frame(a = 1:3, b = c(TRUE, FALSE, TRUE)), b ~ a, domain_box(c(a = 0), 4), delta = 1e-6),
    private_pca = list(cbind(1:3, 1:3), domain_box(c(0, 0), c(4, 4)), rank = 1, delta = 1e-6),
    private_mixture = list(cbind(1:3, 1:3), domain_box(c(0, 0), c(4, 4)), k = 2, delta = 1e-6),
    private_kmeans = list(cbind(1:3, 1:3), domain_box(c(0, 0), c(4, 4)), k = 2),
    private_frechet_mean = list(diag(3), manifold_sphere(2), center = c(1, 1, 1) / sqrt(3), radius = .7),
    private_diagram = list(circle_points(50), small_grid(1), m0 = .3),
    private_graph = list(diag(3)),
    private_degrees = list(diag(3)),
    private_synthesis = list(data.frame(a = c(TRUE, FALSE, TRUE), b = 1:3),
                             table_schema(a = schema_logical(), b = schema_numeric(0, 4, 3)),
                             method = synthesis_privbayes(theta = 0.01))
  )
}

# A budget in the currency of a mechanism.
budget_for <- function(name, ...) privacy_budget(..., relation = if (is_graph_release(name)) "edge" else "replace")

test_that("rows are evaluated once, when the state in which a release reads has begun", {
  now <- get("releases_now", asNamespace("dptda"))
  calls <- charging_calls()
  for (name in names(calls)) {
    x <- calls[[name]][[1]]
    seen <- integer()
    rows <- function() {
      seen <<- c(seen, length(now$states))
      x
    }
    before <- length(now$states)
    suppressWarnings(eval(as.call(c(as.name(name), quote(rows()), calls[[name]][-1], epsilon = 1))))
    expect_identical(seen, before + 1L, info = name)
  }
})

test_that("arguments beside unseen rows are those of the release", {
  bad <- function(code, regexp) expect_error(code, regexp, class = "dptda_error_argument")
  by <- list(g = c("u", "v"))
  named <- domain_box(c(a = 0), c(a = 1))
  # columns
  for (columns in list(7, c("a", "b"), NA_character_)) {
    bad(private_count(unseen(9), epsilon = 1, columns = columns), "`columns`")
    bad(private_proportion(unseen(9), epsilon = 1, columns = columns), "`columns`")
    bad(private_median(unseen(9), c(0, 1), epsilon = 1, columns = columns), "`columns`")
    bad(private_mean(unseen(9), c(0, 1), epsilon = 1, columns = columns), "`columns`")
  }
  bad(private_sd(unseen(9), domain_box(c(0, 0), c(1, 1)), epsilon = 1, columns = c("a", "a")), "`columns`")
  bad(private_mean(unseen(9), named, epsilon = 1, columns = "b"), "`columns` .* Missing: `a`. Not needed: `b`")
  bad(private_count(unseen(9), epsilon = 1, columns = "g", by = by), "`by`")
  bad(private_proportion(unseen(9), epsilon = 1, columns = "g", by = by), "`by`")
  bad(private_mean(unseen(9), c(0, 1), epsilon = 1, columns = "g", by = by), "`by`")
  bad(private_covariance(unseen(9), domain_box(c(0, 0), c(1, 1)), rho = 1, columns = c("g", "h"), by = by), "`by`")
  # levels and breaks without names stand for all columns of a table, not for some that are chosen
  bad(private_table(unseen(9), list(c("u", "v")), epsilon = 1, columns = "g"), "`levels`")
  bad(private_histogram(unseen(9), list(0:1, 0:2), epsilon = 1, columns = c("a", "b")), "`breaks`")
  # graphs
  expect_silent(private_graph(unseen(30), epsilon = 1, n = 30))
  bad(private_graph(unseen(30), epsilon = 1, n = 40), "`n` must be the number of vertices of `graph`")
  bad(private_degrees(unseen(30), epsilon = 1, n = "x"), "`n`")
  bad(private_graph(unseen(2), epsilon = 1, n = 2, vertices = 1:2), "not both")
  bad(private_graph(unseen(30, person = "who"), epsilon = 1), "`graph` must be")
  bad(private_degrees(unseen(30, missing = "omit"), epsilon = 1), "`graph` must be")
  bad(private_graph(unseen(1e12), epsilon = 1), "`n` must be")
  bad(frechet_sensitivity(unseen(0), manifold_sphere(2), 0.5), "`n` must be at least 1 row\\.")
  # a budget says at which order a synthesis counts
  schema <- table_schema(a = schema_logical(), b = schema_logical())
  bad(private_synthesis(unseen(99), schema, epsilon = 1, budget = 5), "`budget`")
})

test_that("the mechanism of unseen rows is that of as many rows, with the columns in the order of the box", {
  made <- NULL
  caught <- function(code) {
    with_replaced("draw_release", function(mechanism, ...) made <<- mechanism, code)
    made
  }
  rows <- data.frame(a = 1:8 / 8, b = 8:1 / 8, l = c(TRUE, FALSE), g = c("u", "v"))
  by <- list(g = c("u", "v"))
  swapped <- list(b = c(0, 1), a = c(0, 2))
  both <- function(make) {
    frame <- as.data.frame(rows)
    expect_equal(make(unseen(8)), caught(make(frame)))
  }
  both(function(x) private_mean(x, swapped, epsilon = 1, columns = c("a", "b")))
  both(function(x) private_sd(x, swapped, epsilon = 1, columns = c("a", "b")))
  both(function(x) private_covariance(x, swapped, rho = 1, columns = c("a", "b"), by = by))
  both(function(x) private_proportion(x, epsilon = 1, columns = "l", by = by))
  both(function(x) private_table(x, list(g = c("u", "v")), epsilon = 1, breaks = list(a = 0:1), columns = c("a", "g")))
})

test_that("unseen rows are refused where rows are needed, and the message says what they are", {
  mechanism <- private_mean(unseen(3), c(0, 1), epsilon = 1)
  for (code in expression(simulate(mechanism, 1, x = unseen(3)), table_rows(unseen(3)), fit_mixture(unseen(3), 1),
                          bin_points(unseen(3), small_grid(1)))) {
    expect_error(eval(code), "not unseen\\(\\) rows, which hold no data\\.$", class = "dptda_error_argument")
  }
  expect_error(unseen(3, complete = FALSE), "`person` must be given", class = "dptda_error_argument")
  expect_error(unseen(3, rows_of_person = "one"), "`person` must be given", class = "dptda_error_argument")
})

# recipe_release() calls the releases.
test_that("every release that takes a budget is known here", {
  exports <- setdiff(getNamespaceExports("dptda"), "recipe_release")
  takes <- vapply(exports, function(name) "budget" %in% names(formals(getExportedValue("dptda", name))), NA)
  # one asks whether a budget has room, and charges nothing
  expect_setequal(setdiff(exports[takes], "privacy_check"), names(charging_calls()))
})

test_that("nothing but draw_release() pays", {
  namespace <- asNamespace("dptda")
  has_call <- function(code, name) {
    if (is.call(code) && identical(code[[1]], as.name(name))) return(TRUE)
    is.recursive(code) && any(vapply(as.list(code), function(part) !missing(part) && has_call(part, name), NA))
  }
  callers <- function(name) {
    Filter(function(one) {
      code <- get(one, namespace)
      is.function(code) && name %in% all.names(body(code)) && has_call(body(code), name)
    }, ls(namespace, all.names = TRUE))
  }
  expect_identical(callers("spend_budget"), "charge_and_draw")
  expect_identical(callers("charge_steps"), "spend_budget")
  expect_identical(callers("draw_release"), "release")
  # a release, or what several share
  doors <- callers("release")
  shared <- setdiff(doors, names(charging_calls()))
  found <- c(setdiff(doors, shared), unlist(lapply(shared, callers)))
  expect_setequal(found, setdiff(names(charging_calls()), c("private_median", "private_cor")))
  expect_identical(callers("charge_and_draw"), "draw_release")
  # before rows are looked at, and by the mechanism for their number
  expect_setequal(callers("ask_budget"), c("draw_release", "ask_once"))
})

within_budget <- function(budget, least, most) budget$spent[["epsilon"]] >= least && budget$spent[["epsilon"]] <= most

test_that("nothing is spent that fails for a public reason", {
  for (name in names(charging_calls())) {
    release <- function(..., budget) {
      do.call(name, c(charging_calls()[[name]], list(..., budget = budget)), envir = asNamespace("dptda"))
    }
    delta <- charging_calls()[[name]]$delta
    # a release with a tiny epsilon is possible at a delta
    budget <- budget_for(name, epsilon = 4, delta = if (is.null(delta)) 0 else 2 * delta)
    for (threads in list(0, "two", NA, c(1, 2), -1)) {
      withr::with_options(list(dptda.threads = threads), {
        expect_error(release(epsilon = 1, budget = budget), label = paste(name, "with bad threads"))
      })
    }
    for (wrong in list(list(epsilon = 0), list(epsilon = 1e-300), list(epsilon = NaN), list(epsilon = 1, rng = "none"),
                       list(epsilon = 1, rho = 1), list(epsilon = 1, mu = 1), list(epsilon = "1"), list())) {
      tryCatch(do.call(release, c(wrong, list(budget = budget))), error = function(e) NULL)
    }
    # a tiny epsilon may be charged; a failure may not
    ledger <- budget$ledger
    expect_lte(sum(ledger$value[ledger$measure != "delta"]), 1e-299)
    expect_error(release(epsilon = 5, budget = budget), class = "dptda_error_budget")
    release(epsilon = 3, budget = budget)
    if (is.null(delta)) expect_equal(budget$spent, 3) else expect_true(within_budget(budget, 3 - 1e-6, 4))
  }
})

test_that("what fails for a public reason in a diagram or in bounds costs nothing", {
  budget <- privacy_budget(epsilon = 1)
  free <- function(code) {
    failed <- tryCatch({
      code
      FALSE
    }, error = function(e) TRUE)
    if (failed) expect_identical(budget$spent, 0)
    budget <<- privacy_budget(epsilon = 1)
  }
  for (clip in c(5e-324, 1e-320, 1e-300, .Machine$double.xmin, 1e300)) {
    free(private_diagram(circle_points(50), small_grid(1), epsilon = .1, m0 = .3, clip = clip, budget = budget))
  }
  for (r in c(1e4, 1e300)) {
    free(private_diagram(circle_points(50), small_grid(1), epsilon = .1, m0 = .3, r = r, budget = budget))
  }
  for (failure in c(5e-324, 1e-300, 1 - 1e-16)) {
    free(private_bounds(1:10, epsilon = .1, failure = failure, budget = budget))
    free(private_bounds(1:10, rho = 1e4, failure = failure, budget = privacy_budget(rho = 1e4)))
  }
})

test_that("a budget is asked, then what is public is announced, then the rows are looked at, then it is charged", {
  budget <- privacy_budget(epsilon = 1)
  told <- character()
  tell <- function(what) told <<- c(told, paste(what, budget$spent))
  own <- list(announce = function(plan) warn_dptda("own", tell("announced")),
              statistic_of = function(plan, rows) tell("seen"), draw_of = function(plan, statistic, rng) tell("drawn"),
              result_of = function(plan, drawn) structure(list(drawn), class = "own_result"))
  for (name in names(own)) registerS3method(name, "own_release", own[[name]], envir = asNamespace("dptda"))
  release <- function(epsilon) {
    draw_release(new_mechanism(public_plan("own_release"), privacy_declare(epsilon = epsilon)), 1, budget, "os")
  }
  expect_error(release(2), class = "dptda_error_budget")
  expect_identical(told, character())
  # a handler may end the call, and nothing was spent
  expect_identical(tryCatch(release(.5), dptda_warning_own = function(cnd) "ended"), "ended")
  expect_identical(told, "announced 0")
  told <- character()
  expect_warning(release(.5), class = "dptda_warning_own")
  expect_identical(told, c("announced 0", "seen 0", "drawn 0.5"))
})

test_that("what is announced comes once, and from the plan alone", {
  warn_of_weak()
  budget <- privacy_budget(epsilon = 1)
  told <- 0
  for (probs in list(NULL, c(.1, .9))) {
    count <- function(cnd) {
      told <<- told + 1
      invokeRestart("muffleWarning")
    }
    release <- function() private_bounds(1:20, epsilon = .1, probs = probs, budget = budget)
    withCallingHandlers(release(), dptda_warning_no_box = count)
  }
  expect_identical(told, 2)
  expect_equal(budget$spent, .2)
})

test_that("the statistic is computed before the budget is charged", {
  budget <- privacy_budget(epsilon = 1)
  guarantee <- privacy_declare(epsilon = .5)
  expect_error(charge_and_draw(budget, guarantee, stop("computed"), identity), "computed")
  expect_identical(budget$spent, 0)
  expect_identical(charge_and_draw(budget, guarantee, budget$spent, function(before) c(before, budget$spent)), c(0, .5))
  # what fails after the charge stays spent
  expect_error(charge_and_draw(budget, guarantee, 1, function(x) stop("drawn")), "drawn")
  expect_identical(budget$spent, 1)
  expect_identical(charge_and_draw(NULL, guarantee, 1, identity), 1)
})

test_that("where the option says so, nothing is released without a budget", {
  withr::local_options(dptda.budget = "required")
  study <- list(budget = privacy_budget(epsilon = 4))
  for (name in names(charging_calls())) {
    release <- function(...) do.call(name, c(charging_calls()[[name]], list(...)), envir = asNamespace("dptda"))
    expect_error(release(epsilon = 1), "must not be NULL", class = "dptda_error_budget")
    expect_error(release(epsilon = 1, budget = study$budgett), class = "dptda_error_budget")
  }
  private_count(TRUE, epsilon = 4, budget = study$budget)
  for (bad in list("yes", TRUE, 1, c("required", "required"), NA)) {
    withr::local_options(dptda.budget = bad)
    expect_error(private_count(TRUE, epsilon = 1), class = "dptda_error_argument")
  }
  for (good in list(NULL, "optional")) {
    withr::local_options(dptda.budget = good)
    expect_s3_class(private_count(TRUE, epsilon = 1), "dptda_private_count")
  }
})

test_that("what a worker drew that came back from a callback twice is nowhere to be found", {
  skip_on_os("windows")
  place <- tempfile()
  withr::defer(unlink(place))
  parent <- Sys.getpid()
  found <- NULL
  fork <- function(statistic) {
    parallel:::mcfork(estranged = TRUE)
    "drawn from the rows"
  }
  # a handler looks into all frames of the call
  query <- function(condition) {
    for (frame in sys.frames()) {
      for (name in c("drawn", "statistic")) {
        if (exists(name, frame, inherits = FALSE)) found <<- c(found, list(get(name, frame, inherits = FALSE)))
      }
    }
  }
  try(withCallingHandlers(charge_and_draw(privacy_budget(epsilon = 1), privacy_declare(epsilon = .5), "the rows", fork),
                          dptda_error_budget = query), silent = TRUE)
  if (Sys.getpid() != parent) {
    writeLines(c("looked", unlist(found)), place)
    tools::pskill(Sys.getpid(), tools::SIGKILL)
  }
  expect_true(wait_until(function() file.exists(place) && length(readLines(place)) > 0))
  expect_identical(readLines(place), "looked")
})

test_that("an option with a class is no number of threads", {
  registerS3method("Ops", "sly_threads", function(e1, e2) TRUE, envir = globalenv())
  withr::local_options(dptda.threads = structure(2, class = "sly_threads"))
  budget <- privacy_budget(epsilon = 1)
  expect_error(private_count(TRUE, epsilon = 1, budget = budget), class = "dptda_error_argument")
  expect_identical(budget$spent, 0)
})
