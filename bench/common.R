# What the benchmarks share; they source it from the top of the checkout.

said <- character()

# Prints a line, and keeps it for the file of results.
say <- function(...) {
  line <- sprintf(...)
  message(line)
  said <<- c(said, line)
}

save_said <- function(stem, first = NULL) writeLines(c(first, said), file.path("bench", "results", paste0(stem, ".txt")))

# Processor seconds of each racer, over several runs that take turns, so that other work on the machine counts little.
race <- function(runs, ..., of_runs = stats::median) {
  racers <- list(...)
  spent <- matrix(0, runs, length(racers))
  for (run in seq_len(runs)) for (i in seq_along(racers)) {
    gc(FALSE)
    spent[run, i] <- sum(system.time(racers[[i]]())[c("user.self", "sys.self")])
  }
  apply(spent, 2, of_runs)
}

# The largest that this process has been, in MB, where the system tells.
most_memory <- function() {
  status <- "/proc/self/status"
  if (!file.exists(status)) return(NA)
  as.numeric(gsub("[^0-9]", "", grep("^VmHWM", readLines(status), value = TRUE))) / 1024
}
