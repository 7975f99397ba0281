#!/usr/bin/env Rscript
# Runs the tests against the package that is installed in the first library:
#
#   Rscript tools/run-tests.R [FILE [STEM]]
#
# Prints "N passed, N failed, N skipped" (tests, that is calls of test_that()), writes the three numbers to FILE and
# ends with status 1 if anything failed. With a stem (a regular expression), only the files test-STEM.R run; with @LIST,
# those whose stems stand in the file LIST, in that order.
#
# Two processes (DPTDA_TEST_WORKERS of them, one where there is one core) take one file after the other, so that R and
# the packages are loaded twice and not a hundred times. They share a server of PostgreSQL and three with its shards
# (tests/testthat/helper-databases.R). A file that does not parse, fails outside a test, or kills its process is a
# failure, and another process takes the next file. A single file runs in this process, for debuggers and valgrind.
#
# DPTDA_TEST_APART=true: each file runs in an R process of its own, and sees nothing that another left behind.
# DPTDA_TEST_WITHOUT: a regular expression, of stems that do not run.
# DPTDA_TEST_SECONDS: when no file is begun any more, except for the first DPTDA_TEST_FIRST files. The stems that were
# left are named.
# DPTDA_TEST_LIBRARY: the library where the processes that tests start find the package, if it is another one.
# DPTDA_TEST_COVERAGE: a folder, where each process leaves the counts of R's lines (tools/covered.R). Audits, which take
# lines that other files take, ten thousand times, are not counted: they run before, in a process of their own.

arguments <- commandArgs(TRUE)
count_file <- if (length(arguments) > 0) arguments[1]
wanted <- if (length(arguments) > 1) arguments[2] else ".*"
result_file <- Sys.getenv("DPTDA_TEST_RESULT") # set in the process of one file: where its results go
queue <- Sys.getenv("DPTDA_TEST_QUEUE") # set in a process that takes one file after the other: where their results go
other_library <- Sys.getenv("DPTDA_TEST_LIBRARY")
coverage_folder <- Sys.getenv("DPTDA_TEST_COVERAGE")
seconds <- as.numeric(Sys.getenv("DPTDA_TEST_SECONDS", "Inf"))
until <- as.numeric(Sys.getenv("DPTDA_TEST_UNTIL", "Inf"))
first <- as.integer(Sys.getenv("DPTDA_TEST_FIRST", "0"))
Sys.unsetenv(c("DPTDA_TEST_RESULT", "DPTDA_TEST_QUEUE", "DPTDA_TEST_UNTIL", "DPTDA_TEST_COVERAGE"))
folder <- "tests/testthat"

# The longest first, or the last one runs alone; the others by size, which is near enough.
long <- c("database-rows", "recordings", "database-random", "audit-lies", "audit-mechanisms",
          "dtm-landmarks", "diagram-lattice-sampler", "cluster-kmeans-verbs", "number-quantile",
          "cluster-query-database", "base-boundary",
          "publish-topology", "errors", "publish-wide", "publish-counts", "dtm-landmark-kernel", "cluster-morse",
          "cluster-private-mixture", "dtm-lattice", "manifold-private-mean-plot", "diagram-evidence",
          "budget", "diagram-plot", "database-dialects", "manifold-sensitivity")
audits <- c("audit-lies", "audit-mechanisms")
listed <- if (startsWith(wanted, "@")) readLines(substring(wanted, 2))
pattern <- if (is.null(listed)) wanted else ".*"
stems <- sub("^test-(.*)\\.R$", "\\1", list.files(folder, paste0("^test-(", pattern, ")\\.R$")))
without <- Sys.getenv("DPTDA_TEST_WITHOUT")
left_out <- stems[nzchar(without) & grepl(without, stems)]
stems <- setdiff(stems, left_out)
size_of <- function(stems) file.size(file.path(folder, paste0("test-", stems, ".R")))
stems <- if (is.null(listed)) stems[order(match(stems, long), -size_of(stems), stems)] else intersect(listed, stems)

if (!length(stems)) stop("no file of tests has the stem `", wanted, "`; a stem is matched whole", call. = FALSE)

# The tests of one file: a data frame with their names, seconds, what became of them, and why they were skipped.
run_here <- function(stem) {
  library(testthat)
  library(dptda)
  reporter <- ProgressReporter$new(show_praise = FALSE, update_interval = Inf, max_failures = Inf)
  found <- test_dir(folder, filter = paste0("^", stem, "$"), package = "dptda", load_package = "installed",
                    reporter = reporter, stop_on_failure = FALSE)
  tests <- as.data.frame(found)
  broken <- tests$failed > 0 | tests$error
  outcome <- ifelse(broken, "failed", ifelse(tests$skipped, "skipped", "passed"))
  reason <- function(test) {
    is_bad <- function(result) inherits(result, c("expectation_failure", "expectation_error"))
    bad <- Filter(is_bad, test$results)
    if (length(bad)) return(trimws(gsub("\\s+", " ", conditionMessage(bad[[1]]))))
    skips <- Filter(function(result) inherits(result, "expectation_skip"), test$results)
    toString(sub("^Reason: ", "", unique(vapply(skips, conditionMessage, ""))))
  }
  outside <- is.na(tests$test)
  result <- data.frame(stem = rep(stem, nrow(tests)), test = ifelse(outside, "outside of its tests", tests$test),
                       seconds = ifelse(outside, 0, tests$real),
                       busy = ifelse(outside, 0, tests$user + tests$system), outcome = outcome,
                       reason = vapply(found, reason, ""), warned = tests$warning > 0)
  # some failures outside a test are known to the reporter only
  stray <- max(0, reporter$n_fail - sum(tests$failed) - sum(tests$error))
  rbind(result, failures(stem, "outside of its tests", stray))
}

failures <- function(stem, what, times = 1) {
  data.frame(stem = rep(stem, times), test = rep(what, times), seconds = rep(0, times), busy = rep(0, times),
             outcome = rep("failed", times),
             reason = rep("", times), warned = rep(FALSE, times))
}

# The same in a process of its own. What it prints is shown if there is something to see.
run_apart <- function(stem) {
  answer <- tempfile()
  log <- tempfile()
  on.exit(unlink(c(answer, log)))
  status <- system2(file.path(R.home("bin"), "Rscript"), c("tools/run-tests.R", "/dev/null", stem), stdout = log,
                    stderr = log, env = paste0("DPTDA_TEST_RESULT=", answer))
  result <- results_in(answer, stem, status)
  if (status != 0 && file.exists(answer)) result <-
    rbind(result, failures(stem, paste("the process ended with status", status)))
  report(result, log)
  result
}

results_in <- function(file, stem, status) {
  tryCatch(suppressWarnings(readRDS(file)), error = function(cnd) {
    failures(stem, paste("the process ended with status", status, "and left no results"))
  })
}

report <- function(result, log) {
  count <- count_of(result)
  line <- sprintf("%6.1f s, %6.1f s of the processor  %s: %s", sum(result$seconds), sum(result$busy), result$stem[1],
                  in_words(count))
  shown <- if (count[["failed"]] > 0 || any(result$warned)) readLines(log, warn = FALSE)
  cat(paste0(c(shown, line, ""), collapse = "\n"))
}

# A worker takes the files that no other has taken: a folder can be made once.
run_queue <- function() {
  loadNamespace("dptda")
  if (nzchar(other_library)) {
    .libPaths(c(other_library, .libPaths()))
    Sys.setenv(R_LIBS = paste(.libPaths(), collapse = .Platform$path.sep))
  }
  late <- FALSE # one file is begun, whatever the time
  for (stem in if (nzchar(coverage_folder)) setdiff(stems, audits) else stems) {
    taken <- file.path(queue, stem)
    if (late && match(stem, stems) > first) return(invisible())
    if (!dir.create(taken, showWarnings = FALSE)) next
    log <- file(file.path(taken, "log"), "w")
    sink(log)
    sink(log, type = "message")
    result <- tryCatch(run_here(stem), error = function(cnd) {
      message(conditionMessage(cnd))
      failures(stem, "the file as a whole")
    })
    sink(type = "message")
    sink()
    close(log)
    saveRDS(result, file.path(taken, "result"))
    report(result, file.path(taken, "log"))
    late <- as.numeric(Sys.time()) > until
  }
}

# Whether an expression was reached is all that is asked. covr counts how often, by three calls and a long key at each;
# one primitive that leaves a mark in a place of its own, put where these stood, takes a fraction of the time.
mark_lines <- function() {
  places <- new.env()
  mark <- `[[<-`
  is_count <- function(code) is.call(code) && identical(code[[1]], quote(covr:::count))
  marked <- function(code) {
    if (is.call(code) && length(code) == 3 && identical(code[[2]], TRUE) && is.call(code[[3]]) &&
          length(code[[3]]) == 3 && is_count(code[[3]][[2]])) {
      place <- new.env(hash = FALSE, parent = emptyenv())
      places[[code[[3]][[2]][[2]]]] <- place
      code <- code[[3]]
      code[[2]] <- as.call(list(mark, place, "x", TRUE))
      if (typeof(code[[3]]) == "language") code[[3]] <- marked(code[[3]])
      return(code)
    }
    for (i in seq_along(code)) {
      if (typeof(code[[i]]) %in% c("language", "pairlist")) code[[i]] <- marked(code[[i]])
    }
    code
  }
  for (traced in get("the", asNamespace("covr"))$replacements) {
    f <- traced$new_value
    if (is.null(body(f))) next
    seen <- attributes(f)
    formals(f) <- marked(formals(f))
    body(f) <- marked(body(f))
    attributes(f) <- seen
    traced$new_value <- f
    get("replace", asNamespace("covr"))(traced)
  }
  get("clean_parse_data", asNamespace("covr"))() # two thirds of the heap, through which R goes again and again
  places
}

run_marked <- function() {
  places <- mark_lines()
  run_queue()
  counters <- get(".counters", asNamespace("covr"))
  for (key in ls(places, all.names = TRUE)) if (length(ls(places[[key]]))) counters[[key]]$value <- 1L
}

# The same, and which lines of R were reached, where the package keeps its source.
run_covered <- function() {
  script <- tempfile(fileext = ".R")
  writeLines("get('run_marked', globalenv())()", script)
  coverage <- covr::environment_coverage(asNamespace("dptda"), script)
  saveRDS(coverage, tempfile("lines-of-R-", coverage_folder, ".rds"))
}

# Servers that all processes share, if a file asks for them. They end with this process, however it ends.
start_servers <- function() {
  sources <- file.path(folder, paste0("test-", stems, ".R"))
  asks <- function(what) any(vapply(sources, function(file) any(grepl(what, readLines(file, warn = FALSE))), NA))
  tasks <- c(start = "postgres", shards = "local_shards")
  tasks <- names(tasks)[vapply(tasks, asks, NA)]
  postgres <- function(...) system2("sh", shQuote(c("tools/postgres.sh", ...)), stdout = FALSE, stderr = FALSE)
  if (Sys.getenv("DPTDA_ENGINES") == "none" || !length(tasks) || postgres("check") != 0) return(character())
  servers <- tempfile("dptda-servers-", dirname(tempdir()))
  dir.create(servers)
  Sys.chmod(servers, "711") # the servers may run as another user
  for (task in tasks) if (postgres(task, file.path(servers, task), "54321", Sys.getpid()) != 0) return(character())
  Sys.setenv(DPTDA_TEST_SERVERS = servers)
  servers
}

stop_servers <- function(servers) {
  for (one in list.files(servers, full.names = TRUE)) system2("sh", shQuote(c("tools/postgres.sh", "stop", one)))
  unlink(servers, recursive = TRUE)
}

start_worker <- function(wanted, environment) {
  system2(file.path(R.home("bin"), "Rscript"), c("tools/run-tests.R", "/dev/null", shQuote(wanted)),
          env = paste0(names(environment), "=", environment))
}

run_together <- function(workers) {
  queue <- tempfile("queue-")
  dir.create(queue)
  servers <- start_servers()
  on.exit({
    stop_servers(servers)
    unlink(queue, recursive = TRUE)
  })
  environment <- c(DPTDA_TEST_QUEUE = queue, DPTDA_TEST_UNTIL = format(as.numeric(Sys.time()) + seconds, digits = 15),
                   DPTDA_TEST_COVERAGE = coverage_folder)
  begun <- function() length(list.files(queue))
  run_worker <- function(i) {
    uncovered <- if (nzchar(coverage_folder) && i == 1) intersect(stems, audits)
    if (length(uncovered)) {
      list <- tempfile()
      writeLines(uncovered, list)
      start_worker(paste0("@", list), environment[names(environment) != "DPTDA_TEST_COVERAGE"])
    }
    repeat {
      before <- begun()
      status <- start_worker(wanted, environment)
      # one that died at a file leaves the next ones to another process
      if (status == 0 || begun() == before || begun() == length(stems)) return(status)
    }
  }
  status <- unlist(parallel::mclapply(seq_len(workers), run_worker, mc.cores = workers))
  ran <- stems[dir.exists(file.path(queue, stems))]
  not_begun <<- setdiff(stems, ran)
  result <- lapply(ran, function(stem) {
    taken <- file.path(queue, stem)
    log <- file.path(taken, "log")
    if (!file.exists(file.path(taken, "result")) && file.exists(log)) writeLines(readLines(log, warn = FALSE))
    results_in(file.path(taken, "result"), stem, toString(status))
  })
  if (any(status != 0)) result <- c(result, list(failures("a worker", paste("ended with status", toString(status)))))
  result
}

count_of <- function(tests) table(factor(tests$outcome, c("passed", "failed", "skipped")))
in_words <- function(count) toString(paste(count, names(count)))

if (nzchar(queue)) {
  if (nzchar(coverage_folder)) run_covered() else run_queue()
  quit(status = 0)
}
if (nzchar(result_file)) {
  saveRDS(run_here(stems), result_file)
  quit(status = 0)
}

not_begun <- character()
if (length(stems) == 1 && !nzchar(coverage_folder)) {
  results <- list(tryCatch(run_here(stems), error = function(cnd) {
    message(conditionMessage(cnd))
    failures(stems, "the file as a whole")
  }))
} else {
  Sys.setenv(OMP_WAIT_POLICY = "passive") # threads that wait leave their core to the other processes
  cores <- max(1, parallel::detectCores(), na.rm = TRUE)
  workers <- as.integer(Sys.getenv("DPTDA_TEST_WORKERS", min(2, cores)))
  if (identical(Sys.getenv("DPTDA_TEST_APART"), "true")) {
    results <- parallel::mclapply(stems, run_apart, mc.preschedule = FALSE, mc.cores = workers)
    lost <- !vapply(results, is.data.frame, NA)
    results[lost] <- lapply(stems[lost], failures, "the process that waited for its results died")
  } else {
    results <- run_together(min(workers, length(stems)))
  }
}
tests <- do.call(rbind, c(list(failures("", "", 0)), results))

slow <- utils::head(tests[order(-tests$seconds), ], as.integer(Sys.getenv("DPTDA_TEST_SLOWEST", "10")))
cat("\nThe slowest tests, seconds, and those of the processor in this process:\n",
    sprintf("%7.2f %7.2f  %s: %s\n", slow$seconds, slow$busy, slow$stem, substr(slow$test, 1, 80)), sep = "")
if (length(not_begun)) cat("\nNot begun within ", seconds, " s:\n", sprintf("  %s\n", not_begun), sep = "")
if (length(left_out)) cat("\nLeft out:\n", paste0("  ", left_out, "\n"), sep = "")
skips <- table(tests$reason[tests$outcome == "skipped"])
if (length(skips)) cat("\nSkipped:\n", sprintf("  %d: %s\n", skips, names(skips)), sep = "")

# Last, since the end of a log is what one sees: each test that failed, with its first message.
broken <- tests[tests$outcome == "failed", ]
if (nrow(broken)) {
  cat("\nFailed:\n", sprintf("  %s: %s\n%s", broken$stem, substr(broken$test, 1, 100),
                             ifelse(nzchar(broken$reason), paste0("      ", substr(broken$reason, 1, 130), "\n"), "")),
                             sep = "")
}

count <- count_of(tests)
cat("\n", in_words(count), "\n", sep = "")
if (!is.null(count_file)) writeLines(as.character(count), count_file)
quit(status = if (count[["failed"]] > 0 || !length(stems)) 1 else 0)
