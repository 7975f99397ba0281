# The order that every release keeps, in one place so that no mechanism can get
# it wrong: all that is public is checked, what the rows give is computed, the
# budget pays, the noise is drawn. After the payment nothing is left that could
# fail for a public reason; nothing but this function pays (a test sees to it).

# `guarantee`: what the result will carry, made before anything is paid, with
# all public numbers that the result needs. `statistic`: what the rows give, not
# computed before the budget has been asked. `draw`: a function of it.
draw_release <- function(budget, guarantee, statistic, draw) {
  check_budget(budget, guarantee, "budget")
  check_source(guarantee$random)
  force(statistic)
  process <- Sys.getpid()
  spend_budget(budget, guarantee = guarantee)
  drawn <- draw(statistic)
  # a callback may have forked, and come back in both processes: one paid
  if (Sys.getpid() != process) {
    stop_dptda("budget", "a release ends in the process that began it; this is a forked worker of that process.")
  }
  drawn
}

# Kernels can run as the options ask, and there is entropy to draw from.
check_source <- function(rng) {
  options <- kernel_options(rng)
  if (rng == "os") .Call(ffi_base_draw_units, 1, options)
  invisible()
}
