# Privacy budgets that releases are charged to.

#' Privacy budgets
#'
#' Makes a privacy budget: a total that several releases share. Each release with `budget = ` spends from it. A release
#' that exceeds the remaining budget is refused before anything is drawn.
#'
#' @details
#' # Spending
#' A budget is an object with a state: passing it to a release changes it, and all names of it in a session refer to the
#' same budget. The cost of a release is charged after the last check and before its noise is drawn. It stays spent if
#' the draw is then interrupted. Later releases may depend on the results of earlier ones: the total still holds.
#'
#' `options(dptda.budget = "required")` makes each release without a budget an error of class `dptda_error_budget`, even
#' if `budget` is accidentally `NULL` (`budget = study$bugdet`).
#'
#' # Memory and files
#' With `file = NULL`, a budget belongs to the session that made it and ends with that session. Copies can be read but
#' not charged, for example in a forked worker (`parallel::mclapply()`), in a worker of `parallel::parLapply()` or
#' `future`, in a saved workspace, or from `saveRDS()` or `serialize()`. A budget in a file is shared by workers, by
#' simultaneous sessions, and by later sessions: see [budget_files].
#'
#' # Protected unit
#' A budget protects one unit: a row, an edge of a graph (`relation = "edge"`), or all rows of a person
#' (`person = "patient"`) for releases of [table_rows()] with `person`. A budget for patients accepts only releases for
#' patients. Releases for doctors, rows, or edges are refused before anything is drawn, with an error of class
#' `dptda_error_relation`. A guarantee for a patient would imply one for each of the patient's rows, but releases for
#' rows publish the number of rows, which releases for people keep private.
#'
#' If data are released under two units, make one budget for each and state both guarantees. Releases of tables with
#' different numbers of people protect only people who have rows in all of them, unless you pass `people` to
#' [table_rows()].
#'
#' @param epsilon One positive number: the total for pure differential privacy, or with `delta` for approximate
#'   differential privacy.
#' @param rho One positive number: the total for zero-concentrated differential privacy.
#' @param mu One positive number: the total for Gaussian differential privacy. Give one of `epsilon`, `rho`, and `mu`.
#' @param delta One number from 0 to below 1, with `epsilon` only.
#' @param unit_rows One integer: the number of rows that the budget protects together, for data in which one person has
#'   up to that many rows (people with `person`, edges for graphs). Each release then costs the amount that
#'   [privacy_group()] computes.
#' @param relation `"replace"`, `"add_remove"`, `"person"`, or, for graphs, `"edge"`: the neighboring relation. Releases
#'   under another relation are refused. `"person"` needs `person`.
#' @param person `NULL`, or a string such as `"patient"`: the budget protects people. The string is the name of the
#'   column that identifies the person of each row.
#' @param composition `"auto"`, `"concentrated"`, or `"basic"`: how a budget with a `delta` adds up. See
#'   [budget_composition].
#' @param file `NULL`, or a string: the path of the ledger, in an existing folder on a disk of this machine. A missing
#'   file is created. An existing file must be the ledger of a budget with the same terms. Without a total, `file` opens
#'   an existing ledger. Needs the package filelock.
#' @param x A budget.
#' @inheritParams private_release
#'
#' @return An object of class `dptda_budget`. `summary()` returns its argument, and `print()` shows the last twenty
#'   steps of the ledger. The fields cannot be set:
#'
#'   * `budget$ledger`, or `as.data.frame(budget)`: the whole ledger, a data frame with the columns `step`, `measure`,
#'     and `value`. It flags steps that weaken the guarantee (a seeded draw, a schema read from the data).
#'   * `budget$total`, `budget$spent`, and `budget$left`: numbers, named `epsilon` and `delta` if there are two.
#'
#'   [privacy_curve()] and [privacy_convert()] accept a budget and use everything that it was charged. Unlike the total,
#'   their results hold only if the parameters of the releases did not depend on earlier results.
#'
#'   Errors have one of three classes:
#'
#'   * `dptda_error_budget`: the release exceeds the budget.
#'   * `dptda_error_relation`: the release holds for another relation, another unit, or other people.
#'   * `dptda_error_ledger`: the file is missing, damaged, locked, not writable, or the ledger of another budget.
#'
#' @section Privacy:
#' The guarantee covers all releases that receive the budget, in any order and from any process or callback. Together
#' they never exceed the total. Costs that add up to the total on paper, such
#' as ten times 0.1 of 1, are accepted (if each is at least 2^-50 of the total). In floating point they may exceed it by
#' a factor of at most `1 + (steps + 1) 2^-52`. Once it is reached, nothing more can be spent.
#'
#' A budget guards against accidents. It does not guard against the curator, who has the data and could release them
#' without any budget. The following remains possible:
#'
#' * A second budget for the same data, or a release without a budget (unless `dptda.budget` is `"required"`).
#' * Restoring a whole machine or process from a snapshot, or rolling back or copying a file ([budget_files]).
#' * Changing the code of this package or the memory of R with `:::`, `trace()`, a debugger, or C. Methods for plain
#'   numbers and lists do not affect a cost. The package's registered routines, called by hand, can add charges to a
#'   budget in memory but cannot remove any. Those for files write to any file that the curator can write to.
#'
#' `vignette("privacy-model", package = "dptda")` explains the costs. The proof is in `system.file("proofs",
#' "budget.md", package = "dptda")`.
#' @seealso [budget_composition], [budget_files], [private_groups]
#' @examples
#' budget <- privacy_budget(epsilon = 3)
#' circle <- cbind(cos(1:300), sin(1:300))
#' grid <- domain_grid(domain_box(c(-2, -2), c(2, 2)), by = 0.2)
#' first <- private_diagram(circle, grid, epsilon = 1, m0 = 0.1, budget = budget)
#' budget
#' try(private_diagram(circle, grid, epsilon = 2.5, m0 = 0.1, budget = budget))
#'
#' # many rows of each person
#' trees <- privacy_budget(epsilon = 1, person = "Tree")
#' growth <- table_rows(as.data.frame(Orange), "circumference", person = "Tree")
#' private_mean(growth, domain_box(0, 250), epsilon = 0.8, budget = trees)
#' trees
#' @export
privacy_budget <- function(epsilon = NULL, rho = NULL, delta = 0, ..., mu = NULL, unit_rows = 1,
                           relation = c("replace", "add_remove", "person", "edge"), person = NULL,
                           composition = c("auto", "concentrated", "basic"), file = NULL) {
  check_no_dots(...)
  opens <- !is.null(file) && is.null(epsilon) && is.null(rho) && is.null(mu)
  if (opens && !(missing(delta) && missing(unit_rows) && missing(relation) && is.null(person) &&
                   missing(composition))) {
    stop_argument("epsilon", "or `rho` or `mu` must be given with other terms. `file` alone opens an existing budget.")
  }
  terms <- if (!opens) check_budget_terms(epsilon, rho, delta, unit_rows, relation, composition, person, mu)
  if (is.null(file)) new_held_budget(terms) else new_file_budget(open_ledger(file, terms, "file"))
}

check_budget_terms <- function(epsilon, rho, delta, unit_rows, relation, composition, person = NULL, mu = NULL) {
  measure <- check_measure(epsilon, rho, mu)
  delta <- check_number(delta, 0, 1, open_upper = TRUE)
  if (delta > 0 && is.null(epsilon)) stop_argument("delta", "goes with `epsilon`, not with `", names(measure), "`.")
  new_terms(
    names(measure), if (delta > 0) c(measure, delta = delta) else unname(measure), check_count(unit_rows, 1),
    check_units(relation, person), check_choice(composition, compositions),
    if (delta > 0) budget_order(measure[["epsilon"]], delta)
  )
}

# Returns `budget` if the release fits into it, and raises a classed error otherwise. A NULL budget accepts everything.
# `measure`: named numbers or a guarantee. Further arguments as in new_step().
check_budget <- function(budget, measure, arg = deparse1(substitute(budget)), ..., relation = relation_replace) {
  if (is.null(budget)) return(NULL)
  refuse_copies(budget_handle(budget, arg), arg)
  price_release(charging_account(budget, arg), "", measure, arg, ..., relation = relation)
  budget
}

is_kept_in_file <- function(budget) !is.null(budget) && !is.null(budget_handle(budget, "budget")$file)

# Charges the budget, or raises the same error as check_budget(). Checks again, because a callback may have spent since
# the release was checked.
spend_budget <- function(budget, step, measure, ..., guarantee = NULL) {
  if (is.null(budget)) return(invisible())
  charge_steps(budget, arg = "budget", function(account) {
    if (!is.null(guarantee)) return(price_release(account, "", guarantee, "budget"))
    price_release(account, step, measure, "budget", ..., relation = account$relation)
  })
}

# Returns the steps that a release adds to an account. Raises an error if the budget must not be charged for them.
price_release <- function(account, step, measure, arg, ..., relation = relation_replace) {
  measure <- unclass(measure) # dispatches no method of a changed guarantee
  if (is.list(measure)) {
    relation <- measure$relation
    if (relation == account$relation) check_unit(measure, account, arg)
  }
  if (relation != account$relation) {
    stop_dptda("relation", "`", arg, "` is kept for \"", account$relation, "\" and the release holds for \"", relation,
               "\". The two do not add up. Nothing was spent on this release",
               budget_hint(relation, measure, account), ".")
  }
  new <- priced_steps(account, step, measure, ...)
  refuse_measures(account, new, arg)
  if (!all(vapply(new, function(one) all_amounts(one[c("measure", "parts")]), NA))) refuse_amounts(arg)
  before <- account_tally(account)
  after <- add_to_tally(before, account, new)
  if (!is_within(account, new, before, after)) {
    spent <- tally_spent(account, before)
    asked <- tally_spent(account, after)
    if (asked[[1]] == Inf && length(asked) == 2) asked <- declared_spent(after)
    stop_dptda("budget", "`", arg, "` cannot be charged: ", budget_words(account, spent), " of ",
               budget_words(account, account$total), " is ",
               if (isTRUE(account[["planned"]])) "spent or planned" else "spent", ", and ",
               budget_words(account, pmax(account$total - spent, 0)), " is left. This release would make it ",
               budget_words(account, asked), ". Nothing was spent on this release",
               composition_hint(account, new, before, after), ".")
  }
  new
}

# Names another composition under which all charges so far and this one would fit.
composition_hint <- function(account, new, before, after) {
  if (length(account$total) == 1) return(NULL)
  reaches <- function(composition) {
    counted <- function(tally) replace(tally, c("composition", "committed"), list(composition, NULL))
    is_within(account, new, counted(before), counted(after))
  }
  found <- Filter(reaches, c("basic", "concentrated"))
  if (length(found)) paste0(". A budget with `composition = \"", found[1], "\"` accepts all of these releases")
}

# Checks whether the budget suffices. Amounts declared in decimals (ten times 0.1 of 1) may exceed the total by the
# possible rounding error of the total and of all amounts. Once the total is reached, nothing more is accepted.
is_within <- function(account, new, before, after) {
  full <- tally_spent(account, before) >= account$total & adds_to(account, new, after$composition)
  all(tally_spent(account, after) - account$total <= total_slack(account, after$count)) && !any(full)
}

# Checks for each number of the total whether the steps increase it.
adds_to <- function(account, new, composition) {
  amounts <- lapply(new, step_amounts, account)
  adds <- function(i) any(vapply(amounts, function(amount) amount[i] > 0, NA))
  if (length(account$total) == 1) return(adds(1))
  # with Renyi divergences the whole delta is given up in advance, so no step adds to it
  lossless <- all(vapply(new, function(step) is_lossless(step$parts), NA))
  c(!lossless, composition == "basic" && adds(2))
}

# Suggests a budget that accepts such a release, or a release for the people of the budget.
budget_hint <- function(relation, guarantee, account) {
  choice <- names(relations)[match(relation, relations)]
  if (is.na(choice)) return(NULL)
  terms <- if (choice == "person") {
    paste("person =", person_words(if (is.list(guarantee)) guarantee[["person"]], "\""))
  } else {
    paste0("relation = \"", choice, "\"")
  }
  rows <- choice == "replace" && !is.null(account[["person"]])
  paste0(". Make a budget for this release with privacy_budget(", terms, ")",
         if (rows) {
           paste0(", or a release for people with table_rows(person = ", person_words(account[["person"]], "\""), ")")
         })
}

# Returns "..." for an invalid name, because a guarantee that was changed by hand may contain anything.
person_words <- function(person, quote = "`") if (is_one_string(person)) quote_person(person, quote) else "..."

# Refuses guarantees for other units. A budget counts rows, edges, or people with one name. A guarantee for a group, or
# for other people, cannot be added to it.
check_unit <- function(guarantee, account, arg) {
  unit <- relation_unit(account$relation)
  if (!identical(guarantee$unit, unit)) {
    stop_dptda("relation", "`", arg, "` is kept for ", unit, " and the release holds for ", guarantee$unit,
               ". The two do not add up. Nothing was spent on this release.")
  }
  if (identical(guarantee[["person"]], account[["person"]])) return(invisible())
  named <- function(who) {
    person <- who[["person"]]
    if (is.null(person)) unit else paste0("people (all rows with the same ", person_words(person), ")")
  }
  stop_dptda("relation", "`", arg, "` is kept for ", named(account), " and the release holds for ", named(guarantee),
             ". The two do not add up. Nothing was spent on this release",
             if (is_unnamed_people(guarantee[["person"]])) naming_hint(guarantee["person"]) else
               budget_hint(account$relation, guarantee, account), ".")
}

# Returns the steps of a release, for groups of as many rows as the budget protects.
priced_steps <- function(budget, step, measure, ...) {
  steps <- if (is.list(measure)) stamped_steps(measure) else list(new_step(step, measure, ...))
  lapply(steps, group_step, budget$unit_rows)
}

# Appends the caveats of a guarantee to the names of its steps, so that the ledger shows them.
stamped_steps <- function(guarantee) {
  stamp <- paste(c("", caveat_words(guarantee)), collapse = " ")
  lapply(guarantee$steps, function(one) {
    one$step <- paste0(one$step, stamp)
    one
  })
}

# The order, less one, at which a budget for one row counts Renyi divergences, or NULL if it adds up declared amounts.
# Mechanisms with known divergences should be planned at this order. Otherwise they may cost more than declared.
counted_order <- function(budget) {
  if (is.null(budget)) return(NULL)
  account <- charging_account(budget)
  if (length(account$total) == 1 || account$unit_rows > 1) return(NULL)
  if (account$composition == "concentrated") account$order else account_tally(account)$committed$order
}

# Refuses measures that the budget cannot count.
refuse_measures <- function(budget, new, arg) {
  kinds <- unique.default(unlist(lapply(new, function(step) names(step$measure))))
  leaks <- any(vapply(new, function(step) length(step$parts$leak) > 0, NA))
  curve <- any(vapply(new, function(step) has_curve(step$parts), NA))
  # "auto" begins with basic composition but can change, so it is not limited to epsilon and delta
  basic <- length(budget$total) == 2 && budget$composition == "basic"
  counts <- budget$composition == "concentrated" || !is.null(account_tally(budget)$committed)
  refused <- if (length(budget$total) == 2) {
    if (basic) !all(kinds %in% c("epsilon", "delta")) else leaks && counts
  } else if (budget$measure == "rho") {
    leaks || curve
  } else if (budget$measure == "mu") {
    any(vapply(new, function(step) parts_mu(step$parts), 0) == Inf)
  } else {
    !identical(kinds, "epsilon")
  }
  if (!refused) return(invisible())
  pure <- budget$measure == "epsilon" && length(budget$total) == 1
  stop_dptda("budget", "`", arg, "` is kept in ", budget$measure, if (length(budget$total) == 2) " and delta",
             if (length(budget$total) == 2) paste0(" (", if (basic) "basic" else "concentrated", " composition)"),
             " and cannot be charged for a release whose cost is in ", paste(kinds, collapse = " and "),
             if (pure && all(kinds %in% c("epsilon", "delta", "rho", "mu")))
               ". Make a budget that can with privacy_budget(epsilon, delta = )",
             ". Nothing was spent on this release.")
}

budget_words <- function(budget, amount) {
  paste(c(budget$measure, if (length(amount) == 2) "delta"), "=", vapply(unname(amount), format, ""), collapse = ", ")
}

# Returns one field of a budget as users see it: stored in its account, or computed from the account.
budget_field <- function(account, name) {
  spent <- function() tally_spent(account, account_tally(account))
  counted <- function() if (length(account$total) == 2) account_tally(account)$composition
  switch(name,
    spent = spent(),
    composition = if (is.null(counted())) account$composition else counted(),
    left = pmax(account$total - spent(), 0),
    ledger = budget_ledger(account),
    detach_copy(account[[name]])
  )
}

budget_fields <- c("measure", "total", "spent", "left", "unit_rows", "relation", "person", "composition", "order",
                   "steps", "ledger")

# Reads one field. Only `steps` and `ledger` need all steps, and other fields follow from the running sums.
read_field <- function(budget, name) {
  whole <- name %in% c("steps", "ledger")
  budget_field(if (whole) budget_account(budget, "x") else charging_account(budget, "x"), name)
}

budget_view <- function(account) {
  account$tally <- account_tally(account)
  structure(lapply(budget_fields, budget_field, account = account), names = budget_fields)
}

budget_ledger <- function(account) {
  steps <- account$steps
  if (!length(steps)) return(data.frame(step = character(), measure = character(), value = double()))
  if (length(account$total) == 1) return(steps_ledger(steps, account$measure))
  kinds <- lapply(steps, function(one) names(one$measure))
  data.frame(step = rep(vapply(steps, `[[`, "", "step"), lengths(kinds)), measure = unlist(kinds),
             value = unlist(lapply(steps, `[[`, "measure"), use.names = FALSE))
}

#' @export
`$.dptda_budget` <- function(x, name) read_field(x, check_field(name, budget_fields))

#' @export
names.dptda_budget <- function(x) budget_fields

#' @rdname privacy_budget
#' @param object A budget.
#' @export
summary.dptda_budget <- function(object, ...) {
  check_no_dots(...)
  check_valid(object, "dptda_budget")
}

#' @export
`[[.dptda_budget` <- function(x, i) {
  if (!is_one_string(i)) stop_argument("i", "must be the name of a field of the budget, not ", describe(i), ".")
  read_field(x, check_field(as.vector(unclass(i)), budget_fields))
}

#' @rdname privacy_budget
#' @inheritParams private_value
#' @export
as.data.frame.dptda_budget <- function(x, row.names = NULL, optional = FALSE, ...) {
  check_frame_dots(...)
  as.data.frame(budget_ledger(budget_account(x, "x")), row.names = row.names, optional = optional)
}

#' @rawNamespace S3method(utils::.DollarNames, dptda_budget)
.DollarNames.dptda_budget <- function(x, pattern = "") {
  grep(pattern, setdiff(budget_fields, "order"), value = TRUE)
}

#' @rawNamespace S3method(utils::str, dptda_budget)
str.dptda_budget <- function(object, ...) utils::str(budget_view(budget_account(object, "object")), ...)

# Refuses all assignments into a budget.
refuse_change <- function(x, ..., value) {
  stop_dptda("budget", "A budget cannot be changed by hand, because only releases charge it. For other terms, ",
             "make a new budget.")
}

#' @export
`$<-.dptda_budget` <- refuse_change

#' @export
`[[<-.dptda_budget` <- refuse_change

#' @export
`[<-.dptda_budget` <- refuse_change

#' @rdname privacy_budget
#' @export
print.dptda_budget <- function(x, ...) {
  handle <- budget_handle(x, "x")
  account <- account_end(x, 20)
  spent <- budget_field(account, "spent")
  total <- account$total
  delta <- if (length(total) == 2) {
    composition <- budget_field(account, "composition")
    if (composition == "basic") {
      paste0(", delta: ", format(spent[["delta"]]), " of ", format(total[["delta"]]), " spent (basic composition)")
    } else {
      paste0(", at delta = ", format(total[["delta"]]), " (", composition, " composition)")
    }
  }
  cat("<privacy budget> ", account$measure, ": ", format(spent[[1]]), " of ", format(total[[1]]), " spent", delta,
      unit_words(account), "\n", sep = "")
  # a budget that was charged for a separate delta gets no hint: "concentrated" would have refused that charge
  if (account$composition == "auto" && length(total) == 2 && composition != "concentrated" &&
        !Inf %in% unlist(account$tally$sums[4])) {
    writeLines(wrap_lines("For many small releases, composition = \"concentrated\" accepts more."))
  }
  if (!is.null(handle$file)) cat("file: ", encodeString(handle$file, quote = "\""), "\n", sep = "")
  if (is.null(handle$file) && .Call(ffi_budget_owner, handle$held) != "own") {
    cat("This copy shows the budget at the time of copying. It cannot be charged.\n")
  }
  print_last_steps(account)
  invisible(x)
}

# Names the protected unit, unless it is one row.
unit_words <- function(account) {
  person <- account[["person"]]
  if (account$unit_rows == 1 && is.null(person)) return(NULL)
  paste0(", for ", count_unit(relation_unit(account$relation), account$unit_rows),
         if (!is.null(person)) paste0(" (all rows with the same ", quote_person(person), ")"))
}

print_last_steps <- function(account) {
  hidden <- account$tally$count - length(account$steps)
  if (hidden > 0) {
    cat("last ", length(account$steps), " steps, after ", format_count(hidden), " others:\n", sep = "")
  }
  ledger <- budget_ledger(account)
  if (nrow(ledger)) print(ledger, row.names = FALSE)
}

# Returns everything that a budget has spent as one guarantee.
#' @exportS3Method
as_guarantee.dptda_budget <- function(x, arg = deparse1(substitute(x))) {
  account <- read_account(x, arg)
  steps <- account$steps
  if (!length(steps)) stop_argument(arg, "has not been charged for anything yet.")
  assemble_guarantee(steps, c(
    list(unit = count_unit(relation_unit(account$relation), account$unit_rows)),
    account[intersect(c("relation", "person"), names(account))],
    list(sensitivity = NA_real_, mechanism = composition_name(steps), public = list(), sampler = "not known",
         random = "unknown", inexact = character())
  ))
}

#' Composition of a budget
#'
#' Explains how a [privacy_budget()] adds up the costs of releases. A budget keeps its composition, so choose it before
#' the first release.
#'
#' * `epsilon`: epsilons add up. Only pure releases are accepted.
#' * `rho`: rhos add up. A pure release is charged its tightest rho ([privacy_convert()]), a Gaussian one half of `mu`
#'   squared.
#' * `mu`: squares add up. A pure release is charged its tightest mu, a Gaussian one of `rho` the root of `2 * rho`.
#' * `epsilon` and `delta`, `composition = "basic"`: accepts releases with an epsilon and perhaps a delta. Both add up.
#' * `"concentrated"`: accepts a release with known Renyi divergences if one of two sums fits: the sum of pure epsilons
#'   stays within `epsilon`, or the accumulated divergence at one order, chosen in advance, stays within (`epsilon`,
#'   `delta`). This suits many small releases.
#' * `"auto"`: basic while the sums fit, so it never refuses a release that basic composition allows, in any order. It
#'   changes to concentrated, within the remaining budget, at the first release that has no epsilon, does not fit, or
#'   takes the rest of `delta`. It accepts fewer small releases than `"concentrated"`: with (1, 10^-6), 50 pure releases
#'   of 0.02 instead of 125.
#'
#' @references
#' Rogers, R., Roth, A., Ullman, J. and Vadhan, S. (2016). Privacy odometers
#' and filters: pay-as-you-go composition. *NeurIPS*.
#'
#' Feldman, V. and Zrnic, T. (2021). Individual privacy accounting via a Renyi
#' filter. *NeurIPS*.
#' @seealso [privacy_budget()]
#' @examples
#' # the number of counts that fit into one budget
#' accepted <- function(composition) {
#'   budget <- privacy_budget(epsilon = 1, delta = 1e-6, composition = composition)
#'   for (i in 1:130) {
#'     try(private_count(infert$case == 1, epsilon = 0.02, budget = budget),
#'         silent = TRUE)
#'   }
#'   nrow(budget$ledger)
#' }
#' sapply(c("basic", "auto", "concentrated"), accepted)
#' @name budget_composition
NULL

#' Budgets in files
#'
#' Explains the ledger of a [privacy_budget()] with `file`: how sessions share it, and what it detects.
#'
#' @section Ledger:
#' The file is the ledger of the budget, with one line of text per charge. You can read it but must not edit it. A
#' charge is on the disk before anything is drawn: if the process is killed, the charge stays. Processes wait for each
#' other through a lock, the file `<file>.lock`, which remains. A path must be ASCII, or UTF-8 in a UTF-8 locale.
#'
#' You may move the ledger. `privacy_budget(file = )` then opens it in its new place and records that place. From then
#' on, copies are refused wherever the ledger can be found there.
#'
#' @section Limits:
#' A ledger guards against accidents, not against the curator. The following remains possible:
#'
#' * Rolling back a file: deleting it and making a new one, restoring an old backup, or cutting off its last lines. A
#'   session notices if charges disappear that it has made or read. If it has read charges from a ledger, it does not
#'   make or open another budget in that ledger's place, unless it has opened the ledger elsewhere.
#' * Copying a ledger to another machine, or copying a moved ledger before it was opened in its new place. Other copies
#'   are refused if the original is still where the ledger was last opened, or if that place cannot be checked.
#'
#' A session that opens a file refuses it if a line was changed, or if a line before others is missing. If the file was
#' already open, a session can overlook a line that was edited in place without changing its length. It then counts the
#' line as it read it.
#'
#' If locks do not work, as on some network drives, or if the lock file is removed while it is held, one of two
#' simultaneous charges is refused, and so is the ledger from then on. The ledger records the time and process of each
#' charge. It is as private as the settings of the releases.
#' @seealso [privacy_budget()]
#' @examplesIf requireNamespace("filelock", quietly = TRUE)
#' file <- tempfile(fileext = ".ledger")
#' shared <- privacy_budget(epsilon = 1, file = file)
#' private_count(infert$case == 1, epsilon = 0.4, budget = shared)
#' # another session opens the same budget
#' again <- privacy_budget(file = file)
#' private_count(infert$case == 1, epsilon = 0.6, budget = again)
#' shared
#' writeLines(readLines(file))
#' @name budget_files
NULL
