# The command line: arguments, printed output, and exit status. The other files of this family do the work.

#' Command line: plan, release, budgets and audits in a shell
#'
#' Describes the shell program `dptda`. Its file is `system.file("bin", "dptda", package = "dptda")`. Put this file, or
#' a link to it, on the search path of the shell, or run it with `Rscript`. The program reads
#' [recipes][release_recipe()] in YAML, rows in CSV or Parquet, and budgets in ledgers.
#'
#' @section Commands:
#' \preformatted{
#' dptda plan RECIPE [--script FILE] [--format text|json]
#' dptda release RECIPE [ROWS] [--ledger FILE] [--out FOLDER]
#'       [--format csv|json] [--no-picture]
#' dptda privacy FILE... [--delta NUMBER] [--report FILE] [--data TEXT]
#' dptda budget LEDGER [--epsilon NUMBER] [--delta NUMBER] [--rho NUMBER]
#'       [--mu NUMBER] [--person NAME] [--report FILE]
#' dptda audit RECIPE [--release NAME] [--runs NUMBER]
#' dptda wizard [FOLDER]
#' }
#'
#' * `plan` prints the guarantee and the noise of a recipe, without rows, and checks that its budget suffices.
#'   `--script` writes the R script.
#' * `release` makes the releases and writes each one with [release_files()] as soon as it is made.
#' * `privacy` adds up the guarantees in the files `*-privacy.yaml` beside releases.
#' * `budget` makes a ledger, or shows the charges of an existing one.
#' * `audit` runs the mechanisms of a recipe on made-up neighbors and tries to refute them ([audit_mechanism()]).
#' * `wizard` is [dptda_wizard()].
#'
#' `--report` writes the [privacy statement][privacy_report()], in which `--data` describes the data. There is no seed:
#' releases are drawn from the operating system.
#'
#' @section Exit status:
#' * 0: done.
#' * 1: the recipe or the rows are refused.
#' * 2: the command line is wrong.
#' * 3: the budget does not suffice, or its ledger cannot be used.
#' * 4: an audit has refuted a guarantee.
#' * 5: a package is not installed.
#'
#' Something was released only if the status is 0 or 4, or if files show it. Results go to the standard output, errors
#' and warnings to the standard error.
#' @seealso [release_recipe()], [dptda_wizard()]
#' @name dptda_command
NULL

# `arguments`: the words after the program's name. Returns the exit status, an integer, invisibly.
dptda_command <- function(arguments = commandArgs(TRUE)) {
  if (!is.character(arguments) || anyNA(arguments)) {
    stop_argument("arguments", "must be a character vector, not ", describe(arguments), ".")
  }
  status <- tryCatch(
    withCallingHandlers(in_utf8(run_command(arguments)), warning = function(cnd) {
      tell_error("Warning: ", conditionMessage(cnd))
      invokeRestart("muffleWarning")
    }, message = function(cnd) {
      tell_error(sub("\n$", "", conditionMessage(cnd)))
      invokeRestart("muffleMessage")
    }),
    dptda_error = function(cnd) {
      tell_error("dptda: ", conditionMessage(cnd))
      error_status(cnd)
    }
  )
  invisible(status)
}

error_status <- function(condition) {
  kinds <- c(usage = 2L, budget = 3L, ledger = 3L, relation = 3L, package = 5L)
  statuses <- kinds[inherits(condition, paste0("dptda_error_", names(kinds)), which = TRUE) > 0]
  if (length(statuses)) statuses[[1]] else 1L
}

tell_error <- function(...) cat(strwrap(paste0(...), 78, exdent = 2), sep = "\n", file = stderr())

stop_usage <- function(...) stop_dptda("usage", ...)

# The commands: a description, usage, the number of unnamed arguments, and options. Each option has the word for its
# value in the usage, or NULL if it takes none.
commands <- list(
  plan = list(says = "print the guarantees and costs of a recipe, without rows", usage = "RECIPE", takes = c(1, 1),
              options = list(script = "FILE", format = "text|json")),
  release = list(says = "make the releases of a recipe", usage = "RECIPE [ROWS]", takes = c(1, 2),
                 options = list(ledger = "FILE", out = "FOLDER", format = "csv|json", "no-picture" = NULL)),
  privacy = list(says = "add up the guarantees of releases (*-privacy.yaml)", usage = "FILE...", takes = c(1, Inf),
                 options = list(delta = "NUMBER", report = "FILE", data = "TEXT")),
  budget = list(says = "make a ledger, or show its charges", usage = "LEDGER", takes = c(1, 1),
                options = list(epsilon = "NUMBER", delta = "NUMBER", rho = "NUMBER", mu = "NUMBER", person = "NAME",
                               report = "FILE")),
  audit = list(says = "try to prove the guarantees of a recipe wrong", usage = "RECIPE", takes = c(1, 1),
               options = list(release = "NAME", runs = "NUMBER")),
  wizard = list(says = "plan a release in the browser", usage = "[FOLDER]", takes = c(0, 1),
                options = list())
)

run_command <- function(arguments) {
  if (!all(validEnc(arguments))) stop_usage("arguments must be text in the encoding of this session.")
  if (!length(arguments) || arguments[1] %in% c("help", "--help", "-h")) {
    asked <- if (length(arguments) > 1) arguments[2]
    print_usage(if (!is.null(asked)) known_command(asked))
    return(if (length(arguments)) 0L else 2L)
  }
  if (arguments[1] == "--version") {
    cat("dptda", format(utils::packageVersion("dptda")), "\n")
    return(0L)
  }
  name <- known_command(arguments[1])
  if (any(arguments[-1] %in% c("--help", "-h"))) {
    print_usage(name)
    return(0L)
  }
  given <- read_arguments(arguments[-1], name)
  run <- list(plan = command_plan, release = command_release, privacy = command_privacy, budget = command_budget,
              audit = command_audit, wizard = command_wizard)
  run[[name]](given$values, given$options)
}

known_command <- function(name) {
  if (name %in% names(commands)) return(name)
  stop_usage("there is no command ", encodeString(name, quote = "\""), did_you_mean(name, names(commands), ""),
             ". Commands are ", toString(names(commands)), ". For details, use dptda COMMAND --help.")
}

print_usage <- function(name) {
  if (is.null(name)) {
    cat("Releases under differential privacy.\n\n")
    cat(sprintf("  dptda %-8s %s\n", names(commands), vapply(commands, `[[`, "", "says")), sep = "")
    cat("\ndptda COMMAND --help shows its usage. Exit status: 0 done, 1 recipe or rows\n",
        "refused, 2 wrong command line, 3 budget or ledger refuses, 4 an audit has\n",
        "refuted a guarantee, 5 a package is missing.\n", sep = "")
    return(invisible())
  }
  command <- commands[[name]]
  cat("dptda ", name, ": ", command$says, "\n\n  dptda ", name, " ", command$usage, "\n", sep = "")
  for (option in names(command$options)) cat("    --", option, " ", command$options[[option]], "\n", sep = "")
}

# Reads `--name value`, `--name=value`, or `--name` for options without a value. All other words keep their order.
read_arguments <- function(arguments, name) {
  command <- commands[[name]]
  known <- names(command$options)
  values <- character()
  options <- list()
  i <- 1
  while (i <= length(arguments)) {
    one <- arguments[i]
    i <- i + 1
    if (!startsWith(one, "--")) {
      values <- c(values, one)
      next
    }
    option <- sub("=.*$", "", substring(one, 3))
    if (!option %in% known) {
      stop_usage("dptda ", name, " has no option --", option, did_you_mean(option, known, ""), "; it has ",
                 if (length(known)) toString(paste0("--", known)) else "none", ".")
    }
    plain <- is.null(command$options[[option]])
    if (plain != !grepl("=", one, fixed = TRUE) && (plain || i > length(arguments))) {
      stop_usage("--", option, if (plain) " takes no value." else
        paste0(" needs a value, ", command$options[[option]], "."))
    }
    options[[option]] <- if (plain) TRUE else if (grepl("=", one, fixed = TRUE)) sub("^[^=]*=", "", one) else {
      i <- i + 1
      arguments[i - 1]
    }
  }
  if (length(values) < command$takes[1] || length(values) > command$takes[2]) {
    stop_usage("dptda ", name, " takes ", command$usage, ". For details, use dptda ", name, " --help.")
  }
  list(values = values, options = options)
}

option_choice <- function(options, name, choices) {
  value <- options[[name]]
  if (is.null(value)) return(choices[1])
  if (!value %in% choices) {
    stop_usage("--", name, " is one of ", toString(choices), ", not ", encodeString(value, quote = "\""), ".")
  }
  value
}

option_number <- function(options, name) {
  value <- options[[name]]
  if (is.null(value)) return(NULL)
  if (!is_number_text(value)) stop_usage("--", name, " is a number, not ", encodeString(value, quote = "\""), ".")
  as.double(value)
}

# ---- commands ----------------------------------------------------------------------------------------------------

command_plan <- function(values, options) {
  format <- option_choice(options, "format", c("text", "json"))
  recipe <- release_recipe(values)
  if (format == "json") {
    cat(with_plain_numbers(json_text(as.data.frame(recipe))), sep = "\n")
  } else {
    print(recipe)
  }
  if (!is.null(options$script)) recipe_script(values, options$script)
  # after the output, so that the user sees what exceeds the budget
  plan_budget(recipe, recipe_mechanisms(recipe))
  0L
}

command_release <- function(values, options) {
  format <- option_choice(options, "format", c("csv", "json"))
  recipe <- release_recipe(values[1])
  if (!is.null(options$ledger)) {
    recipe$budget <- c(if (is.null(recipe$budget)) list() else recipe$budget[names(recipe$budget) != "ledger"],
                       list(ledger = options$ledger))
    # a recipe without its own budget is charged to the existing ledger
    recipe <- release_recipe(unclass(recipe))
  }
  folder <- if (is.null(options$out)) "." else options$out
  each <- function(name, release, entry) {
    print(release) # shows the result even if it cannot be written, because it was charged
    files <- release_files(release, folder, name, format = format, picture = is.null(options[["no-picture"]]),
                           rows = entry$rows)
    cat("written: ", toString(files), "\n\n", sep = "")
  }
  made <- into_folder(folder, release_all(recipe, if (length(values) > 1) values[2], NULL, each))
  print(made$budget)
  0L
}

command_privacy <- function(values, options) {
  delta <- option_number(options, "delta")
  guarantees <- lapply(values, read_guarantee)
  for (i in seq_along(values)) {
    lines <- c(format(guarantees[[i]])[1:2], about_public(guarantees[[i]]$public))
    cat(basename(values[i]), ": ", paste(lines, collapse = "\n  "), "\n", sep = "")
  }
  total <- do.call(privacy_compose, guarantees)
  cat("together: ", format(total)[1], "\n", sep = "")
  if (!is.null(delta)) cat("that is:  ", format(privacy_convert(total, "epsilon", delta = delta))[1], "\n", sep = "")
  if (!is.null(options$report)) {
    cat("written: ", privacy_report(guarantees, options$report, data = options$data), "\n", sep = "")
  }
  0L
}

# Reads a file of release_files() as a declared guarantee.
read_guarantee <- function(file) {
  fields <- read_recipe(file)
  known <- is.list(fields) && is_one_string(fields$mechanism) && is_one_string(fields$relation) &&
    fields$relation %in% relations && (is.null(fields$person) || is_one_string(fields$person))
  if (!known) {
    stop_argument("x", "must be the guarantee beside a release, *-privacy.yaml, and ",
                  encodeString(file, quote = "\""), " is not a guarantee.")
  }
  fields[cost_forms] <- lapply(fields[cost_forms], entry_number)
  declared <- privacy_declare(
    epsilon = fields$epsilon, rho = fields$rho, mu = fields$mu, delta = if (is.null(fields$delta)) 0 else fields$delta,
    mechanism = paste0(fields$mechanism, if (identical(fields$random, "R")) " -- SEEDED: NOT PRIVATE"),
    relation = names(relations)[match(fields$relation, relations)], person = fields$person
  )
  if (!identical(fields$unit, declared$unit)) {
    stop_argument("x", "must be a guarantee for ", declared$unit, ", and ", encodeString(file, quote = "\""),
                  " is for ", describe(fields$unit), ".")
  }
  # facts that a guarantee states besides its measure
  declared$inexact <- as.character(unlist(fields$inexact))
  declared$public <- Filter(is_one_string, fields[intersect(c("caveat", "about", "table"), names(fields))])
  declared
}

command_budget <- function(values, options) {
  number <- lapply(structure(cost_forms, names = cost_forms), option_number, options = options)
  number <- Filter(Negate(is.null), number)
  if (!length(number) && !file.exists(values)) {
    stop_argument("LEDGER", "must exist, or give --epsilon, --rho, or --mu to make one. There is no ",
                  encodeString(values, quote = "\""), meant_file(values), ".")
  }
  budget <- do.call(privacy_budget, c(number, if (!is.null(options$person)) list(person = options$person),
                                      list(file = values)))
  print(budget)
  if (!is.null(options$report)) cat("written: ", privacy_report(budget, options$report), "\n", sep = "")
  0L
}

command_audit <- function(values, options) {
  recipe <- release_recipe(values)
  names <- vapply(recipe$releases, `[[`, "", "name")
  asked <- options$release
  if (!is.null(asked) && !asked %in% names) {
    stop_usage("the recipe has no release ", encodeString(asked, quote = "\""), did_you_mean(asked, names, ""),
               ". It has ", toString(names), ".")
  }
  runs <- option_number(options, "runs")
  audits <- audit_recipe(recipe, if (is.null(asked)) names else asked, runs)
  for (name in names(audits)) {
    cat(name, "\n", sep = "")
    print(audits[[name]])
  }
  audit_status(audits)
}

audit_status <- function(audits) if (any(vapply(audits, `[[`, NA, "rejected"))) 4L else 0L

# Audits each mechanism on made-up rows, and on the same rows with one unit moved across the public domain.
audit_recipe <- function(recipe, names, runs = NULL, rng = "os") {
  parts <- recipe_parts(recipe)
  pair <- neighbor_rows(recipe, lookalike_rows(recipe))
  mechanisms <- recipe_mechanisms(recipe)
  made <- lapply(structure(names, names = names), function(name) {
    side <- function(rows) {
      room <- recipe_room(recipe, parts)
      room$x <- rows
      rows_of_part(parts[[name]], room)
    }
    additive <- inherits(mechanisms[[name]]$plan, "additive")
    audit_mechanism(mechanisms[[name]], side(pair$x), side(pair$neighbor), rng = rng,
                    runs = if (!is.null(runs)) runs else if (additive) 20000 else 1000)
  })
  made
}

command_wizard <- function(values, options) {
  print(dptda_wizard(if (length(values)) values else "."))
  0L
}
