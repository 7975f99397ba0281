# Persistence of a weighted Rips filtration: vertices enter at values of their own, an edge with the half sum of its two
# values and its length (the case p = 1 of Anai, Chazal, Glisse, Ike, Inakoshi, Tinarrage and Umeda 2020), a clique with
# its last edge, and everything is cut at a public cap. Every value of the filtration is 1-Lipschitz in the largest
# change of a vertex's value, on a lattice too (src/core/persistence-rips.c says why half sums are rounded down), and so
# is the diagram in the bottleneck distance, whatever the lengths are.
#
# Components are ours. Loops and voids are Ripser's work (Bauer 2021), which knows no values of vertices and needs none:
# a vertex that enters late is alone until its first edge, and that changes components only.

# As many vertices as the ranks of their edges are told apart in single precision.
rips_most <- 5792

# Public numbers: whether Ripser can number the edges, and the simplices of one dimension more than is asked for.
check_rips_size <- function(count, dimensions, arg) {
  if (all(dimensions == 0)) return(invisible(count))
  if (count > rips_most) {
    stop_argument(arg, "must have at most ", format_count(rips_most), " points for dimensions above 0, not ",
                  format_count(count), ".")
  }
  if (max(choose(count, seq_len(max(dimensions) + 2))) >= 2^62) {
    stop_argument(arg, "has too many points for dimension ", max(dimensions), ": ", format_count(count), ".")
  }
  invisible(count)
}

# The values of the edges in the order of a `dist`: L values, an L x L symmetric matrix of lengths of at least 0.
# `whole`: all of them are whole numbers, and half sums are rounded down.
rips_edges <- function(values, lengths, whole) rips_levels(values, lengths, whole)$edges

# list(edges, cone): with the level from which one vertex is joined to all others.
rips_levels <- function(values, lengths, whole) .Call(ffi_persistence_rips_edges, values, lengths, whole,
                                                      kernel_options())

# list(dimension, birth, death) of all pairs with birth < death <= cap in the `dimensions` asked for, in an order that
# depends on nothing but them; `essential`: the birth of the component that never ends, if dimension 0 is among them.
rips_pairs <- function(values, lengths, cap, dimensions, whole = FALSE) {
  pairs <- list(rips_holes(values, lengths, cap, dimensions[dimensions > 0], whole))
  essential <- NULL
  if (0 %in% dimensions) {
    components <- .Call(ffi_persistence_rips_components, values, lengths, cap, whole, kernel_options())
    pairs <- c(pairs, list(c(list(dimension = integer(length(components$birth))), components)))
    essential <- min(values, cap)
  }
  dimension <- unlist(lapply(pairs, `[[`, "dimension"))
  birth <- unlist(lapply(pairs, `[[`, "birth"))
  death <- unlist(lapply(pairs, `[[`, "death"))
  by <- order(dimension, birth, death)
  c(list(dimension = dimension[by], birth = birth[by], death = death[by]), if (!is.null(essential))
    list(essential = essential))
}

# The pairs of dimensions above 0.
#
# Ripser computes in single precision, which would merge levels and move others. It is given ranks instead, whole
# numbers from 1 that single precision has exactly, and the ranks that come back are looked up: what it does depends
# on the order of levels alone. Edges at the cap or above share the last rank, beyond the threshold, so classes that
# are alive at the cap never end for it. Above the level where the complex is a cone nothing is alive, so that is a
# threshold too. Its loop does not ask whether the user wants to stop: an interrupt waits until it has ended. And
# version 1.0.0 never frees its copy of the matrix, 2 L^2 bytes a call: where diagrams are computed over and over, that
# adds up.
rips_holes <- function(values, lengths, cap, dimensions, whole) {
  none <- list(dimension = integer(), birth = double(), death = double())
  # vertices from the cap on have no edge before it
  early <- values < cap
  dimensions <- dimensions[dimensions + 2 <= sum(early)]
  if (length(dimensions) == 0) return(none)
  if (!all(early)) {
    values <- values[early]
    lengths <- lengths[early, early, drop = FALSE]
  }
  levels <- rips_levels(values, lengths, whole)
  ranks <- rank_levels(pmin(levels$edges, cap))
  # the last level that Ripser sees
  last <- findInterval(levels$cone, ranks$levels)
  if (ranks$levels[last] >= cap) last <- last - 1
  if (last < 1) return(none)
  distances <- structure(ranks$ranks, Size = length(values), Diag = FALSE, Upper = FALSE, class = "dist")
  found <- ripserr::vietoris_rips(distances, max_dim = max(dimensions), threshold = last)
  found <- found[found$dimension %in% dimensions, ]
  ends <- is.finite(found$death)
  death <- rep(as.double(cap), length(ends))
  death[ends] <- ranks$levels[found$death[ends]]
  list(dimension = as.integer(found$dimension), birth = ranks$levels[found$birth], death = death)
}

# list(ranks, levels): levels[ranks] is x, the levels increase.
rank_levels <- function(x) {
  by <- order(x, method = "radix")
  sorted <- x[by]
  is_new <- c(TRUE, sorted[-1] != sorted[-length(sorted)])
  ranks <- double(length(x))
  ranks[by] <- cumsum(is_new)
  list(ranks = ranks, levels = sorted[is_new])
}

# What the pairs of L vertices take, roughly, on an ordinary machine: seconds, and bytes at the peak. By the largest
# dimension alone: measured on noise in ten dimensions that no cap cuts. Lengths that are close to no metric, which are
# public, take a hundred times as long; points along a loop a third of it.
rips_cost <- function(L, dimensions) {
  d <- max(dimensions)
  known <- c(8e-9 * L^2, 5.5e-8 * L^2.4, 1.2e-8 * L^3.25, 9e-9 * L^4, 8e-10 * L^5)
  seconds <- if (d <= 4) known[d + 1] else known[5] * (.09 * L)^(d - 4)
  c(seconds = seconds, bytes = 8 * L^2 + if (d > 0) 40 * L^2 + 32 * choose(L, d) else 0)
}

# Before anything is spent: whether what the dimensions need is there.
check_ripserr <- function(dimensions, arg) {
  if (all(dimensions == 0)) return(invisible())
  is_installed <- requireNamespace("ripserr", quietly = TRUE) &&
    numeric_version(getNamespaceVersion("ripserr")) >= "1.0.0"
  if (is_installed) return(invisible())
  stop_dptda("package", "`", arg,
             "` above 0 needs the package ripserr, version 1.0.0 or later: install.packages(\"ripserr\").")
}
