# Does a list of lists contain a function or an environment, in its elements or attributes?
moving_parts <- function(x) {
  if (is.function(x) || is.environment(x)) return(TRUE)
  inside <- if (is.list(x)) any(vapply(seq_along(x), function(i) moving_parts(.subset2(x, i)), NA)) else FALSE
  kept <- attributes(x)
  inside || any(vapply(kept[setdiff(names(kept), "row.names")], moving_parts, NA))
}

# Finds the file of a plan in the checkout, by one of its classes.
file_of <- function(classes) {
  found <- stats::na.omit(statistic_files()[classes])
  if (length(found)) found[[1]] else paste0("the file of R/ that has statistic_of.", classes[1], "()")
}

statistic_files <- local({
  known <- NULL
  function() {
    if (!is.null(known)) return(known)
    folder <- checkout_file("R")
    files <- if (!is.null(folder)) list.files(folder, "[.]R$")
    begin <- "^statistic_of[.]([A-Za-z0-9_.]+) <- .*$"
    classes <- lapply(files, function(file) {
      sub(begin, "\\1", grep(begin, readLines(file.path(folder, file), encoding = "UTF-8"), value = TRUE))
    })
    known <<- structure(paste0("R/", rep(files, lengths(classes))), names = unlist(classes))
  }
})

# Makes the message about a missing part: its name, and the file to write it in.
has_no <- function(what, class, write) paste0(class, " has no ", what, ": write ", write)

# Expects that no part is missing.
expect_nothing_missing <- function(said) {
  said <- unlist(said)
  expect(length(said) == 0, paste0("missing:\n", paste0("  ", said, collapse = "\n")))
}

# Turns on warnings of weak releases for one test. setup.R turns them off.
warn_of_weak <- function(env = parent.frame()) withr::local_options(dptda.weak_release = TRUE, .local_envir = env)
