# How often feature_evidence() claims more features than there are, of a dimension (false_alarm) or in all of them
# (false_total), and how often it finds them all: true diagrams of many
# kinds, released many times. The rates, in 1 over the range: 30 (hardly anything is detectable), 125 and 500. For each
# kind, setting and rate the worst of its diagrams is found by 500 releases each, and is then released 6,000 times
# anew, so that the numbers of the table are not the largest of many. The table is read in
# inst/proofs/diagram-evidence.md.
source("inst/simulations/common.R")
source("inst/simulations/evidence-common.R")
set.seed(12)

search_draws <- sized(500)
final_draws <- sized(6000)

# ---- the test on many releases ---------------------------------------------------------------------------------------

# How many points of each dimension are claimed, one row a release.
claims <- function(mechanism, diagrams, draws, least = NULL) {
  releases <- simulate(mechanism, draws, x = as_logical(diagrams))
  matrix(feature_evidence(releases, level = probability, least = least)$features, draws, byrow = TRUE)
}

rates_of <- function(mechanism, diagrams, draws, tall, least = NULL) {
  claimed <- claims(mechanism, diagrams, draws, least)
  truth <- matrix(tall, draws, length(tall), byrow = TRUE)
  c(false = mean(rowSums(claimed > truth) > 0), total = mean(rowSums(claimed) > sum(tall)),
    all = mean(rowSums(claimed < truth) == 0))
}

one_setting <- function(setting) {
  mechanism <- mechanism_of(setting$dimensions, setting$utility, setting$learn, setting$rate)
  one_kind <- function(kind) {
    least <- range_least(setting$rate) * if (grepl("2 `least`", kind)) 2 else 1 + 1e-9
    diagrams <- kinds[[kind]](setting$rate)
    worlds <- if (setting$dimensions == 1) lapply(diagrams, list) else {
      c(lapply(diagrams, function(d) list(d, nothing)), lapply(diagrams, function(d) list(d, d)))
    }
    tall <- lapply(worlds, counted, least)
    searched <- vapply(seq_along(worlds), function(i)
                       rates_of(mechanism, worlds[[i]], search_draws, tall[[i]])["false"], 0)
    worst <- which.max(searched)
    final <- rates_of(mechanism, worlds[[worst]], final_draws, tall[[worst]])
    data.frame(kind, setting, diagrams = length(worlds), features = paste(tall[[worst]], collapse = "+"),
               false_alarm = signif(final[["false"]], 3), false_total = signif(final[["total"]], 3),
               all_found = signif(final[["all"]], 3))
  }
  message("rate ", setting$rate, ", dimensions ", setting$dimensions, ", ", setting$utility, if (setting$learn)
          ", learned")
  do.call(rbind, lapply(names(kinds), one_kind))
}

settings <- rbind(
  expand.grid(rate = c(30, 125, 500), learn = c(TRUE, FALSE), dimensions = 1, utility = "max",
              stringsAsFactors = FALSE),
  expand.grid(rate = 125, learn = c(TRUE, FALSE), dimensions = 2, utility = c("max", "sum"), stringsAsFactors = FALSE)
)
table <- do.call(rbind, lapply(seq_len(nrow(settings)), function(i) one_setting(settings[i, ])))
row.names(table) <- NULL
write_table(table, "evidence")

# Why a feature has a least persistence: false claims by thresholds that allow for no small points, where there are
# 1,000 up to `top` / rate; the largest rate over the numbers of features.
bare <- expand.grid(top = c(0.5, 1, 2, 4, 8), rate = c(30, 125), learn = c(TRUE, FALSE))
bare$false_alarm <- vapply(seq_len(nrow(bare)), function(i) {
  rate <- bare$rate[i]
  mechanism <- mechanism_of(1, "max", bare$learn[i], rate)
  max(vapply(counts, function(k) {
    rates_of(mechanism, list(rbind(spread(k, 0.5), small(1000, bare$top[i] / rate))), 4000, k, least = 0)[["false"]]
  }, 0))
}, 0)
write_table(bare, "evidence-without-least")

# The height that spurious points reach with a probability of 5 percent, by the sampler and by the law; features at the
# frame and in the middle of the range.
simulated <- function(diagram) simulate(mechanism_of(1, "max", TRUE, 125), 20000, x = as_logical(list(diagram)))
height_of <- function(diagram) {
  # the tallest first
  heights <- lapply(unclass(simulated(diagram)), function(points) points$death - points$birth)
  quantile(vapply(heights, function(x) c(x, rep(0, 20))[nrow(diagram) + 1], 0), probability, names = FALSE)
}
in_middle <- function(k) bars(if (k) 0.1 + (seq_len(k) - 0.5) / k * 0.3 else numeric(), rep(0.5, k))
at_frame <- function(k) bars(if (k) seq(0.02, 0.48, length.out = k) else numeric(), rep(0.5, k))
heights <- data.frame(features = 0:4)
# the threshold after as many features as there are, which allows for no small points
heights$law <- vapply(0:4, function(k) {
  found <- feature_evidence(simulated(in_middle(k)), level = probability, least = 0)
  found$band[found$features == k][1]
}, 0)
heights$middle <- vapply(0:4, function(k) height_of(in_middle(k)), 0)
heights$frame <- vapply(0:4, function(k) height_of(at_frame(k)), 0)
write_table(signif(heights, 3), "evidence-heights")

# A fixed number of points: how often a second feature is claimed where there is one of moderate height.
fixed <- expand.grid(height = c(30, 40, 50, 60), rate = c(500, 4000, 30000))
fixed$percent <- 100 * mapply(function(height, rate) {
  rates_of(mechanism_of(1, "max", FALSE, rate), list(bars(0.5 - height / rate / 2, height / rate)), 2000, 1)[["false"]]
}, fixed$height, fixed$rate)
write_table(fixed, "evidence-fixed")
record_time("evidence.R")
print(fixed)
print(bare)
print(heights)

# The table of the proof page: the largest rates over the settings, in percent.
largest <- function(rows, column) round(tapply(100 * rows[[column]], factor(rows$kind, names(kinds)), max), 1)
for (learn in c(TRUE, FALSE)) {
  chosen <- function(dimensions, utility) table[table$learn == learn & table$dimensions == dimensions & table$utility ==
                                                utility, ]
  cat(if (learn) "learned" else "fixed", "\n")
  print(data.frame(one = largest(chosen(1, "max"), "false_alarm"), two_sum = largest(chosen(2, "sum"), "false_alarm"),
                   two_max = largest(chosen(2, "max"), "false_alarm"),
                   two_max_total = largest(chosen(2, "max"), "false_total")))
}
