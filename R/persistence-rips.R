# Persistence of a weighted Rips filtration. Vertices enter at their own values. An edge enters at half the sum of its
# two values and its length (the case p = 1 of Anai, Chazal, Glisse, Ike, Inakoshi, Tinarrage and Umeda 2020), a clique
# with its last edge. A public cap cuts all levels. Every level is 1-Lipschitz in the largest change of a vertex's
# value, also on a lattice (src/core/persistence-rips.c explains why half sums are rounded down). So is the diagram in
# the bottleneck distance, for any lengths.
#
# Our code computes components. Ripser (Bauer 2021) computes loops and voids, without values of vertices: a vertex that
# enters late is isolated until its first edge, and this changes only components.

# Largest number of vertices for which single precision distinguishes the ranks of all edges.
rips_most <- 5792

# Checks by public numbers that Ripser can number the edges, and the simplices of one dimension above `dimensions`.
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

# The levels of the edges in the order of a `dist`, from L values and a symmetric L x L matrix of nonnegative lengths.
# `whole`: all of them are integers, and half sums are rounded down.
rips_edges <- function(values, lengths, whole) rips_levels(values, lengths, whole)$edges

# Returns list(edges, cone). From the level `cone` on, one vertex is joined to all others.
rips_levels <- function(values, lengths, whole) .Call(ffi_persistence_rips_edges, values, lengths, whole,
                                                      kernel_options())

# list(dimension, birth, death) of all pairs in `dimensions` with birth < death <= cap. Their order depends on the pairs
# alone. `essential` is the birth of the component that never ends, if dimension 0 is included.
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
# Ripser computes in single precision, which would merge some levels and move others. Therefore it gets ranks, integers
# from 1 that single precision represents exactly, and its results are converted back. This works because it uses only
# the order of levels. Edges at the cap or above share the last rank, beyond the threshold, so that classes alive at
# the cap never end. Above the level at which the complex is a cone nothing is alive, so this level is also a threshold.
# Ripser does not check for interrupts, so an interrupt waits until it has ended. Version 1.0.0 never frees its copy of
# the matrix, 2 L^2 bytes per call. This matters if a session computes many diagrams.
rips_holes <- function(values, lengths, cap, dimensions, whole) {
  none <- list(dimension = integer(), birth = double(), death = double())
  # vertices at the cap or later have no edge before it
  early <- values < cap
  dimensions <- dimensions[dimensions + 2 <= sum(early)]
  if (length(dimensions) == 0) return(none)
  if (!all(early)) {
    values <- values[early]
    lengths <- lengths[early, early, drop = FALSE]
  }
  levels <- rips_levels(values, lengths, whole)
  ranks <- rank_levels(pmin(levels$edges, cap))
  # the last level that Ripser uses
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

# list(ranks, levels) with levels[ranks] equal to x and increasing levels.
rank_levels <- function(x) {
  by <- order(x, method = "radix")
  sorted <- x[by]
  is_new <- c(TRUE, sorted[-1] != sorted[-length(sorted)])
  ranks <- double(length(x))
  ranks[by] <- cumsum(is_new)
  list(ranks = ranks, levels = sorted[is_new])
}

# Approximate cost of the pairs of L vertices on an ordinary machine: seconds, and bytes at the peak. It depends on the
# largest dimension alone. It was measured on noise in ten dimensions without a cap. Lengths far from any metric, a
# public property, take a hundred times as long, and points along a loop a third.
rips_cost <- function(L, dimensions) {
  d <- max(dimensions)
  known <- c(8e-9 * L^2, 5.5e-8 * L^2.4, 1.2e-8 * L^3.25, 9e-9 * L^4, 8e-10 * L^5)
  seconds <- if (d <= 4) known[d + 1] else known[5] * (.09 * L)^(d - 4)
  c(seconds = seconds, bytes = 8 * L^2 + if (d > 0) 40 * L^2 + 32 * choose(L, d) else 0)
}

# Checks before anything is spent that the dimensions have the package they need.
check_ripserr <- function(dimensions, arg) {
  if (all(dimensions == 0)) return(invisible())
  is_installed <- requireNamespace("ripserr", quietly = TRUE) &&
    numeric_version(getNamespaceVersion("ripserr")) >= "1.0.0"
  if (is_installed) return(invisible())
  stop_dptda("package", "`", arg,
             "` above 0 needs the package ripserr, version 1.0.0 or later: install.packages(\"ripserr\").")
}
