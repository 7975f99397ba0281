#!/usr/bin/env Rscript
# Computes the committed tables again, from the data, and compares them with the committed ones (`make replicate`). The
# report names the tables that no script wrote.
#
#   Rscript tools/replicate.R [PATTERN]
#
# PATTERN is a regular expression for scripts such as "simulations/chain" or "bench/". Environment variables:
#
#   DPTDA_DATA               folder of the data that are not shipped; without it, the scripts that need them are skipped
#   REPLICATE=quick          a tenth of the repetitions, and no benchmarks. manifolds-figure2.R and manifolds-methods.R,
#                            which have nothing to repeat and take up to a minute, run in full
#   REPLICATE_CONTINUE=true  skips the scripts that replicated/report.csv has; otherwise, the report begins again
#   REPLICATE_JOBS           how many scripts run at once, by default one per processor
#
# Scripts run in copies of the checkout, in replicated/, and nothing else is written. To take over a table, copy it from
# replicated/copy/ to the same place.
#
# A full run takes many hours and can be stopped at any time. When a script ends, its verdicts are appended to the
# report, with the commit of the checkout (and "-dirty" if it has changes), so that a later run can continue. A script
# with a verdict is not run again, even if it failed, was skipped, or the commit differs: delete its rows first.
#
# The verdicts:
#
#   same      equal to 9 digits. For benchmarks: the same lines, apart from numbers, since times differ.
#   drifted   differs by no more than the simulation's own error
#   changed   differs by more
#   failed    the script stopped, or did not write the table; its log is in replicated/logs/
#   skipped   data, or a package that a benchmark compares with, are missing on this machine, or a benchmark in a quick
#             run
#   unwritten a committed table that no script wrote: it is made by hand (`by_hand` below), or its script failed, was
#             skipped, or is gone. In runs without PATTERN only, except for tables by hand
#
# The simulation's own error is measured: if a table differs, its script runs once more with other seeds. In each row of
# a column, |new - old| and |new - other seeds| have the same law if old and new are independent runs of one law.
# `ratio` is the median of their quotient, of the column that fits worst. A column changed if the ratio is above 1.5 and
# Wilcoxon's test of these pairs has a p-value below 1e-4. For fewer than 15 rows it is an F test of the mean squares
# and 1e-3. Rows of a table depend on each other, so these levels are nominal. Quick runs leave out the columns of
# extreme quantiles and of spreads, which are biased in small samples, and of counts.
#
# The exit status is 1 if a table of the report changed or a script failed.

quick <- identical(Sys.getenv("REPLICATE"), "quick")
data <- Sys.getenv("DPTDA_DATA")
top <- getwd()
root <- file.path(top, "replicated")
extremes <- c("low", "high", "least", "most", "greatest", "largest", "worst", "quarter", "three_quarters", "sd", "se",
              "spread", "cases")

# ---- scripts ---------------------------------------------------------------------------------------------------------

# A script needs data if it, or a file that it sources, calls data_file() or takes a folder.
text_of <- function(script) {
  lines <- readLines(script, warn = FALSE)
  read <- regmatches(lines, regexpr("(?<=^source\\(\")[^\"]+", lines, perl = TRUE))
  own <- setdiff(read, c("inst/simulations/common.R", "bench/common.R"))
  c(lines, unlist(lapply(own, text_of)))
}
needs_data <- function(script) any(grepl("data_file\\(|^folder <- commandArgs", text_of(script)))

# Committed tables that no run of this tool writes, and how they are made.
by_hand <- c(
  "bench/results/database-billion-clickhouse.txt" = "bench/database-billion.R clickhouse 1e9",
  "bench/results/database-billion-duckdb.txt" = "bench/database-billion.R duckdb 1e9",
  "bench/results/database-pieces.txt" = "the output of bench/database-pieces.R for 2e5, 1e6, and 1e7 rows",
  "bench/results/database-rows-5e7.txt" = "bench/database-rows.R 5e7",
  "bench/results/database-rows-sqlite-clickhouse.txt" = "bench/database-rows.R, for two engines"
)
# These write no other table.
scripts_by_hand <- c("bench/database-billion.R", "bench/database-pieces.R")

find_scripts <- function(pattern) {
  studies <- Sys.glob("inst/simulations/*.R")
  studies <- studies[vapply(studies, function(path) any(grepl("write[_.]", readLines(path, warn = FALSE))), NA)]
  found <- c(studies, "inst/audits/audits.R", Sys.glob("bench/*.R"))
  found <- grep("common[.]R$", found, value = TRUE, invert = TRUE)
  grep(pattern, setdiff(found, scripts_by_hand), value = TRUE)
}

arguments_of <- function(script) {
  folder <- if (needs_data(script) && nzchar(data)) data else character()
  switch(basename(script),
         "tables-annealing.R" = c(folder, "linear"),
         "audits.R" = if (quick) "2000" else character(),
         "large-data.R" = if (quick) "1e6" else character(),
         folder)
}

# ---- runs ------------------------------------------------------------------------------------------------------------

make_copy <- function(name) {
  copy <- file.path(root, name)
  unlink(copy, recursive = TRUE)
  files <- system2("git", c("ls-files", "--cached", "--others", "--exclude-standard"), stdout = TRUE)
  for (folder in unique(dirname(files))) dir.create(file.path(copy, folder), recursive = TRUE, showWarnings = FALSE)
  file.copy(files, file.path(copy, files), copy.date = TRUE)
  copy
}

# Scripts set their seeds by set.seed(), which adds a number here.
shifted_script <- paste('shift <- as.integer(Sys.getenv("REPLICATE_SHIFT"))',
                        'set.seed <- function(seed, ...) base::set.seed(seed + shift, ...)',
                        'source(Sys.getenv("REPLICATE_SCRIPT"))', sep = "\n")

# Runs `script` in a copy of the checkout, and moves its results to replicated/`target`. Returns their paths, with
# `failed` and the processor seconds as attributes.
run_script <- function(script, target, shift = 0) {
  name <- gsub("[/.]", "-", script)
  log <- file.path(root, "logs", paste0(name, if (shift) "-shifted", ".log"))
  copy <- make_copy(paste0(name, "-", target))
  on.exit(unlink(copy, recursive = TRUE))
  wrapper <- tempfile(fileext = ".R")
  writeLines(shifted_script, wrapper)
  all_results <- function() {
    paths <- list.files(copy, recursive = TRUE)
    paths <- grep("(simulations|bench|audits)/results/", paths, value = TRUE)
    paths <- paths[basename(paths) != "run-times.csv"]
    stats::setNames(as.numeric(file.mtime(file.path(copy, paths))), paths)
  }
  before <- all_results()
  spent <- proc.time()
  setwd(copy)
  on.exit(setwd(top), add = TRUE)
  status <- system2("Rscript", shQuote(c(wrapper, arguments_of(script))), stdout = log, stderr = log,
                    env = c(paste0("REPLICATE_SHIFT=", shift), paste0("REPLICATE_SCRIPT=", script)))
  setwd(top)
  spent <- sum((proc.time() - spent)[4:5])
  after <- all_results()
  results <- names(after)[is.na(before[names(after)]) | after > before[names(after)]]
  for (path in results) {
    dir.create(file.path(root, target, dirname(path)), recursive = TRUE, showWarnings = FALSE)
    file.copy(file.path(copy, path), file.path(root, target, path), overwrite = TRUE)
  }
  structure(results, failed = status != 0, seconds = spent)
}

# ---- comparisons -----------------------------------------------------------------------------------------------------

read_result <- function(path) {
  if (grepl("[.]rds$", path)) readRDS(path)
  else if (grepl("[.]txt$", path)) readLines(path, warn = FALSE)
  else utils::read.csv(path)
}

# Lines of a benchmark without their numbers.
line_forms <- function(lines) unique(gsub("[ #]+", " ", gsub("-?[0-9][0-9.,e+-]*|NA|Inf", "#", lines)))

differs <- function(old, new) !isTRUE(all.equal(old, new, tolerance = 1e-9, check.attributes = FALSE))

verdict <- function(result, note = "", ratio = NA_real_) data.frame(verdict = result, ratio = ratio, note = note)

compare_lines <- function(old, new) {
  missing <- setdiff(line_forms(old), line_forms(new))
  added <- setdiff(line_forms(new), line_forms(old))
  if (!length(missing) && !length(added)) return(verdict("same", "lines"))
  if (!length(added)) {
    return(verdict("skipped", sprintf("%d forms of lines, for what is not installed: %s", length(missing),
                                      trimws(missing[1]))))
  }
  verdict("changed", sprintf("%d forms of lines are missing, %d new: %s", length(missing), length(added),
                             trimws(c(missing, added)[1])))
}

# Tables without seeds: draws from the operating system, and times.
unseeded <- c("audits.csv", "release-time.csv", "large-data-seconds.csv")

compare_audits <- function(old, new) {
  both <- merge(old, new, by = "mechanism", suffixes = c(".old", ".new"))
  wrong <- new$mechanism[new$rejected]
  other <- both$mechanism[abs(both$declared.new / both$declared.old - 1) > 1e-9]
  if (length(wrong)) return(verdict("changed", paste("rejected:", toString(wrong))))
  if (nrow(both) < max(nrow(old), nrow(new))) return(verdict("changed", "other mechanisms"))
  if (length(other)) return(verdict("changed", paste("declares another amount:", toString(other))))
  verdict("drifted", sprintf("%d audits, none rejected", nrow(new)))
}

# Of each numeric column that differs: the ratio, and the p-value.
column_ratios <- function(old, new, other) {
  numeric <- names(old)[vapply(names(old), function(name) is.numeric(old[[name]]) && is.numeric(new[[name]]), NA)]
  if (quick) numeric <- setdiff(numeric, extremes)
  do.call(rbind, lapply(numeric, function(name) {
    gap <- abs(new[[name]] - old[[name]])
    error <- abs(other[[name]] - new[[name]])
    moved <- is.finite(gap) & is.finite(error) & (gap > 0 | error > 0)
    if (!differs(old[[name]], new[[name]]) || quick && !any(error[moved] > 0)) return(NULL)
    gap <- gap[moved]
    error <- error[moved]
    few <- length(gap) < 15
    p <- if (few) {
      stats::pf(sum(gap^2) / sum(error^2), length(gap), length(gap), lower.tail = FALSE)
    } else {
      stats::wilcox.test(gap, error, paired = TRUE, alternative = "greater", exact = FALSE)$p.value
    }
    data.frame(column = name, ratio = stats::median(gap / error), p = p, level = if (few) 1e-3 else 1e-4)
  }))
}

compare_tables <- function(old, new, other) {
  if (!identical(dim(old), dim(new)) || !identical(names(old), names(new))) {
    return(verdict("changed", sprintf("%d x %d, was %d x %d", nrow(new), ncol(new), nrow(old), ncol(old))))
  }
  if (!differs(old, new)) return(verdict("same"))
  text <- names(old)[!vapply(old, is.numeric, NA)]
  text <- Filter(function(name) differs(old[[name]], new[[name]]), text)
  if (length(text) && !quick) return(verdict("changed", paste("other text in", toString(text))))
  if (is.null(other) || !identical(dim(other), dim(new))) return(verdict("changed", "no second run to compare with"))
  columns <- column_ratios(old, new, other)
  if (is.null(columns)) return(verdict("drifted", "only in columns that are not compared"))
  changed <- columns$p < columns$level & columns$ratio > 1.5
  worst <- columns[which.min(columns$p), ]
  verdict(if (any(changed)) "changed" else "drifted", sprintf("%s, p = %.2g", worst$column, worst$p),
          signif(worst$ratio, 3))
}

# Points of pictures, whose number may be random.
compare_objects <- function(old, new) {
  if (!differs(old, new)) verdict("same") else verdict("drifted", "drawn again, for a picture")
}

# `other`: from other seeds, or NULL.
compare_result <- function(path, old, new, other) {
  if (is.null(old)) return(verdict("changed", "not committed"))
  if (grepl("[.]txt$", path)) return(compare_lines(old, new))
  if (grepl("[.]rds$", path)) return(compare_objects(old, new))
  if (basename(path) == "audits.csv") return(compare_audits(old, new))
  if (basename(path) %in% unseeded) {
    same <- identical(names(old), names(new)) && (quick || nrow(old) == nrow(new))
    return(if (same) verdict("same", "rows and columns; its numbers are times") else verdict("changed", "other rows"))
  }
  compare_tables(old, new, other)
}

# ---- all -------------------------------------------------------------------------------------------------------------

# A row for each table of a script.
replicate_script <- function(script) {
  described <- function(verdicts, path) cbind(table = path, script = basename(script), verdicts)
  skipped <- function(note) described(cbind(verdict("skipped", note), seconds = NA), NA)
  if (quick && startsWith(script, "bench/")) return(skipped("a benchmark, in a quick run"))
  if (needs_data(script) && !nzchar(data)) return(skipped("DPTDA_DATA is not set"))
  results <- run_script(script, "copy")
  seconds <- round(attr(results, "seconds"))
  if (attr(results, "failed") || !length(results)) {
    return(described(cbind(verdict("failed", "see replicated/logs/"), seconds = seconds), NA))
  }
  old <- lapply(results, function(path) if (file.exists(path)) read_result(path))
  new <- lapply(file.path(root, "copy", results), read_result)
  seeded <- grepl("[.]csv", results) & !basename(results) %in% unseeded & !vapply(old, is.null, NA)
  again <- any(unlist(Map(differs, old[seeded], new[seeded])))
  if (again && attr(run_script(script, "shifted", shift = 1e6), "failed")) again <- FALSE
  found <- Map(function(path, old, new, compared) {
    other <- function() if (again && compared) read_result(file.path(root, "shifted", path))
    described(cbind(compare_result(path, old, new, other()), seconds = seconds), path)
  }, results, old, new, seeded)
  do.call(rbind, unname(found))
}

# ---- the report ------------------------------------------------------------------------------------------------------

report <- file.path(root, "report.csv")
lock <- file.path(root, "report.lock")

read_report <- function() utils::read.csv(report, na.strings = "NA", colClasses = c(commit = "character"))

# A row for each committed table that is not in `tables`, those of the report. A run of chosen scripts (`all` is FALSE)
# knows this of tables by hand alone, by the script that makes them.
unwritten_rows <- function(tables, pattern, all) {
  committed <- list.files(c("inst/simulations/results", "inst/audits/results", "bench/results"), full.names = TRUE)
  missing <- setdiff(committed, c(tables, "inst/simulations/results/run-times.csv"))
  note <- ifelse(missing %in% names(by_hand), paste("by hand:", by_hand[missing]), "no script wrote it")
  chosen <- if (all) rep(TRUE, length(missing)) else missing %in% names(by_hand) & grepl(pattern, by_hand[missing])
  if (!any(chosen)) return(NULL)
  data.frame(table = missing[chosen], script = NA, verdict = "unwritten", ratio = NA, note = note[chosen], seconds = NA)
}

# Appends rows. Scripts may end at the same time, and only one process can create a folder.
append_report <- function(rows) {
  while (!dir.create(lock, showWarnings = FALSE)) Sys.sleep(0.1)
  on.exit(unlink(lock, recursive = TRUE))
  begun <- file.exists(report)
  utils::write.table(rows, report, append = begun, col.names = !begun, row.names = FALSE, sep = ",",
                     qmethod = "double")
}

# The scripts that are left. A quick run and a full one have separate reports.
scripts_left <- function(scripts) {
  unlink(lock, recursive = TRUE)
  if (!identical(Sys.getenv("REPLICATE_CONTINUE"), "true")) unlink(report)
  if (!file.exists(report)) return(scripts)
  known <- read_report()
  utils::write.csv(known[known$verdict != "unwritten", ], report, row.names = FALSE)
  if (any(known$quick != quick)) stop("replicated/report.csv is of a ", if (quick) "full" else "quick", " run")
  scripts[!basename(scripts) %in% known$script]
}

main <- function(pattern) {
  scripts <- find_scripts(pattern)
  if (!length(scripts)) stop("no script matches ", pattern)
  dir.create(file.path(root, "logs"), recursive = TRUE, showWarnings = FALSE)
  jobs <- as.integer(Sys.getenv("REPLICATE_JOBS", parallel::detectCores()))
  # Long scripts first, as far as their times are known.
  times <- utils::read.csv("inst/simulations/results/run-times.csv")
  known <- times$seconds[match(basename(scripts), times$script)]
  scripts <- scripts_left(scripts[order(-ifelse(is.na(known), Inf, known))])
  parallel::mclapply(scripts, function(script) {
    commit <- system2("git", c("describe", "--always", "--dirty", "--abbrev=12", "--exclude='*'"), stdout = TRUE)
    rows <- tryCatch(replicate_script(script), error = function(e) {
      cbind(table = NA, script = basename(script), verdict("failed", conditionMessage(e)), seconds = NA)
    })
    append_report(cbind(rows, quick = quick, commit = commit))
    message(paste(sprintf("%-8s %s (%s, %s s) %s", rows$verdict, rows$table, rows$script, rows$seconds, rows$note),
                  collapse = "\n"))
  }, mc.cores = jobs, mc.preschedule = FALSE)
  found <- read_report()
  unwritten <- unwritten_rows(found$table, pattern, pattern == ".")
  if (!is.null(unwritten)) found <- rbind(found, cbind(unwritten, quick = quick, commit = NA))
  found <- found[order(found$table, found$script), ]
  utils::write.csv(found, report, row.names = FALSE)
  counts <- table(factor(found$verdict, c("same", "drifted", "changed", "failed", "skipped", "unwritten")))
  cat(paste(counts, names(counts), collapse = ", "), "- replicated/report.csv\n")
  if (any(counts[c("changed", "failed")] > 0)) quit(status = 1)
}

if (sys.nframe() == 0) main(c(commandArgs(TRUE), ".")[1])
