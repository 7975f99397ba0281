# The order that every release keeps, in one place so that no mechanism can get
# it wrong: all that is public is checked, what the rows give is computed, the
# budget pays, the noise is drawn. After the payment nothing is left that could
# fail for a public reason; nothing but this function pays (a test sees to it).

# `guarantee`: what the result will carry, made before anything is paid, with
# all public numbers that the result needs. `statistic`: what the rows give, not
# computed before the budget has been asked. `draw`: a function of it.
draw_release <- function(budget, guarantee, statistic, draw) {
  guarantee <- unclass(guarantee) # no method is asked
  if (is.null(budget)) refuse_unpaid()
  check_budget(budget, guarantee, "budget")
  check_source(guarantee$random)
  force(statistic)
  process <- Sys.getpid()
  spend_budget(budget, guarantee = guarantee)
  drawn <- draw(statistic)
  # a callback may have forked, and come back in both processes: one paid
  if (Sys.getpid() != process) {
    statistic <- drawn <- NULL # a handler of the error sees this frame
    stop_dptda("budget", "a release ends in the process that began it; this is a forked worker of that process.")
  }
  drawn
}

# Where the option asks for it, no release goes by a budget: not one that was
# forgotten, nor one that a slip made NULL.
refuse_unpaid <- function() {
  wanted <- getOption("dptda.budget", "optional")
  if (identical(wanted, "optional")) return(invisible())
  if (!identical(wanted, "required")) {
    stop_dptda("argument", "The option `dptda.budget` must be \"required\" or \"optional\", not ", describe(wanted),
               ".")
  }
  stop_dptda("budget", "`budget` must be given, since the option `dptda.budget` is \"required\"; it is NULL.")
}

# Kernels can run as the options ask, and there is entropy to draw from.
check_source <- function(rng) {
  options <- kernel_options(rng)
  if (rng == "os") .Call(ffi_base_draw_units, 1, options)
  invisible()
}
