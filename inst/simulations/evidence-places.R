# How often the regions of feature_evidence() hold true points. Of the diagrams of evidence.R: how many points are
# counted and how many of them have a region (`counted`, `regions`, means of a release), how often a region of a release
# holds no true point (`wrong`), and how often that is so although no more features are there than were counted
# (`promise`). For each kind and setting the worst of its diagrams by `promise` is found by 300 releases each, and
# released 3,000 times anew. Beside them the share of the counted points without a true point within half of their
# persistence (`ring`), which a ring around a counted point would hide. The table is read in
# inst/proofs/diagram-evidence.md.
source("inst/simulations/common.R")
source("inst/simulations/evidence-common.R")
set.seed(31)

search_draws <- sized(300)
final_draws <- sized(3000)

# Of each point of a release the distance to the nearest true one of its dimension.
distances <- function(points, diagrams, dimensions) {
  away <- rep(Inf, nrow(points))
  for (i in seq_along(dimensions)) {
    own <- which(points$dimension == dimensions[i])
    D <- diagrams[[i]]
    if (length(own) && nrow(D)) {
      away[own] <- apply(pmax(abs(outer(points$birth[own], D[, 1], "-")), abs(outer(points$death[own], D[, 2], "-"))),
                         1, min)
    }
  }
  away
}

rates_of <- function(mechanism, groups, diagrams, draws, tall) {
  releases <- simulate(mechanism, draws, x = as_logical(diagrams))
  found <- feature_evidence(releases, level = probability)
  each <- function(what) as.double(unlist(lapply(unclass(releases), `[[`, what)))
  points <- data.frame(draw = rep(seq_len(draws), vapply(releases, nrow, 0L)), dimension = each("dimension"),
                       birth = each("birth"), death = each("death"))
  points$persistence <- points$death - points$birth
  dimensions <- seq_along(diagrams) - 1
  claimed <- matrix(found$features, draws, byrow = TRUE)
  region <- matrix(found$region, draws, byrow = TRUE)
  points$away <- distances(points, diagrams, dimensions)
  points$group <- if (length(groups) == 1) rep(1, nrow(points)) else match(points$dimension, dimensions)
  wrong <- promise <- logical(draws)
  sums <- c(counted = 0, regions = 0, ring = 0)
  for (g in seq_along(groups)) {
    own <- match(groups[[g]], dimensions)
    total <- rowSums(claimed[, own, drop = FALSE])
    few <- rowSums(claimed[, own, drop = FALSE] < matrix(tall[own], draws, length(own), byrow = TRUE)) == 0
    mine <- points[points$group == g, ]
    mine <- mine[order(mine$draw, -mine$persistence), ]
    rank <- stats::ave(mine$draw, mine$draw, FUN = seq_along)
    mine <- mine[rank <= total[mine$draw], ]
    half <- region[mine$draw, own[1]]
    placed <- mine$persistence > 2 * half
    lost <- placed & mine$away > half
    wrong[mine$draw[lost]] <- TRUE
    promise[mine$draw[lost & few[mine$draw]]] <- TRUE
    sums <- sums + c(nrow(mine), sum(placed), sum(mine$away >= mine$persistence / 2))
  }
  c(sums[1:2] / draws, ring = sums[["ring"]] / max(sums[["counted"]], 1), wrong = mean(wrong), promise = mean(promise))
}

one_setting <- function(setting) {
  mechanism <- mechanism_of(setting$dimensions, setting$utility, TRUE, setting$rate)
  all <- seq_len(setting$dimensions) - 1
  groups <- if (setting$utility == "max") list(all) else as.list(all)
  one_kind <- function(kind) {
    least <- range_least(setting$rate) * (1 + 1e-9)
    diagrams <- kinds[[kind]](setting$rate)
    worlds <- if (setting$dimensions == 1) lapply(diagrams, list) else {
      c(lapply(diagrams, function(d) list(d, nothing)), lapply(diagrams, function(d) list(d, d)))
    }
    tall <- lapply(worlds, counted, least)
    searched <- vapply(seq_along(worlds), function(i) {
      rates_of(mechanism, groups, worlds[[i]], search_draws, tall[[i]])[c("wrong", "promise")]
    }, c(0, 0))
    worst <- which.max(searched["promise", ] + 1e-3 * searched["wrong", ])
    final <- rates_of(mechanism, groups, worlds[[worst]], final_draws, tall[[worst]])
    data.frame(kind, setting, diagrams = length(worlds), features = paste(tall[[worst]], collapse = "+"),
               t(signif(final, 3)), most_wrong = max(searched["wrong", ]))
  }
  message("rate ", setting$rate, ", dimensions ", setting$dimensions, ", ", setting$utility)
  do.call(rbind, lapply(names(kinds)[!grepl("^not promised", names(kinds))], one_kind))
}

settings <- rbind(
  data.frame(rate = c(30, 125, 500), dimensions = 1, utility = "max"),
  data.frame(rate = 125, dimensions = 2, utility = c("max", "sum"))
)
table <- do.call(rbind, lapply(seq_len(nrow(settings)), function(i) one_setting(settings[i, ])))
row.names(table) <- NULL
write_table(table, "evidence-places")
record_time("evidence-places.R")
print(table)
