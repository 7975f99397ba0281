# What is a function or an environment in a list of lists, but for what a manifold of the user's own is made of.
moving_parts <- function(x) {
  if (is.function(x) || is.environment(x)) return(TRUE)
  inside <- if (is.list(x)) any(vapply(seq_along(x), function(i) moving_parts(.subset2(x, i)), NA)) else FALSE
  kept <- attributes(x)
  inside || any(vapply(kept[setdiff(names(kept), "row.names")], moving_parts, NA))
}

# The file in which a plan is, by one of its classes.
file_of <- function(classes) {
  made <- Filter(Negate(is.null), lapply(paste0("statistic_of.", classes), get0, asNamespace("dptda")))
  file <- if (length(made)) utils::getSrcFilename(made[[1]])
  if (length(file)) paste0("R/", file) else paste0("the file of R/ that has statistic_of.", classes[1], "()")
}

# What a test of all there is says of one: what it lacks, and where to write it.
has_no <- function(what, class, write) paste0(class, " has no ", what, ": write ", write)

# Words that say nothing where nothing is missing.
expect_nothing_missing <- function(said) {
  said <- unlist(said)
  expect(length(said) == 0, paste0("missing:\n", paste0("  ", said, collapse = "\n")))
}

# Warnings of releases that cannot say much, which setup.R turns off, for one test.
warn_of_weak <- function(env = parent.frame()) withr::local_options(dptda.weak_release = TRUE, .local_envir = env)
