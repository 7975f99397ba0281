# Each export, and each method for a class of this package, called with nothing, with NULL, with the wrong type in each
# place, and with objects of the package's classes that are empty or damaged. It may work, or refuse by a classed error.

reached_calls <- function() {
  calls <- valid_calls()
  calls[only_reached(names(calls))]
}

known_errors <- paste0("dptda_error_", c("argument", "budget", "ledger", "measure", "memory", "package", "relation",
                                         "size"))

registered <- function() {
  table <- getNamespaceInfo("dptda", "S3methods")
  # other tests of this process may have registered functions, which stand there in place of their names
  table <- table[vapply(table[, 3], is.character, NA), , drop = FALSE]
  table <- array(unlist(table), dim(table))
  frame <- data.frame(generic = sub("^.*::", "", table[, 1]), class = table[, 2], method = table[, 3])
  frame[grepl("dptda_", frame$class), ]
}

# "" if the call works or is refused as it should be, else what R said.
complaint <- function(fun, arguments) {
  run <- function() suppressWarnings(suppressMessages(do.call(fun, arguments, quote = TRUE)))
  utils::capture.output(answer <- within_time(1, run()))
  if (!inherits(answer, "error") || inherits(answer, known_errors)) return("")
  # valid and long: how long is not what is asked here
  if (grepl("reached elapsed time limit", conditionMessage(answer))) return("")
  paste(conditionMessage(answer), collapse = " ")
}

# Not lists of lists alone: a class and nothing in it, and whole objects with a field gone or of another type.
damaged <- function(object, class) {
  bare <- list(structure(list(), class = class(object)), structure(list(), class = class))
  if (is.environment(object)) return(bare)
  if (is.atomic(object)) {
    kept <- attributes(object)
    taken <- lapply(setdiff(names(kept), "class"), function(name)
                    `attributes<-`(as.vector(object), kept[names(kept) != name]))
    return(c(bare, taken, list(structure(1, class = class), structure("a", class = class),
                               `attributes<-`(as.list(as.vector(object)), kept),
                               `attributes<-`(NA_real_ * as.vector(object), kept))))
  }
  fields <- seq_along(unclass(object))
  without <- lapply(fields, function(i) {
    kept <- attributes(object)
    kept$names <- names(unclass(object))[-i]
    `attributes<-`(unclass(object)[-i], kept)
  })
  changed <- lapply(fields, function(i) {
    plain <- unclass(object)
    plain[[i]] <- mean
    `attributes<-`(plain, attributes(object))
  })
  c(bare, without, changed, list(structure(1, class = class), structure("a", class = class)))
}

wrong_values <- function() {
  list(list(), list(1), "nothing", character(), NA_character_, NA, TRUE, -1, 0, 1.5, 1e300, Inf, NaN, double(),
       c(1, 2, 3),
       integer(), factor("a"), mean, quote(x), 1i, as.raw(1), globalenv(), matrix("a"), matrix(double(), 0, 2),
       data.frame(), data.frame(a = "b"), array(1, c(1, 1, 1)), Sys.time(), structure(1, class = "unheard"))
}

expect_no_complaint <- function(said) {
  bad <- said[nzchar(said)]
  expect(length(bad) == 0, paste0("errors without a known class:\n", paste0(names(bad), ": ", bad, collapse = "\n")))
}

# What epsilon and delta come to takes longer than all else of a release: it is computed where one of them is attacked,
# and elsewhere rho stands in their places.
with_rho <- function(name, arguments, place) {
  two <- match(c("epsilon", "delta"), names(arguments))
  if (!startsWith(name, "private_") || anyNA(two) || place %in% two) return(arguments)
  arguments[[two[1]]] <- 0.1
  arguments[two[2]] <- list(NULL)
  names(arguments)[two[1]] <- "rho"
  arguments
}

# In each place, but in the long tests, one of three values: which, changes from place to place and from name to name,
# so that each value is tried somewhere in each export of three arguments.
try_values <- function(name, fun, arguments, values, one_of = 3) {
  said <- character()
  all <- seq_along(values)
  tried <- function(place) long_or(all, all[(all + place + nchar(name)) %% one_of == 0])
  for (place in seq_along(arguments)) for (i in tried(place)) {
    hostile <- with_rho(name, arguments, place)
    hostile[place] <- values[i]
    label <- paste0(name, "(", if (is.null(names(arguments))) place else names(arguments)[place], " = ",
                    names(values)[i], ")")
    said[label] <- complaint(fun, hostile)
  }
  said
}

label_values <- function(values) {
  names(values) <- vapply(values, function(value) substr(deparse1(value), 1, 60), "")
  values
}

# Pictures go nowhere, and a ledger that is named by a hostile string into a folder that is removed.
quietly <- function(env = parent.frame()) {
  grDevices::pdf(NULL)
  withr::defer(grDevices::dev.off(), env)
  withr::local_dir(withr::local_tempdir(.local_envir = env), .local_envir = env)
}

test_that("every export has a valid call here, and every class an object", {
  exports <- getNamespaceExports("dptda")
  expect_nothing_missing(lapply(setdiff(exports, names(valid_calls())), has_no, what = "valid call",
                                write = "one in own_calls() of tests/testthat/helper-calls.R"))
  expect_identical(setdiff(names(valid_calls()), exports), character())
  expect_nothing_missing(lapply(setdiff(registered()$class, object_classes()), has_no, what = "object",
                                write = "one in written_objects() of tests/testthat/helper-calls.R"))
  # a histogram has the methods of a table
  expect_identical(setdiff(names(written_objects()), c("dptda_private_histogram", registered()$class)), character())
  quietly()
  calls <- reached_calls()
  for (name in names(calls)) {
    made <- function() {
      answer <- withVisible(do.call(name, calls[[name]], quote = TRUE))
      # an app that is printed runs until somebody stops it
      if (answer$visible && !inherits(answer$value, "shiny.appobj")) print(answer$value)
    }
    failed <- tryCatch(utils::capture.output(suppressWarnings(made())), error = identity)
    expect(!inherits(failed, "error"), paste0("the valid call of ", name, "() fails: ", failed))
  }
})

test_that("an export that is called with nothing, or with something left out, says what is missing", {
  quietly()
  calls <- reached_calls()
  said <- character()
  for (name in names(calls)) {
    said[paste0(name, "()")] <- complaint(name, list())
    for (i in seq_along(calls[[name]])) {
      said[paste0(name, " without ", names(calls[[name]])[i])] <- complaint(name, calls[[name]][-i])
    }
  }
  expect_no_complaint(said)
})

test_that("an export that is given NULL or the wrong type anywhere refuses by a classed error", {
  skip_on_cran()
  quietly()
  calls <- reached_calls()
  values <- label_values(c(list(NULL), wrong_values()))
  said <- unlist(unname(Map(function(name, arguments) try_values(name, name, arguments, values), names(calls), calls)))
  expect_no_complaint(said)
})

test_that("an export that is given an empty or damaged object refuses by a classed error", {
  skip_on_cran()
  quietly()
  calls <- reached_calls()
  objects <- own_objects()
  empty <- lapply(names(objects), function(class) structure(list(), class = class(objects[[class]])))
  names(empty) <- paste("empty", names(objects))
  # all of them are refused by their class, whatever it is
  said <- unlist(unname(Map(function(name, arguments) try_values(name, name, arguments, empty, one_of = 5),
                            names(calls), calls)))
  expect_no_complaint(said)
})

# A field, or an element, that a whole object has.
asked <- function(class) if (class %in% c("dptda_private_value", "dptda_private_table")) 1 else "spent"

test_that("a method that is given an empty or damaged object refuses by a classed error", {
  skip_on_cran()
  quietly()
  methods <- registered()
  # what R itself does to plain data frames is R's own affair; so are the packages that own these generics
  methods <- methods[!vapply(methods$method, function(name) identical(get0(name), Ops.data.frame), NA), ]
  methods <- methods[!methods$generic %in% c("$<-", "[", "[<-", "[[<-", "length<-", "names<-", "dim<-",
                                             "dimnames<-", "rbind", "as.list",
                                             "as.vector",
                                             "as_persistence", "autoplot",
                                             "as_tibble", "group_by", "rowwise", "dplyr_reconstruct", "vec_restore"), ]
  methods <- methods[methods$method %in% only_reached(methods$method), ]
  # generics of the package's own use are asked of objects that were checked
  methods <- methods[!methods$generic %in% setdiff(ls(asNamespace("dptda")), getNamespaceExports("dptda")), ]
  objects <- own_objects(unique(methods$class))
  said <- character()
  for (i in seq_len(nrow(methods))) {
    class <- methods$class[i]
    # do.call() cannot quote for these two, which are called as they are
    reads <- methods$generic[i] %in% c("$", "[[")
    member <- c(Math = "abs", Ops = "-", Summary = "max")[methods$generic[i]] # a group is called by one of it
    generic <- if (is.na(member)) methods$generic[i] else member
    fun <- get0(if (reads) methods$method[i] else generic, asNamespace("dptda"), ifnotfound = methods$method[i])
    broken <- damaged(objects[[class]], class)
    for (j in seq_along(broken)) {
      said[paste(methods$method[i], "of damaged", j)] <- complaint(fun, c(broken[j], if (reads) asked(class)))
    }
  }
  expect_no_complaint(said)
})

test_that("a manifold whose facts were changed by hand stamps no guarantee", {
  M <- manifold_sphere(2)
  X <- rbind(c(0, 0, 1), c(0, 0, 1))
  release <- function(M) private_frechet_mean(X, M, center = c(0, 0, 1), radius = .7, epsilon = 5)
  expect_s3_class(release(M), "dptda_private_frechet_mean")
  flat <- replace(M, "curvature", list(c(0, 0)))
  smaller <- replace(M, "numbers", list(c(2, .5)))
  pair <- manifold_product(M, manifold_euclidean(1))
  pair$factors[[1]]$curvature <- c(0, 0)
  for (changed in list(flat, smaller, replace(M, "shape", list(7)), replace(M, "dimension", list(3)))) {
    class(changed) <- class(M)
    expect_error(release(changed), "as a function such as", class = "dptda_error_argument")
  }
  expect_error(frechet_noise(5, pair, .1, 1), class = "dptda_error_argument")
})

test_that("what is built in layers is refused before it is too deep or too large", {
  deep <- list(kind = "euclidean", numbers = 1)
  for (i in 1:5000) deep <- list(kind = "product", factors = list(deep))
  expect_error(.Call(ffi_manifold_facts, deep, kernel_options()), class = "dptda_error_argument")
  wide <- manifold_sphere(1)
  expect_error(for (i in 1:40) wide <- manifold_product(wide, wide), class = "dptda_error_argument")
  x <- diag(2)
  for (i in 1:20000) x <- list(x)
  for (X in list(x, numeric_version("1.0"), as.POSIXlt("2020-01-01"))) {
    expect_error(private_mean(X, domain_box(0, 1), epsilon = 1), class = "dptda_error_argument")
    expect_error(private_frechet_mean(X, manifold_spd(2), diag(2), .5, epsilon = 1), class = "dptda_error_argument")
  }
  expect_error(private_frechet_mean(list(diag(2), as.POSIXlt("2020-01-01")), manifold_spd(2), diag(2), .5, epsilon = 1),
               class = "dptda_error_argument")
})
