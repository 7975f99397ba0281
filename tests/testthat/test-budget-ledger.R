# A budget in a file: who shares it, what is kept, and what is refused where a line was lost, torn or changed.

test_that("two handles of one file spend from one budget", {
  file <- ledger_file()
  first <- privacy_budget(epsilon = 1, file = file)
  expect_output(print(first), "0 of 1 spent")
  expect_output(print(first), basename(file), fixed = TRUE)
  second <- privacy_budget(epsilon = 1, file = file)
  third <- withr::with_dir(dirname(file), privacy_budget(file = basename(file)))
  fourth <- unserialize(serialize(first, NULL))
  expect_identical(charge(first, .4), "spent")
  expect_identical(charge(second, .3), "spent")
  expect_identical(withr::with_dir(tempdir(), charge(third, .2)), "spent")
  expect_identical(charge(fourth, .1), "spent")
  for (budget in list(first, second, third, fourth)) {
    expect_equal(budget$spent, 1)
    expect_identical(budget$ledger$value, c(.4, .3, .2, .1))
    expect_identical(charge(budget), "dptda_error_budget")
  }
  lines <- readLines(file)
  expect_length(lines, 6)
  expect_match(lines[3], "private_count(epsilon=0.4)[pure=0.4]", fixed = TRUE)
})

test_that("a file keeps all that memory keeps, bit by bit", {
  odd <- privacy_declare(epsilon = 1 / 3, mechanism = "a | b (1+2) [torn]\n%41 \u00e9")
  curve <- privacy_subsample(40, steps = 3, rate = .01)
  replace <- list(odd, privacy_declare(epsilon = pi * 1e-310), privacy_declare(mu = .01 / 7),
                  privacy_declare(epsilon = .01, bounded_range = TRUE), privacy_declare(rho = 1e-17 / 3),
                  privacy_compose(privacy_declare(epsilon = .02), privacy_declare(rho = .001)),
                  privacy_subsample(50, steps = 2, batch = 10, n = 1000))
  cases <- list(
    list(list(epsilon = 30, delta = 1e-6), replace),
    list(list(epsilon = 30, delta = 1e-6, relation = "add_remove"), list(curve)),
    list(list(epsilon = 9, delta = .01), list(c(epsilon = .1, delta = 1e-9), c(epsilon = .2))),
    list(list(rho = 7, unit_rows = 2), replace[1:6]),
    list(list(epsilon = 7, composition = "basic", delta = .1), list(c(epsilon = 1 / 7)))
  )
  for (case in cases) {
    kept <- do.call(privacy_budget, case[[1]])
    written <- do.call(privacy_budget, c(case[[1]], list(file = ledger_file())))
    for (release in case[[2]]) {
      if (is.numeric(release)) release <- privacy_compose(release)
      spend_budget(kept, guarantee = release)
      spend_budget(written, guarantee = release)
    }
    reopened <- unserialize(serialize(written, NULL))
    for (field in c("measure", "total", "spent", "unit_rows", "relation", "composition", "order", "steps", "ledger")) {
      expect_identical(reopened[[field]], kept[[field]], label = field)
    }
    expect_identical(privacy_compose(written), privacy_compose(kept))
  }
})

test_that("numbers are written as they are, whatever the locale", {
  withr::local_seed(1)
  x <- c(.1, 1 / 3, 1, 1e5, 1e300, .Machine$double.xmin, 5e-324, .Machine$double.xmax, 0,
         2^(stats::runif(500, -1070, 1020)))
  expect_identical(as.numeric(write_numbers(x)), x)
  expect_identical(write_numbers(c(.1, 1e-6, 20)), c("0.1", "1e-06", "20"))
})

test_that("terms are kept, and others are refused", {
  file <- ledger_file()
  refused <- function(...) expect_error(privacy_budget(..., file = file), class = "dptda_error_ledger")
  refused()
  expect_false(file.exists(file))
  budget <- privacy_budget(epsilon = 1, delta = 1e-6, unit_rows = 2, file = file)
  refused(epsilon = 2, delta = 1e-6, unit_rows = 2)
  refused(rho = 1)
  refused(epsilon = 1, unit_rows = 2)
  refused(epsilon = 1, delta = 1e-6)
  refused(epsilon = 1, delta = 1e-6, unit_rows = 2, relation = "add_remove")
  refused(epsilon = 1, delta = 1e-6, unit_rows = 2, composition = "basic")
  expect_identical(unclass(privacy_budget(epsilon = 1, delta = 1e-6, unit_rows = 2, file = file)), unclass(budget))
  expect_identical(unclass(privacy_budget(file = file)), unclass(budget))
  expect_error(privacy_budget(delta = .1, file = file), class = "dptda_error_argument")
  other <- privacy_budget(rho = 1, relation = "add_remove", file = ledger_file())
  expect_identical(charge(other), "dptda_error_relation")
  expect_identical(nrow(other$ledger), 0L)
})

test_that("a file that is none, or cannot be written to, is an error before anything is drawn", {
  file <- ledger_file()
  refused <- function(file) expect_error(privacy_budget(epsilon = 1, file = file), class = "dptda_error_ledger")
  refused(tempdir())
  refused(file.path(tempdir(), "no", "such", "folder"))
  for (bad in list(1, NA, "", NA_character_, c("a", "b"), list())) {
    expect_error(privacy_budget(epsilon = 1, file = bad), class = "dptda_error_argument")
  }
  for (content in list(character(), "text", ledger_title, c(ledger_title, "terms | a | b"))) {
    writeLines(content, file)
    refused(file)
    expect_identical(readLines(file), content)
  }
  unlink(paste0(file, c("", ".lock")))
  dir.create(paste0(file, ".lock"))
  withr::defer(unlink(paste0(file, ".lock"), recursive = TRUE))
  refused(file)
  unlink(paste0(file, ".lock"), recursive = TRUE)

  budget <- privacy_budget(epsilon = 1, file = file)
  unlink(file)
  expect_error(budget$spent, class = "dptda_error_ledger")
  set.seed(1)
  state <- .Random.seed
  expect_error(private_count(TRUE, epsilon = .1, budget = budget, rng = "R"), class = "dptda_error_ledger")
  expect_identical(.Random.seed, state)
  dir.create(file)
  expect_identical(charge(budget), "dptda_error_ledger")
  unlink(file, recursive = TRUE)
  # another budget in its place
  privacy_budget(epsilon = 1, file = file)
  expect_error(private_count(TRUE, epsilon = .1, budget = budget), "another budget", class = "dptda_error_ledger")
})

test_that("a disk that takes nothing is an error before anything is drawn", {
  skip_if_not(file.exists("/dev/full"))
  expect_match(.Call(ffi_budget_append, "/dev/full", charToRaw("a"), 0, NULL), "space")
  file <- ledger_file()
  expect_identical(.Call(ffi_budget_append, file, charToRaw("ab"), 0, dirname(file)), "")
  expect_identical(.Call(ffi_budget_append, file, charToRaw("c"), 1, NULL), "moved")
  expect_identical(.Call(ffi_budget_append, file, charToRaw("c"), 2, NULL), "")
  expect_identical(readLines(file, warn = FALSE), "abc")
  expect_true(nzchar(.Call(ffi_budget_append, file, charToRaw("c"), 0, dirname(file)))) # is there already
})

test_that("a damaged ledger is charged nothing", {
  budget <- privacy_budget(epsilon = 1, file = file <- ledger_file())
  for (i in 1:3) charge(budget)
  good <- file_bytes(file)
  # as another session finds it
  refused <- function(bytes) {
    writeBin(bytes, file)
    forget_ledgers()
    expect_error(private_count(TRUE, epsilon = .1, budget = budget), class = "dptda_error_ledger")
    expect_error(budget$spent, class = "dptda_error_ledger")
  }
  withr::local_seed(1)
  for (place in c(seq(1, length(good) - 1, by = 7), length(good) - 1)) {
    bytes <- good
    bytes[place] <- xor(bytes[place], as.raw(sample(c(1, 2, 4, 16, 64), 1)))
    if (bytes[place] != as.raw(10)) refused(bytes)
  }
  lines <- strsplit(rawToChar(good), "\n", fixed = TRUE)[[1]]
  as_bytes <- function(lines) charToRaw(paste0(lines, "\n", collapse = ""))
  refused(as_bytes(lines[-3]))
  refused(as_bytes(lines[-4]))
  refused(as_bytes(lines[c(1, 2, 4, 3, 5)]))
  refused(as_bytes(lines[c(1:3, 3:5)]))
  refused(as_bytes(append(lines, "", 3)))
  refused(as_bytes(append(lines, "4 | now | process 1 | gift(epsilon=0)[] | 0123456789abcdef", 5)))
  refused(c(good, as.raw(c(0, 0, 10))))
  refused(as_bytes(sub("=0.1", "=0.0", lines, fixed = TRUE)))
  # a carriage return of an editor
  refused(charToRaw(paste0(lines, "\r\n", collapse = "")))
  writeBin(good, file)
  forget_ledgers()
  expect_identical(charge(budget), "spent")
  expect_equal(budget$spent, .4)
})

test_that("a ledger that lost charges is refused by the sessions that saw them", {
  budget <- privacy_budget(epsilon = 1, file = file <- ledger_file())
  charge(budget)
  older <- file_bytes(file)
  charge(budget)
  expect_equal(budget$spent, .2)
  writeBin(older, file)
  expect_error(private_count(TRUE, epsilon = .1, budget = budget), "has lost charges", class = "dptda_error_ledger")
  expect_error(privacy_budget(file = file), "has lost charges", class = "dptda_error_ledger")
})

test_that("a ledger may be moved but not copied", {
  budget <- privacy_budget(epsilon = 1, file = file <- ledger_file())
  charge(budget)
  copy <- ledger_file()
  file.copy(file, copy)
  expect_error(privacy_budget(file = copy), "is a copy of", class = "dptda_error_ledger")
  unlink(copy)
  file.rename(file, copy)
  moved <- privacy_budget(file = copy)
  expect_identical(charge(moved, .9), "spent")
  expect_identical(charge(budget), "dptda_error_ledger")
})

test_that("a charge that was torn counts where it may have been made, and nowhere else", {
  budget <- privacy_budget(epsilon = 1, file = file <- ledger_file())
  charge(budget)
  before <- file_bytes(file)
  charge(budget, .3)
  whole <- file_bytes(file)
  for (cut in c(seq(length(before), length(whole) - 2, by = 6), length(whole) - 2:0)) {
    writeBin(whole[seq_len(cut)], file)
    forget_ledgers()
    # only a line that lacks nothing but its end is a charge
    spent <- if (cut >= length(whole) - 1) .4 else .1
    expect_equal(budget$spent, spent)
    expect_identical(charge(budget, .2), "spent")
    expect_identical(charge(budget, .1), "spent")
    forget_ledgers()
    expect_equal(budget$spent, spent + .3)
    expect_identical(charge(budget, 1 - spent - .3 + .01), "dptda_error_budget")
    expect_identical(charge(budget, 1 - spent - .3), "spent")
  }
  # zeros, as a file system may leave them when the power goes
  writeBin(c(before, raw(100)), file)
  forget_ledgers()
  expect_identical(charge(budget, .9), "spent")
  forget_ledgers()
  expect_equal(budget$spent, 1)
})

test_that("eight processes that race for the last tenth pay for exactly what is there", {
  skip_on_cran()
  file <- ledger_file()
  budget <- privacy_budget(epsilon = 1, file = file)
  expect_identical(charge(budget, .9), "spent")
  cluster <- ledger_workers(8)
  race <- function(i, budget, charge, start) {
    while (Sys.time() < start) NULL
    vapply(1:5, function(j) charge(budget, .01), "")
  }
  outcomes <- unlist(parallel::parLapply(cluster, 1:8, race, budget, charge, Sys.time() + 1))
  expect_identical(sum(outcomes == "spent"), 10L)
  expect_identical(sum(outcomes == "dptda_error_budget"), 30L)
  expect_equal(budget$spent, 1)
  expect_identical(nrow(budget$ledger), 11L)
  expect_length(readLines(file), 13)
  # one tenth in one piece
  last <- privacy_budget(epsilon = 1, file = ledger_file())
  expect_identical(charge(last, .9), "spent")
  whole <- unlist(parallel::parLapply(cluster, 1:8, function(i, budget, charge) charge(budget, .1), last, charge))
  expect_identical(sum(whole == "spent"), 1L)
})

test_that("sessions that make one file at once make one budget", {
  skip_on_cran()
  file <- ledger_file()
  cluster <- ledger_workers(4)
  handles <- parallel::parLapply(cluster, 1:4, function(i, file) dptda::privacy_budget(rho = .5, file = file), file)
  expect_identical(length(unique(lapply(handles, unclass))), 1L)
  expect_length(readLines(file), 2)
})

test_that("what was spent stays spent when the process is killed before it releases", {
  skip_on_cran()
  skip_on_os("windows")
  budget <- privacy_budget(epsilon = 1, file = file <- ledger_file())
  pid <- tempfile()
  withr::defer(unlink(pid))
  # killed while the noise is drawn, and while the lock is held before a charge
  start_r(c(
    sprintf("budget <- privacy_budget(file = %s)", deparse(file)),
    sprintf("writeLines(as.character(Sys.getpid()), %s)", deparse(pid)),
    "dptda:::charge_and_draw(budget, privacy_declare(epsilon = .6), 0, function(statistic) Sys.sleep(600))"
  ))
  expect_true(wait_until(function() budget$spent > 0))
  expect_equal(budget$spent, .6)
  tools::pskill(as.integer(readLines(pid)), tools::SIGKILL)
  expect_equal(budget$spent, .6)
  unlink(pid)
  start_r(c(
    sprintf("budget <- privacy_budget(file = %s)", deparse(file)),
    sprintf("wait <- function(account) { writeLines(as.character(Sys.getpid()), %s); Sys.sleep(600) }", deparse(pid)),
    "dptda:::charge_steps(budget, wait, \"budget\")"
  ))
  expect_true(wait_until(function() file.exists(pid) && length(readLines(pid)) == 1))
  lock <- filelock::lock(paste0(file, ".lock"), timeout = 0)
  expect_null(lock)
  # whoever does not want to wait that long says so
  withr::with_options(list(dptda.ledger_wait = 0), {
    expect_error(privacy_budget(file = file), "`file`, .*, is locked by another process.$",
                 class = "dptda_error_ledger")
    expect_error(private_count(TRUE, epsilon = .1, budget = budget), "the file of `budget`, .*, is locked by another",
                 class = "dptda_error_ledger")
    expect_error(ledger_sentence(file), "is locked by another process.$", class = "dptda_error_ledger")
  })
  for (wait in list(-1, NA, "1", c(1, 2))) {
    withr::with_options(list(dptda.ledger_wait = wait), {
      expect_error(privacy_budget(file = file), "dptda.ledger_wait", class = "dptda_error_argument")
    })
  }
  tools::pskill(as.integer(readLines(pid)), tools::SIGKILL)
  # the system gives back the lock of the dead
  expect_identical(charge(budget, .5), "dptda_error_budget")
  expect_identical(charge(budget, .4), "spent")
  expect_equal(budget$spent, 1)
})

test_that("checksums are those of Fowler, Noll and Vo", {
  checksums <- function(start, ...) .Call(ffi_budget_checksums, start, c(...))
  expect_identical(checksums("", character()), character())
  expect_identical(checksums("", ""), "cbf29ce484222325")
  expect_identical(checksums("", "a"), "af63dc4c8601ec8c")
  expect_identical(checksums("", "foobar"), "85944171f73967e8")
  expect_identical(checksums("foo", "bar"), checksums("", "foobar"))
  # each follows the one before it
  expect_identical(checksums("x", "a", "b"), c(checksums("x", "a"), checksums(checksums("x", "a"), "b")))
})

test_that("a session remembers what it has spent, not only what it has read", {
  file <- ledger_file()
  budget <- privacy_budget(epsilon = 1, file = file)
  old <- file_bytes(file)
  outcomes <- vapply(1:5, function(i) {
    outcome <- charge(budget, 1)
    writeBin(old, file)
    outcome
  }, "")
  expect_identical(outcomes, c("spent", rep("dptda_error_ledger", 4)))
})

test_that("a line that lacks only its end is remembered", {
  file <- ledger_file()
  budget <- privacy_budget(epsilon = 1, file = file)
  charge(budget)
  before <- file_bytes(file)
  charge(budget, .3)
  whole <- file_bytes(file)
  forget_ledgers()
  writeBin(whole[-length(whole)], file)
  expect_equal(budget$spent, .4)
  writeBin(before, file)
  expect_error(budget$spent, "has lost charges", class = "dptda_error_ledger")
  # it may get its end, or what ends it, and nothing else
  writeBin(c(whole[-length(whole)], charToRaw("x\n")), file)
  expect_error(budget$spent, "damaged", class = "dptda_error_ledger")
  writeBin(whole, file)
  expect_equal(budget$spent, .4)
  expect_identical(charge(budget, .6), "spent")
  expect_equal(budget$spent, 1)
})

test_that("a new budget does not take the place of one that has spent in this session", {
  file <- ledger_file()
  charge(privacy_budget(epsilon = 1, file = file))
  elsewhere <- ledger_file()
  fresh <- ledger_file()
  privacy_budget(epsilon = 1, file = fresh)
  file.rename(file, elsewhere)
  expect_error(privacy_budget(epsilon = 1, file = file), "ledger of another budget", class = "dptda_error_ledger")
  expect_false(file.exists(file))
  # nor does one that came from elsewhere
  file.copy(fresh, file)
  unlink(fresh)
  expect_error(privacy_budget(epsilon = 1, file = file), class = "dptda_error_ledger")
  unlink(file)
  # it was not lost but moved
  expect_equal(privacy_budget(file = elsewhere)$spent, .1)
  expect_identical(charge(privacy_budget(epsilon = 1, file = file), 1), "spent")
})

test_that("what is spent is what will be read, or nothing is drawn", {
  file <- ledger_file()
  budget <- privacy_budget(epsilon = 1, file = file)
  # no number of a file is an integer
  odd <- list(step = "odd", measure = c(epsilon = 1L), parts = new_parts(pure = 1))
  expect_error(charge_steps(budget, function(account) list(odd), "budget"), "as it was made",
               class = "dptda_error_ledger")
  expect_error(charge_steps(privacy_budget(epsilon = 1), function(account) list(odd), "budget"),
               class = "dptda_error_budget")
})

test_that("a ledger that was moved is kept where it is now", {
  from <- tempfile("project")
  to <- tempfile("project")
  copy <- tempfile("project")
  withr::defer(unlink(c(from, to, copy), recursive = TRUE))
  dir.create(from)
  testthat::skip_if_not_installed("filelock")
  charge(privacy_budget(epsilon = 1, file = file.path(from, "a ledger")))
  file.rename(from, to)
  forget_ledgers()
  moved <- privacy_budget(file = file.path(to, "a ledger"))
  expect_identical(charge(moved), "spent")
  lines <- readLines(file.path(to, "a ledger"))
  expect_match(lines[4], "^moved \\| .*a ledger \\| [0-9a-f]{16}$")
  dir.create(copy)
  file.copy(file.path(to, "a ledger"), copy)
  forget_ledgers()
  expect_error(privacy_budget(file = file.path(copy, "a ledger")), "is a copy of", class = "dptda_error_ledger")
  again <- privacy_budget(file = file.path(to, "a ledger"))
  expect_identical(charge(again, .8), "spent")
  expect_length(readLines(file.path(to, "a ledger")), 6)
  # and back
  file.rename(to, from)
  unlink(copy, recursive = TRUE)
  forget_ledgers()
  expect_equal(privacy_budget(file = file.path(from, "a ledger"))$spent, 1)
  expect_length(readLines(file.path(from, "a ledger")), 7)
})

test_that("a path is its bytes, whatever the locale can write", {
  skip_on_os("windows")
  testthat::skip_if_not_installed("filelock")
  skip_if_not(l10n_info()[["UTF-8"]])
  folder <- tempfile("d\u00e9p\u00f4t")
  copy <- tempfile()
  withr::defer(unlink(c(folder, copy), recursive = TRUE))
  dir.create(folder)
  budget <- privacy_budget(epsilon = 1, file = file.path(folder, "\u00e9"))
  charge(budget)
  expect_match(readLines(unclass(budget)$file)[2], "d%C3%A9p%C3%B4t", fixed = TRUE)
  file.copy(unclass(budget)$file, copy)
  forget_ledgers()
  plain <- rawToChar(charToRaw(enc2utf8(file.path(folder, "\u00e9"))))
  withr::local_locale(LC_CTYPE = "C")
  expect_no_warning <- function(code) expect_warning(code, NA)
  expect_no_warning(expect_error(privacy_budget(file = copy), "is a copy of", class = "dptda_error_ledger"))
  # there the lock would be another file
  expect_no_warning(expect_error(privacy_budget(file = plain), "locale", class = "dptda_error_argument"))
  expect_length(list.files(folder), 2)
  # a character that the locale has not
  expect_error(privacy_budget(epsilon = 1, file = file.path(tempdir(), "\u00e9")), class = "dptda_error_argument")
})

test_that("a ledger whose home cannot be looked up pays nothing", {
  skip_on_os("windows")
  testthat::skip_if_not_installed("filelock")
  file <- ledger_file()
  # a name that no system takes, and one that goes in circles
  circle <- tempfile()
  file.symlink(circle, circle)
  withr::defer(unlink(circle))
  for (home in c(paste(rep("a", 1000), collapse = ""), file.path(circle, "a"))) {
    terms <- check_budget_terms(1, NULL, 0, 1, "replace", "auto")
    text <- terms_text("0123456789abcdef0123456789abcdef", terms, home)
    writeLines(c(ledger_title, paste(text, .Call(ffi_budget_checksums, "", text), sep = " | ")), file)
    forget_ledgers()
    expect_error(privacy_budget(file = file), "cannot check", class = "dptda_error_ledger")
  }
})

test_that("a path that is none is an error with a class, and no warning", {
  testthat::skip_if_not_installed("filelock")
  bad <- c("a\xff\xfe", paste(rep("a", 1e4), collapse = ""), file.path(tempdir(), paste(rep("a", 3000), collapse = "")),
           paste(rep("a/", 5000), collapse = ""))
  for (file in bad) {
    expect_warning(expect_error(privacy_budget(epsilon = 1, file = file), class = "dptda_error"), NA)
  }
  odd <- "/\xff"
  Encoding(odd) <- "bytes"
  expect_warning(expect_error(privacy_budget(epsilon = 1, file = odd), class = "dptda_error_argument"), NA)
  classed <- structure(tempfile(), class = "sly")
  expect_error(privacy_budget(epsilon = 1, file = classed), class = "dptda_error_argument")
})

test_that("each part of a step is read as it was written", {
  steps <- list(
    new_step("a", c(epsilon = 0, delta = .1)), new_step("b", c(epsilon = 0)), new_step("c", c(rho = 0)),
    new_step("d", c(mu = 0)), list(step = "e", measure = c(epsilon = 1), parts = new_parts(pure = c(0, 0, 1))),
    list(step = "f", measure = c(renyi = 1), parts = new_parts(renyi = list(alpha = c(2, 3), epsilon = c(0, 0))))
  )
  for (step in steps) expect_identical(read_steps(write_step(step)), list(step))
  expect_identical(read_steps(vapply(steps, write_step, "")), steps)
  bad <- c("a(epsilon=1)[leak=0.1]", "a(epsilon=1)[leak=0.1,0.2;leak_epsilon=0]", "a(epsilon=1)[mu=1,2]",
           "a(epsilon=1)[rho=1,2]", "a(epsilon=1)[alpha=2]", "a(epsilon=1)[renyi=2]", "a(epsilon=1,2)[]", "a()[]",
           "a(epsilon=x)[]", "a(total=1)[]", "a(epsilon=1)[pure=-1]", "a(epsilon=1)[other=1]", "a(epsilon=1)",
           "a(epsilon=1)[alpha=3,2;renyi=1,1]", "a(epsilon=1)[pure=1;pure=0]", "a(epsilon=1)[pure=]",
           "a(epsilon=1)[pure]",
           "a(epsilon=1)[pure=1)[]", "(a)[]", "")
  for (text in bad) expect_null(suppressWarnings(read_steps(c("a(rho=1)[rho=1]", text))), label = text)
})

test_that("every byte of a name or path, and every form of a number, comes back", {
  bytes <- as.raw(1:255)
  expect_identical(read_path(write_path(rawToChar(bytes))), bytes)
  expect_identical(write_path("/a b/c|d(1)"), "/a b/c%7Cd%281%29")
  name <- "z\u00e4hlen [50 %] | a + b"
  expect_identical(read_name(write_name(name)), name)
  x <- c(0, .1, 1 / 3, 2^-1074, 1e22 / 3, .Machine$double.xmax)
  fields <- list(a = numeric(), b = x, c = 1, d = x[2:3])
  read <- read_fields(write_fields(fields))
  expect_identical(structure(read$values, names = read$key), fields[-1])
  expect_identical(write_fields(list()), "")
})

test_that("steps that are remembered are those that are read", {
  text <- function(i) sprintf("count(epsilon=%d)[pure=%d]", i, i)
  for (i in list(1:3, 3:1, c(2, 7, 1), 1:120, 100:130, 51, c(1, 51))) {
    expect_identical(recall_steps(text(i)), read_steps(text(i)))
    expect_lte(length(steps_read$last$texts), most_remembered)
    expect_identical(steps_read$last$steps, read_steps(steps_read$last$texts))
  }
  before <- steps_read$last
  expect_null(recall_steps(c(text(1), "count(epsilon=1)[pure=-1]")))
  expect_identical(steps_read$last, before)
})

test_that("who writes a line knows of the ledger what one knows who reads it", {
  set.seed(1)
  file <- ledger_file()
  budget <- privacy_budget(epsilon = 100, delta = 1e-6, file = file)
  charges <- c(lapply(stats::runif(5), function(x) privacy_declare(epsilon = x)), list(privacy_declare(rho = .1)),
                list(privacy_compose(privacy_declare(epsilon = .1), privacy_declare(epsilon = .2))))
  known <- function() {
    ledger <- read_own_ledger(unclass(budget), "budget")
    ledger$steps <- steps_after(ledger, 0)
    ledger[names(ledger) != "latest"]
  }
  same <- function() {
    own <- known()
    forget_ledgers()
    expect_identical(known(), own)
  }
  for (charge in charges) {
    spend_budget(budget, guarantee = charge)
    same()
  }
  # behind a torn line, and behind one that lacks its end, the next lines are written as ever
  cat("8 | torn", file = file, append = TRUE)
  for (i in 1:3) {
    spend_budget(budget, "again", c(epsilon = .1))
    same()
  }
  whole <- readBin(file, "raw", 1e5)
  writeBin(whole[-length(whole)], file)
  forget_ledgers()
  for (i in 1:3) {
    spend_budget(budget, "again", c(epsilon = .1))
    same()
  }
  expect_identical(read_own_ledger(unclass(budget), "budget")$count, 13)
})

test_that("a charge counts only if each of its bytes is read back where it was written", {
  budget <- privacy_budget(epsilon = 1, file = ledger_file())
  query <- read_bytes
  for (at in c(1, 20, 100)) {
    other <- function(file, arg, from, most = most_bytes) {
      found <- query(file, arg, from, most)
      if (from > 0) found$bytes[length(found$bytes) - at] <- as.raw(63)
      found
    }
    expect_error(with_replaced("read_bytes", other, spend_budget(budget, "step", c(epsilon = .1))),
                 class = "dptda_error_ledger")
  }
})

test_that("a ledger of many lines is read line by line as it is", {
  file <- ledger_file()
  budget <- privacy_budget(epsilon = 1e4, file = file)
  ledger <- read_ledger(file, "file")
  texts <- sprintf("%d | now | process 1 | count(epsilon=%.17g)[pure=%.17g]", 1:10000, 1 / (1:10000), 1 / (1:10000))
  sums <- .Call(ffi_budget_checksums, ledger$sum, texts)
  cat(paste0(texts, " | ", sums, "\n"), file = file, sep = "", append = TRUE)
  forget_ledgers()
  expect_equal(budget$spent, sum(1 / (1:10000)))
  expect_identical(charge(privacy_budget(file = file)), "spent")
  expect_identical(nrow(budget$ledger), 10001L)
})

test_that("what a session has seen of a ledger never gets less, by whatever name it goes", {
  folder <- withr::local_tempdir()
  file <- file.path(folder, "ledger")
  budget <- privacy_budget(epsilon = 1, file = file)
  private_count(TRUE, epsilon = .1, budget = budget)
  old <- readBin(file, "raw", 1e5)
  known <- read_ledger(file, "budget")
  private_count(TRUE, epsilon = .8, budget = budget)
  remember_ledger(known) # as read by code into which another charge came
  writeBin(old, file)
  expect_error(private_count(TRUE, epsilon = .8, budget = budget), class = "dptda_error_ledger")
  # a link that is turned to a place without a ledger
  skip_on_os("windows")
  for (place in c("one", "two")) dir.create(file.path(folder, place))
  file.symlink("one", file.path(folder, "data"))
  typed <- file.path(folder, "data", "ledger")
  private_count(TRUE, epsilon = 1, budget = privacy_budget(epsilon = 1, file = typed))
  file.remove(file.path(folder, "data"))
  file.symlink("two", file.path(folder, "data"))
  expect_error(privacy_budget(epsilon = 1, file = typed), class = "dptda_error_ledger")
})

test_that("a ledger that is being made is waited for", {
  folder <- withr::local_tempdir()
  file <- file.path(folder, "ledger")
  privacy_budget(epsilon = 1, file = file)
  whole <- readBin(file, "raw", 1e5)
  forget_ledgers()
  # empty at the first query, whole when the lock is there
  writeBin(raw(), file)
  queries <- 0
  read <- read_ledger
  late <- function(file, arg) {
    queries <<- queries + 1
    if (queries == 2) writeBin(whole, file)
    read(file, arg)
  }
  budget <- with_replaced("read_ledger", late, privacy_budget(file = file))
  expect_identical(budget$spent, 0)
})
