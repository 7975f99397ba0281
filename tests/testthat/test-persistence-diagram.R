release <- function() {
  diagram <- new_diagram(c(0L, 0L, 1L, 1L), c(0, 0.1, 0.4, 0.5), c(Inf, 0.3, 1.1, 0.6), software = "oracle",
                         parameters = list(m0 = 0.1))
  attach_guarantee(diagram, structure(list(), class = "test_guarantee"))
}
ours <- c("sublevel", "software", "parameters", "privacy", "released")
is_plain <- function(x) !inherits(x, "dptda_diagram") && !any(ours %in% names(attributes(x)))

test_that("the helper builds a valid diagram with exactly three columns", {
  d <- persistence_diagram(1, c(0, 1), c(2, Inf), software = "hand", parameters = list(a = 1))
  expect_s3_class(d, c("dptda_diagram", "dptda_result", "data.frame"), exact = TRUE)
  expect_identical(names(d), c("dimension", "birth", "death"))
  expect_identical(unname(sapply(d, typeof)), c("integer", "double", "double"))
  expect_identical(attr(d, "software"), "hand")
  expect_true(attr(d, "sublevel"))
  expect_identical(nrow(persistence_diagram()), 0L)
  expect_false(attr(persistence_diagram(0, 2, -Inf, sublevel = FALSE), "sublevel"))
})

test_that("bad input gets a classed error that shows no value", {
  bad <- list(
    quote(persistence_diagram("a", 1, 2)), quote(persistence_diagram(factor(1), 1, 2)),
    quote(persistence_diagram(-1, 1, 2)), quote(persistence_diagram(0.5, 1, 2)), quote(persistence_diagram(NA, 1, 2)),
    quote(persistence_diagram(0, NA_real_, 2)), quote(persistence_diagram(0, 1, NaN)),
    quote(persistence_diagram(0, Inf, Inf)), quote(persistence_diagram(0, -Inf, -Inf)),
    quote(persistence_diagram(0, "x", 2)),
    quote(persistence_diagram(0, 7.25, 6.125)), quote(persistence_diagram(0, 6.125, 7.25, sublevel = FALSE)),
    quote(persistence_diagram(0, 1:2, 3)), quote(persistence_diagram(c(0, 1, 0), 1:2, 3:4)),
    quote(persistence_diagram(0, 1, 2, sublevel = NA)), quote(persistence_diagram(0, 1, 2, software = 3)),
    quote(persistence_diagram(0, 1, 2, parameters = "a"))
  )
  for (call in bad) {
    error <- expect_error(eval(call), class = "dptda_error_argument")
    expect_no_match(conditionMessage(error), "7\\.25|6\\.125")
  }
})

test_that("print, format and summary show what there is", {
  d <- release()
  expect_match(format(d), "<private persistence diagram> 4 points (dimension 0: 2, 1: 2; 1 never dying; by oracle)",
               fixed = TRUE)
  expect_output(print(persistence_diagram(0, 1:20, 2:21)), "and 10 more")
  expect_output(print(persistence_diagram()), "0 points")
  expect_output(print(persistence_diagram(0, 2, 1, sublevel = FALSE)), "1 point (superlevel", fixed = TRUE)
  s <- summary(d)
  expect_identical(s$points, c(2L, 2L))
  expect_identical(s$essential, c(1L, 0L))
  expect_equal(s$largest, c(0.2, 0.7))
  expect_equal(s$total, c(0.2, 0.8))
  expect_output(print(s), "essential")
  expect_output(print(summary(persistence_diagram())), "0 points")
  expect_identical(summary(persistence_diagram(0, 0, Inf))$largest, NA_real_)
})

test_that("as.matrix has the three columns as doubles", {
  m <- as.matrix(release())
  expect_identical(dimnames(m), list(NULL, c("dimension", "birth", "death")))
  expect_type(m, "double")
  expect_identical(m[, "death"], c(Inf, 0.3, 1.1, 0.6))
})

test_that("a choice of rows keeps class, attributes and guarantee", {
  d <- release()
  kept <- list(d[], d[1:2, ], d[d$dimension == 1, ], d[0, ], d[-1, ], d[order(d$death), ],
               d[, c("dimension", "birth", "death")], d[1:3], head(d, 2), tail(d, 1), subset(d, birth > 0),
               split(d, d$dimension)[["1"]], unique(d), na.omit(d))
  for (rows in kept) {
    expect_s3_class(rows, "dptda_diagram")
    for (name in ours) expect_identical(attr(rows, name), attr(d, name))
    expect_identical(privacy(rows), attr(d, "privacy"))
  }
})

test_that("base R never carries a guarantee to values that it does not cover", {
  d <- release()
  plain <- as.data.frame(d)
  change <- function(step) {
    eval(substitute(step))
    d
  }
  results <- list(
    d["birth"], d[c("death", "birth", "dimension")], d[9, ], d[c(1, NA), ], rev(d),
    change(d$birth <- 0), change(d$extra <- 1), change(d$death <- NULL), change(d[["birth"]] <- 0),
    change(d[1, 2] <- 9),
    change(d[[2, 2]] <- 9), change(d[] <- lapply(d, rev)), change(d[d == 0] <- 1), change(names(d) <- names(d)),
    change(dimnames(d) <- list(1:4, letters[1:3])), change(is.na(d) <- cbind(1, 2)), change(length(d) <- 2),
    rbind(d, d), rbind(d), rbind(d, plain), rbind(plain, d), rbind(d, list(1L, 0, 1)), do.call(rbind, split(d, 1:4)),
    cbind(d, a = 1), cbind(d), data.frame(d), as.data.frame(d), as.list(d), as.vector(d), lapply(d, identity),
    d * 2, -d, round(d), exp(d), d == d, merge(d, plain), merge(plain, d), merge(d, d), merge(d, d, by = NULL),
    transform(d, birth = 0), within(d, birth <- 0), replace(d, 1, 0L), stats::setNames(d, letters[1:3]),
    aggregate(birth ~ dimension, d, mean), utils::modifyList(d, list(birth = 1:4)),
    utils::type.convert(d, as.is = TRUE),
    utils::stack(d), unsplit(split(d, d$dimension), d$dimension), droplevels(d), c(d, 1), append(d, list(a = 1)),
    reshape(d, direction = "long", varying = c("birth", "death"), v.names = "level"), Filter(is.double, d),
    rowsum(d, d$dimension), rep(d, 2), mapply(rep, d, 2), t(d), sapply(d, identity), scale(d)
  )
  for (i in seq_along(results)) expect_true(is_plain(results[[!!i]]))
})

test_that("functions that copy attributes unasked smuggle no guarantee", {
  d <- release()
  expect_null(privacy(rapply(d, function(column) 0L * column, how = "replace")))
  expect_null(privacy(pmax(d, 1)))
  expect_null(privacy(rapply(d, function(column) column + .5, "integer", how = "replace")))
  expect_null(privacy(rapply(d, as.character, how = "replace")))
  expect_no_match(format(rapply(d, as.character, "integer", how = "replace")), "Private")
  expect_null(privacy(rbind(as.data.frame(d)[0, ], d, data.frame(dimension = 1L, birth = 0, death = 9))))
  expect_null(privacy(structure(d, row.names = letters[1:4])))
  expect_identical(privacy(structure(d, row.names = 4:1)), attr(d, "privacy"))
  expect_null(privacy(structure(d, rows = 1:9)))
  marked <- d
  attr(marked$birth, "rows") <- 1:9
  expect_null(privacy(marked))
  skip_if_not_installed("tibble")
  expect_null(privacy(tibble::add_row(d, dimension = 1L, birth = 0, death = 9)))
  expect_null(privacy(tibble::add_column(d, a = 1)))
  expect_null(privacy(tibble::rownames_to_column(d)))
  expect_null(privacy(tibble::rowid_to_column(d)))
  expect_no_match(format(tibble::add_row(d, dimension = 1L, birth = 0, death = 9)), "Private")
})

test_that("dplyr, tibble and vctrs give plain data frames", {
  skip_if_not_installed("dplyr")
  d <- release()
  plain <- as.data.frame(d)
  update <- data.frame(dimension = 0L, birth = 0, death = 9)
  results <- list(
    dplyr::filter(d, dimension == 0), dplyr::mutate(d, birth = 0), dplyr::mutate(d), dplyr::arrange(d, death),
    dplyr::slice(d, 1), dplyr::slice_max(d, birth), dplyr::slice_sample(d, n = 9, replace = TRUE),
    dplyr::sample_n(d, 2), dplyr::select(d, birth), dplyr::rename(d, birth = death, death = birth),
    dplyr::rename_with(d, toupper), dplyr::relocate(d, death), dplyr::transmute(d, birth),
    dplyr::summarise(d, m = mean(birth)), dplyr::count(d, dimension), dplyr::add_count(d, dimension),
    dplyr::distinct(d), dplyr::distinct(d, dimension), dplyr::group_by(d, dimension),
    dplyr::ungroup(dplyr::group_by(d, dimension)),
    dplyr::ungroup(dplyr::mutate(dplyr::group_by(d, dimension), birth = 0)),
    dplyr::rowwise(d), dplyr::left_join(d, plain, by = "birth"), dplyr::left_join(plain, d, by = "birth"),
    dplyr::right_join(d, plain, by = "birth"), dplyr::inner_join(d, d, by = "birth"),
    dplyr::full_join(d, update, by = "birth"), dplyr::semi_join(d, plain, by = "birth"),
    dplyr::anti_join(d, update, by = "death"), dplyr::nest_join(d, plain, by = "dimension"), dplyr::bind_rows(d, d),
    dplyr::bind_rows(d), dplyr::bind_rows(d, update), dplyr::bind_rows(plain, d), dplyr::bind_cols(d, a = 1:4),
    dplyr::union(d, d), dplyr::union_all(d, plain), dplyr::intersect(d, plain), dplyr::setdiff(d, update),
    dplyr::rows_update(d, update, by = "birth"), dplyr::rows_upsert(d, update, by = "birth"),
    dplyr::rows_patch(d, update, by = "birth"), dplyr::rows_delete(d, update[2], by = "birth"),
    dplyr::nest_by(d, dimension), dplyr::group_split(d, dimension)[[1]], dplyr::tally(d), dplyr::coalesce(d, d),
    dplyr::group_modify(dplyr::group_by(d, dimension), function(rows, key) rows),
    tibble::as_tibble(d), vctrs::vec_rbind(d, d), vctrs::vec_c(d, d), vctrs::vec_slice(d, 1:2), vctrs::vec_rep(d, 2),
    vctrs::vec_assign(d, 1, d[2, ]), vctrs::vec_init(d, 2), vctrs::vec_cbind(d, a = 1), vctrs::list_unchop(list(d, d)),
    rlang::set_names(d, c("dimension", "death", "birth"))
  )
  for (i in seq_along(results)) expect_true(is_plain(results[[!!i]]))
})

test_that("a guarantee is that of these rows, each as often as before, and of what they mean; no method decides it", {
  d <- release()
  expect_false(is.null(privacy(d)))
  expect_false(is.null(privacy(d[c(3, 1), ])))
  expect_null(privacy(d[c(1, 1), ]))
  for (name in c("sublevel", "parameters")) expect_null(privacy(`attr<-`(d, name, list(m0 = .9))))
  other <- d
  other$birth[3] <- .45
  other <- structure(other, class = c("mine", class(d)), privacy = attr(d, "privacy"), released = attr(d, "released"))
  is_released.mine <- function(x, released) TRUE
  released_part.mine <- function(x) attr(x, "released")
  expect_null(privacy(other))
})
