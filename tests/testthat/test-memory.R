# Every kernel on small data, through each of its branches: the tests that run under valgrind (tools/valgrind.sh). What
# the results must be is tested elsewhere; here memory that is read must have been written, and nothing may stay behind.
# Here mechanisms, budgets, noise, numbers and linear algebra; the other files of this stem have what their names say.

# The first example of each class is the simplest. What kernels do with other sizes and when they fail is below.
test_that("every mechanism, by its first example", {
  for (class in example_classes()) {
    example <- example_of(public_plan(class))[[1]]
    drawn <- tryCatch(study_draws(example$mechanism, example$x, 1, "os"), error = identity)
    expect(!inherits(drawn, "error"), paste(example$name, "cannot be drawn: see", file_of(class)))
    expect(live_blocks() == 0, paste(example$name, "leaves memory behind: see", file_of(class)))
  }
})

test_that("the foundations return what they took, however a kernel ends", {
  burn <- function(how) .Call(ffi_test_burn, 3, how, kernel_options("os"))
  expect_gt(burn(0L), 0)
  for (how in 1:3) expect_error(burn(how), class = "dptda_error")
  for (rng in c("os", "R")) expect_length(.Call(ffi_base_draw_units, 100, kernel_options(rng)), 100)
  expect_identical(live_blocks(), 0)
})

test_that("the ledger of a budget", {
  step <- function(x) list(step = "a", measure = c(epsilon = x), parts = new_parts(pure = x, renyi = new_curve(2, 1)))
  state <- list(total = 1, steps = list(step(1)))
  held <- .Call(ffi_budget_hold, state, list("os", 1L, NULL))
  expect_true(.Call(ffi_budget_charge, held, 1L, list(step(2), step(3))))
  expect_false(.Call(ffi_budget_charge, held, 1L, list(step(4))))
  expect_true(.Call(ffi_budget_charge, held, 3, list()))
  expect_identical(.Call(ffi_budget_held, held, 0), list(total = 1, steps = list(step(1), step(2), step(3))))
  expect_identical(.Call(ffi_budget_held, held, 2), list(total = 1, steps = list(step(3))))
  expect_identical(.Call(ffi_budget_held, held, 9), list(total = 1, steps = list()))
  expect_identical(.Call(ffi_budget_size, held)[1], 3)
  expect_identical(.Call(ffi_budget_owner, held), "own")
  # nothing but what adds to the account
  for (bad in list(NULL, 1, list(1), list(list()), list(step(-1)), list(step(NaN)), list(step(Inf)), list(step(1L)),
                   list(step("1")), list(step(structure(1, class = "sly"))), list(step(numeric())),
                   list(list(measure = 1, parts = NULL)), structure(list(step(1)), class = "sly"),
                   list(replace(step(1), "parts", list(new_parts(renyi = new_curve(c(.5, 1e200), c(1e9, 0)))))),
                   list(replace(step(1), "parts", list(new_parts(renyi = new_curve(c(3, 2), c(1, 1)))))),
                   list(replace(step(1), "parts", list(new_parts(leak = .1)))),
                   list(replace(step(1), "parts", list(new_parts()[-1]))),
                   list(replace(step(1), "measure", list(c(epsilon = 1, epsilon = 1)))),
                   list(replace(step(1), "measure", list(c(other = 1)))), list(replace(step(1), "measure", list(1))))) {
    expect_identical(.Call(ffi_budget_charge, held, 3L, bad), NA)
  }
  copy <- unserialize(serialize(held, NULL))
  expect_identical(.Call(ffi_budget_owner, copy), "copied")
  expect_false(.Call(ffi_budget_charge, copy, 3L, list(step(1))))
  expect_identical(.Call(ffi_budget_held, copy, 0), .Call(ffi_budget_held, held, 0))
  expect_identical(.Call(ffi_budget_size, copy), c(3, 0))
  for (i in 3:40) expect_true(.Call(ffi_budget_charge, held, i, list(step(i + 0))))
  expect_length(.Call(ffi_budget_held, held, 0)$steps, 41)
  for (other in list(NULL, 1, methods::new("externalptr"), .Call(ffi_budget_hold, 1, list("os", 1L, NULL)))) {
    expect_false(.Call(ffi_budget_charge, other, 0L, list(step(1))))
  }
  for (other in list(NULL, 1, methods::new("externalptr"))) {
    expect_identical(.Call(ffi_budget_owner, other), "")
    expect_null(.Call(ffi_budget_held, other, 0))
    expect_identical(.Call(ffi_budget_size, other), c(0, 0))
  }
  file <- tempfile()
  withr::defer(unlink(file))
  append <- function(size, folder = NULL) .Call(ffi_budget_append, file, charToRaw("line\n"), size, folder)
  expect_true(nzchar(append(0)))
  expect_identical(append(0, dirname(file)), "")
  expect_identical(append(0), "moved")
  expect_identical(append(5), "")
  expect_true(nzchar(append(10, dirname(file))))
  expect_identical(readLines(file), c("line", "line"))
  query <- function(path, from, most) .Call(ffi_budget_read, path, from, most)
  expect_identical(query(file, 5, 3)[[2]], charToRaw("lin"))
  expect_identical(query(file, 8, 1e9)[[2]], charToRaw("e\n"))
  expect_identical(query(file, 100, 1e9)[[2]], raw())
  expect_identical(query(file, 0, 0)[[1]][3], 10)
  expect_identical(query(tempdir(), 0, 10)[[2]], raw())
  expect_type(query(paste0(file, "/none"), 0, 10), "character")
  peek <- function(path, most) .Call(ffi_budget_peek, path, most)
  expect_identical(peek(charToRaw(file), 3), charToRaw("lin"))
  expect_identical(peek(charToRaw(file), 1e6), charToRaw("line\nline\n"))
  expect_identical(peek(charToRaw(tempdir()), 3), raw())
  expect_identical(peek(charToRaw(paste0(file, "/none")), 3), raw())
  for (bad in list(as.raw(c(65, 0)), raw())) expect_identical(peek(bad, 3), "no path")
  for (bad in list("a", NULL)) expect_error(peek(bad, 3), class = "dptda_error_argument")
  expect_identical(nchar(.Call(ffi_budget_checksums, "", readLines(file))), c(16L, 16L))
  expect_identical(.Call(ffi_budget_checksums, "", character()), character())
  expect_identical(live_blocks(), 0)
})

test_that("the sampler in whole numbers and its weights", {
  near <- cbind(c(10, 11, 10, 12, 40), c(90, 91, 90, 88, 43))
  wide <- cbind(c(0, 0, 1), c(100, 99, 100))
  nothing <- matrix(0, 0, 2)
  for (epsilon in c(1e-6, .5, 20)) for (most in c(0, 3, 20)) for (learn in c(TRUE, FALSE)) {
    drawn <- lattice_draws_of(list(near, wide, nothing), 100, 4, epsilon, most, learn, 3, if (learn)
                              "os" else "R")$points
    if (!learn) expect_identical(nrow(drawn), as.integer(9 * most))
  }
  many <- cbind(rep(0:40, 20), rep(0:40, 20) + 3)
  expect_identical(nrow(lattice_draws_of(list(rbind(many, near)), 100, 4, 1, 5, FALSE, 4)$points), 20L)
  for (digits in c(2L, 4L)) for (careless in c(TRUE, FALSE)) {
    trial_of(list(near, wide), 100, weight_table(2^28 * c(1, .75, .5), 3), 3, TRUE, 3, digits, careless)
  }
  # weights of very different sizes, in few units
  for (time in 1:20) trial_of(list(near), 300, weight_table(2^30 * c(1, .5)), 3, TRUE, 3, 4L)
  expect_identical(.Call(ffi_test_ratio_coins, 5, 3, 3, kernel_options("R")), 5)
  expect_error(lattice_draws_of(list(near), 100, 1e6, 1e-9, 3), class = "dptda_error_argument")
  expect_identical(live_blocks(), 0)
})

test_that("K-norm noise, from few digits on and cut off, and its long numbers", {
  add <- function(value, scale, shift, first, ahead, rng = "os") {
    .Call(ffi_test_add_norm, value, scale, shift, 3, first, ahead, kernel_options(rng))$released
  }
  for (D in 0:5) for (first in c(1L, 7L, 64L, 200L)) expect_length(add(double(D), 2.5, 0, first, 0L), 3 * D)
  for (scale in 2^c(-64, 60, 140)) expect_length(add(c(2^53, -2^53), scale, 200, 1L, 9L, "R"), 6)
  expect_identical(norm_scale(9, 1), 3)
  expect_identical(norm_scale(1, 1e-300), NA_real_)
  for (what in 0:6) for (a in list(raw(), raw(9), as.raw(1:30))) {
    for (left in c(-300, -64, 0, 3, 64)) expect_silent(.Call(ffi_test_long, what, a, a, left, kernel_options()))
  }
  for (what in 0:1) expect_length(.Call(ffi_test_variates, 50, what, kernel_options("os")), 200)
  expect_identical(live_blocks(), 0)
})

test_that("rounded normals, with bits of any number and points that are not sure", {
  for (scale in c(2^-30, 0.3, 7, 2^40)) expect_length(rrounded_normal(20, scale), 20)
  for (doubt in 2^c(0, 62)) {
    expect_length(.Call(ffi_test_normal_variates, 20, doubt, kernel_options("os")), 60)
  }
  for (cell in c(0, 74, 130)) expect_silent(.Call(ffi_test_normal_coins, 5, 0, cell, 130L, kernel_options("os")))
  for (places in c(0L, 3L, 64L, 100L)) for (wide in c(TRUE, FALSE)) {
    expect_length(.Call(ffi_test_round_normal, c(0, 2^62), double(16), places, 2^40, wide, kernel_options()), 2)
  }
  expect_identical(live_blocks(), 0)
})

test_that("exact noise", {
  for (scale in c(2^-30, 0.3, 1, 7, 2^40)) {
    for (draw in list(rdiscrete_laplace, rdiscrete_gaussian)) expect_length(draw(20, scale), 20)
  }
  for (what in 0:2) expect_length(.Call(ffi_test_coins, 20, 0.7, what, kernel_options("R")), 20)
  expect_identical(.Call(ffi_test_round_scale, c(1, NaN)), c(1, NA))
  for (kind in 0:1) expect_identical(.Call(ffi_privacy_scale_for, kind, c(2, 2e300), 1), c(2 - kind, NA))
  expect_identical(live_blocks(), 0)
})

test_that("choices", {
  for (epsilon in c(2^-80, 2^-72, 1, 2^41)) expect_length(draw_choice(c(-2^53, 3, 2^53), epsilon, 1, "R", 5), 5)
  expect_identical(choice_rate(1, c(1, 2^53)), c(.5, 2^-54))
  expect_identical(live_blocks(), 0)
})

test_that("quantiles by ranks", {
  for (epsilon in c(0, 1e-3, 1, 1024)) {
    drawn <- .Call(ffi_number_draw_ranks, c(2, 5, 2^24), c(1, 7, 3), 2^24, c(1, 4, 11), epsilon, kernel_options("R"))
    expect_length(drawn, 3)
    expect_gt(length(rank_weights(epsilon, 100)), 0)
  }
  expect_length(rank_weights(1e-7, 2^52), 0)
  for (cells in list(c(2, 5, 5), c(2, 5, 1.5), c(2, 5, 17))) {
    expect_error(.Call(ffi_number_draw_ranks, cells, c(1, 7, 3), 16, 1, 1, kernel_options("R")), class = "dptda_error")
  }
  splits <- halving_splits(c(1, 4, 5, 9, 11), 11, 0.3)[, 1:7]
  for (digits in c(0L, 24L)) {
    drawn <- .Call(ffi_number_draw_splits, c(2, 5, 2^24), c(1, 7, 3), 2^24, splits, digits, kernel_options("R"))
    expect_false(is.unsorted(drawn))
    expect_length(.Call(ffi_number_draw_splits, 3, 5000, 4, splits, digits, kernel_options("R")), 5)
  }
  for (wrong in list(splits[5:1, ], replace(splits, 1, 1), replace(splits, 26, 65), splits[, 1:6], splits[0, ])) {
    expect_error(.Call(ffi_number_draw_splits, 2, 5, 16, wrong, 24L, kernel_options("R")), class = "dptda_error")
  }
  tiny <- function() .Call(ffi_number_draw_ranks, 1, 2^52, 16, 1, 1e-7, kernel_options("R"))
  expect_error(tiny(), "too small", class = "dptda_error_argument")
  expect_identical(live_blocks(), 0)
})

test_that("linear algebra, by own code and by LAPACK", {
  run <- function(entry, ...) .Call(entry, ..., kernel_options("os"))
  for (n in c(1, 2, 3, 5, 8, 14, 18)) {
    a <- matrix(sin(seq_len(n * n)^2), n)
    b <- a[, 1:max(1, n %/% 2), drop = FALSE]
    for (wanted in c(FALSE, TRUE)) expect_length(run(ffi_test_linear_eigen, a + t(a), wanted)$values, n)
    for (wanted in 0:3) for (given in list(a, b, t(b), 0 * b)) {
      expect_length(run(ffi_test_linear_svd, given, wanted)$d, min(dim(given)))
    }
    expect_length(run(ffi_test_linear_complete, b), n * n)
    expect_length(run(ffi_test_linear_cholesky, crossprod(a) + diag(n), b), 3)
    expect_null(run(ffi_test_linear_cholesky, matrix(-1, n, n), b))
    for (transposed in 0:2) expect_length(run(ffi_test_linear_multiply, a, a, transposed), n * n)
    q <- run(ffi_test_linear_orthogonal, n, TRUE)
    expect_length(run(ffi_test_linear_schur, q), 2)
  }
  expect_identical(live_blocks(), 0)
})

test_that("rows counted by cell and summed by group", {
  rows <- list_rows(list(sin(1:5000), rep(1:3, length.out = 5000), rep(c("a", "b"), 2500)), c("x", "k", "s"))
  axes <- list(axis_cells(-1, 1, 7), axis_intervals(c(0, 1.5, 2.5, 4)), axis_levels("b"))
  expect_identical(sum(count_rows(rows, list(cell_table(axes)))[[1]]$count), 5000)
  lattice <- public_lattice(domain_box(c(-1, 0), c(1, 3)), 4)
  expect_identical(dim(sum_rows(rows, lattice, groups = cell_table(axes[3], 3))), 2:1 * 1:2)
  expect_identical(dim(sum_rows(rows, lattice)), 1:2)
  bad <- list_rows(list(c(1, NaN), c(1L, NA)), NULL)
  for (j in 1:2) expect_error(count_rows(bad, list(cell_table(axes[1], j))), class = "dptda_error_argument")
  expect_error(sum_rows(bad, lattice), class = "dptda_error_argument")
  expect_length(count_rows(matrix_rows(matrix(0, 0, 1)), list(cell_table(axes[1])))[[1]]$cell, 0)
  expect_identical(live_blocks(), 0)
})

test_that("lines of a file, whole, open and broken", {
  rows <- function(text, k) .Call(ffi_front_rows, charToRaw(text), ",", 0, k, seq_len(k), FALSE, kernel_options())
  expect_identical(rows("1,\"a\r\n\"\"b\"\n\n2,\"\"", 2), list(c("1", "2"), c("a\n\"b", "")))
  for (text in c("1,\"", "\"", "1,\"a\"b", "1,\"a\n2,b\"", "1", "1,2,3", "1,\"a\n")) expect_null(rows(text, 2))
  for (text in c("", "a", "a,\"b\"", "a\r", "\"a\"\r\n")) {
    expect_identical(.Call(ffi_front_header, charToRaw(text), ",", kernel_options())$length, nchar(text) + 0)
  }
  for (text in c("\"", "\"a\nb\"", "\"a\"b")) {
    expect_null(.Call(ffi_front_header, charToRaw(text), ",", kernel_options()))
  }
  expect_identical(live_blocks(), 0)
})
