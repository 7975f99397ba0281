# Quantiles by group. The number of rows of a group is private, so a quantile is aimed at a fraction of them, and noisy
# counts of the groups are released first (inst/proofs/number-quantile.md). Without `by`, the group is all rows that are
# not dropped, for intervals of their quantiles.

# The fraction of the budget for the counts of groups.
group_count_share <- 0.1

# `side`, `box`: the interval, as two numbers and as it was given. `ranks`: for target_ranks(known = FALSE).
quantile_by_mechanism <- function(units, side, box, probs, ranks, cost, method, lattice, axes, columns, interval) {
  cells <- lattice_cells(lattice)
  table <- cell_table(c(list(axis_cells(side[1], side[2], cells)), axes))
  check_table_size(table, "by")
  # counts are rounded down, so that quantiles get slightly more than their share
  cost <- with_choices(cost, (1 - group_count_share) * (1 + 2^-20))
  parts <- split_cost(cost, c(counts = group_count_share, quantiles = 1 - group_count_share))
  each <- lapply(parts, function(part) new_cost(cost$measure, structure(part, names = names(cost$spent))))
  plan_for <- function(units) {
    if (!is.null(interval)) return(grouped_interval_plan(units, each$quantiles, ranks, cells, interval))
    quantile_plan(method, units, each$quantiles, ranks, lattice$bits, cells)
  }
  # rows have one weight in both queries
  planned <- plan_for(units)
  # a row moves from one group to another, or is dropped
  moved <- if (is.null(axes)) 1 else 2
  counted <- plan_unit_noise(units, each$counts, l1 = moved, l2_squared = moved)
  units$most <- log2(min(planned$weight, counted$weight))
  planned <- plan_for(units)
  counted <- plan_unit_noise(units, each$counts, l1 = moved, l2_squared = moved)
  count_noise <- counted$noise
  public <- c(list(n = units$n, probs = probs, lower = side[1], upper = side[2]),
              if (is.null(lattice$step)) lattice["bits"] else list(step = lattice$step), planned$public,
              if (length(axes)) list(by = lapply(axes, `[[`, "names")),
              list(scale = count_noise$scale * count_noise$step),
              weight_words(units, planned$weight))
  guarantee <- new_guarantee(
    cost$measure, sensitivity = NA_real_,
    mechanism = paste0(noise_words(count_noise), " on ", if (is.null(axes)) "the number of values; " else
      "a count of each group; ", if (is.null(axes)) planned$words else
        sub("ranks", "ranks of groups", planned$words, fixed = TRUE)),
    public = public, sampler = "exact", step = "private_quantile", person = units$person,
    steps = quantile_by_steps(cost, parts, planned$times)
  )
  plan <- public_plan("private_quantile_by", n = units$n, probs = probs,
                      ranks = target_ranks(probs, units$n * planned$weight, FALSE), lattice = lattice, method = method,
                      noise = planned$noise, count_noise = count_noise, weight = planned$weight,
                      units = units_noun(units$person), box = box, columns = columns, groups = cell_table(axes),
                      table = table)
  shares <- c("splits", "shares", if (!is.null(interval)) c("share", "moves", "level"))
  plan[shares] <- planned[shares]
  # all rows may be in one group
  if (!is.null(interval)) refuse_no_end(ifelse(grouped_ends_exist(plan, units$n), 1, NA), units, cost)
  new_mechanism(plan, guarantee)
}

# A declared epsilon and delta, or mu, are one entry of the ledger. `times`: how many mechanisms of bounded range share
# the part of the quantiles.
quantile_by_steps <- function(cost, parts, times) {
  step <- "private_quantile"
  kind <- names(cost$spent)
  if (!identical(names(cost$measure), kind)) return(list(new_step(step, cost$measure, spent = cost$known)))
  measure <- function(name) structure(parts[[name]], names = kind)
  pure <- is_pure(cost)
  list(new_step(paste0(step, ": counts"), measure("counts"), spent = known_of(measure("counts"))),
       new_step(step, measure("quantiles"), bounded_range = pure, times = if (pure) times else 1))
}

rows_for.private_quantile_by <- function(plan, x) {
  axes <- plan$groups$axes
  columns <- setdiff(plan$columns, names(axes))
  check_counted_rows(x, if (length(columns)) columns, plan$box, if (length(axes)) lapply(axes, `[[`, "levels"), "x",
                     axes)
}

# Returns the counts of occupied cells of each group.
statistic_of.private_quantile_by <- function(plan, rows) {
  found <- count_rows(weigh_rows(omit_missing(rows), plan$weight), list(plan$table))[[1]]
  cells <- lattice_cells(plan$lattice)
  group <- (found$cell - 1) %/% cells
  line <- list(cell = (found$cell - 1) %% cells + 1, count = found$count)
  lapply(seq_len(table_size(plan$groups)), function(g) lapply(line, `[`, group == g - 1))
}

# Returns the noisy counts, and the cells, with one row for each group and one column for each quantile.
draw_of.private_quantile_by <- function(plan, statistic, rng) {
  counts <- vapply(statistic, function(line) sum(line$count), 0)
  noise <- plan$count_noise
  ranks <- sort(unique(plan$ranks))
  noisy <- add_noise(counts, noise$scale, noise$kind, rng)
  places <- match(plan$ranks, ranks)
  if (!is.null(plan$level)) {
    drawn <- lapply(seq_along(statistic), function(g) grouped_interval_draw(plan, statistic[[g]], noisy[g], rng))
    of <- function(row) do.call(rbind, lapply(drawn, function(group) group[row, places]))
    return(list(counts = noisy, cell = of(2), interval = list(level = plan$level, lower = of(1), upper = of(3))))
  }
  draw <- if (is.null(plan$shares)) draw_splits else draw_shares
  cell <- vapply(statistic, function(line) draw(plan, line, rng), 0 * ranks)
  cell <- matrix(cell, length(statistic), length(ranks), byrow = TRUE)
  list(counts = noisy, cell = cell[, places, drop = FALSE])
}

noise_of.private_quantile_by <- function(plan) {
  within <- grouped_rank_bound(plan, table_size(plan$groups), 0.95)
  of <- if (length(plan$groups$axes)) c("of a group", "of each group") else rep("with a value", 2)
  among <- paste("each rank among the", plan$units, of[1])
  rbind(noise_table(paste("the number of", plan$units, of[2]), plan$count_noise),
        noise_lines(among, "exponential mechanism", plan$noise$scale * plan$noise$step,
                    within = proved_bound(within, plan$n)))
}

# `plan`: a plan, or the parts of a release, which hold the same numbers.
grouped_rank_bound <- function(plan, groups, level) {
  cells <- lattice_cells(plan$lattice)
  if (is.null(plan$shares)) halving_bound(plan$splits, cells, plan$n, level, groups) else
    shares_bound(plan$shares, plan$weight, cells^(if (is.null(plan$level)) 1 else 3), plan$n, level, groups)
}

# Warns before the charge of ends that groups of average size have not.
announce.private_quantile_by <- function(plan) {
  if (is.null(plan$level)) return(invisible())
  rows <- plan$n / table_size(plan$groups)
  none <- !grouped_ends_exist(plan, rows)
  if (!any(none)) return(invisible())
  warn_weak("end", "With ", format(rows, digits = 2), " ", plan$units,
            if (length(plan$groups$axes)) " in a group, the average,", " and this budget, some intervals have no ",
            paste(c("lower", "upper")[apply(none, 2, any)], collapse = " and no "), " end. They end at the bound of ",
            "the box. No budget has been spent yet. Set options(warn = 2) to stop here.")
}

# Groups are assumed to be equally large.
weakness_of.private_quantile_by <- function(plan) {
  error <- rank_error(plan$noise) * together_error(plan$level)
  groups <- table_size(plan$groups)
  each <- if (length(plan$groups$axes)) paste("each of", format_count(groups), "groups has") else "there are at most"
  weak_noise(plan$n, 4 * groups * error, "a quantile is off by about ",
             name_units(format(min(error, plan$n), digits = 2), plan$units), " in rank, and ", each, " ",
             name_units(format(plan$n / groups, digits = 2), plan$units),
             if (length(plan$groups$axes)) " on average", ". A random guess would be as close to its median")
}

result_of.private_quantile_by <- function(plan, drawn) {
  d <- length(plan$probs)
  names <- quantile_names(plan$probs)
  if (anyDuplicated(names)) names <- make.unique(names)
  parts <- c(plan[c("n", "weight", "lattice", "splits", "shares", "noise", "probs")],
             list(what = if (identical(plan$probs, 0.5)) "median" else "quantile", unit = plan$units,
                  by = lapply(plan$groups$axes, `[[`, "names"), columns = names, kind = plan$count_noise$kind,
                  counts = matrix(drawn$counts, length(drawn$counts), d), cell = drawn$cell,
                  scale = list(count = plan$count_noise$scale), cells = lattice_cells(plan$lattice),
                  width = (plan$lattice$upper - plan$lattice$lower) / lattice_cells(plan$lattice),
                  box = c(plan$lattice$lower, plan$lattice$upper), class = unique(unname(plan$box$classes))))
  parts$level <- plan$level
  parts$interval <- drawn$interval
  new_private_groups(structure(parts, class = "quantile_parts"))
}

# ---- results -------------------------------------------------------------------------------------------------------

are_group_parts.quantile_parts <- function(x) {
  is.list(x) && is_number_matrix(x$cell) && is_number_matrix(x$counts) && identical(dim(x$cell), dim(x$counts)) &&
    is_one_number(x$weight) && is_one_number(x$n) && is.list(x$scale) && is_noise(x$noise) && is.list(x$lattice) &&
    is_null_or(is_one_number)(x$level) && is_null_or(function(found) are_drawn_ends(found, dim(x$cell)))(x$interval) &&
    length(x$probs) == ncol(x$cell) && (is.matrix(x$splits) || is.matrix(x$shares)) &&
    (is.null(x$rounded) || x$rounded$how %in% c("round", "signif") && is_one_number(x$rounded$digits))
}

are_drawn_ends <- function(x, size) {
  is.list(x) && is_one_number(x$level) && is_number_matrix(x$lower) && is_number_matrix(x$upper) &&
    identical(dim(x$lower), size) && identical(dim(x$upper), size)
}

group_values.quantile_parts <- function(parts) line_middle(parts$lattice, parts$cell)

group_intervals.quantile_parts <- function(parts, level) NULL

# A quantile is hidden if its error in rank may be a quarter of its group, as for a random position.
are_hidden.quantile_parts <- function(parts, level) {
  counted <- noise_half_width(parts$kind, parts$scale$count, level) / parts$weight
  as.vector(parts$counts) / parts$weight - counted <= 4 * rank_error(parts$noise) * together_error(parts$level)
}

rank_words_of.quantile_parts <- function(parts, level) {
  within <- proved_bound(grouped_rank_bound(parts, nrow(parts$counts), level), parts$n)
  usual <- min(rank_error(parts$noise) * together_error(parts$level), parts$n)
  c(paste0("noise of ranks: about ", format(usual, digits = 2), " of the ", parts$unit,
           if (length(parts$by)) " of a group" else " with a value", " on average if few are equal. ",
           if (is.na(within)) "No bound is proved for all data." else
             paste0("Bound for all data: ", format(within, digits = 3), " (", format_percent(level),
                    ", simultaneous).")),
    drawn_end_words(parts$interval, parts$cells), cell_words(parts$lattice, parts$class))
}
