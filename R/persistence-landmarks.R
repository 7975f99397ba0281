# The persistence of the distance to a measure on landmarks: a weighted Rips filtration with the distances between
# landmarks as lengths of edges.

#' @export
domain_pairs.dptda_landmarks <- function(domain, values, dimensions, essential, cap, step = NULL) {
  lengths <- pmax(landmark_distances(domain) - domain$slack, 0)
  # an edge longer than twice the cap enters at the cap anyway
  if (!is.null(step)) lengths <- floor(pmin(lengths / step, 2 * cap + 2) + 0.5)
  pairs <- rips_pairs(values, lengths, cap, dimensions, whole = !is.null(step))
  last <- switch(essential, keep = Inf, cap = cap, drop = -Inf)
  born <- if (!is.null(pairs$essential) && pairs$essential < last) pairs$essential
  found <- data.frame(dimension = c(rep(0L, length(born)), as.integer(pairs$dimension)), birth = c(born, pairs$birth),
                      death = c(rep(last, length(born)), pairs$death))
  found <- found[order(found$dimension, found$birth - found$death, found$birth), ]
  row.names(found) <- NULL
  found
}

#' @export
domain_tell_cost.dptda_landmarks <- function(domain, cloud, k, dimensions) {
  check_complex(domain, dimensions)
  cost <- landmark_cost(domain, cloud$total, dimensions)
  if (!is_long(cost)) return(invisible())
  tell_dptda("cost", count_of(format_count(nrow(domain$points)), "landmark"), " take ", format_cost(cost),
             ". Half of them take a quarter of that or less.")
}

# Checks before anything is spent that the required package is installed and can number the simplices.
check_complex <- function(domain, dimensions) {
  check_ripserr(dimensions, "dimensions")
  check_rips_size(nrow(domain$points), dimensions, "grid")
}

# Seconds and bytes on an ordinary machine, from public numbers.
landmark_cost <- function(domain, n, dimensions) {
  count <- nrow(domain$points)
  each <- if (is_euclidean(domain$metric)) 3e-10 * ncol(domain$points) else if (is.function(domain$metric))
    3e-5 else 1e-6
  rips_cost(count, dimensions) + c(n * count * each, 8 * n * ncol(domain$points))
}

# The diagram of the distance to a measure on landmarks (not private), for dtm_persistence().
landmark_persistence <- function(x, landmarks, m0, r, clip, weights, max_dimension, sublevel, triangulation,
                                 essential, cap) {
  check_valid(landmarks, "dptda_landmarks", "grid")
  if (!check_flag(sublevel)) stop_argument("sublevel", "must be TRUE on landmarks.")
  if (triangulation != "cubical") {
    stop_argument("triangulation", "must be left out with landmarks, which have their own complex.")
  }
  dimensions <- check_released(NULL, max_dimension, landmarks)
  check_complex(landmarks, dimensions)
  if (!is.null(cap)) cap <- check_number(cap)
  values <- distance_to_measure(x, landmarks, m0, r = r, clip = clip, weights = weights)
  bound <- diagram_bound(landmarks, clip)
  pairs <- domain_pairs(landmarks, values, dimensions, if (essential == "cap") "keep" else essential, bound)
  if (essential == "cap") {
    pairs$death[pairs$death == Inf] <- if (is.null(cap)) bound else cap
    pairs <- pairs[pairs$death > pairs$birth, ]
  }
  new_diagram(pairs$dimension, pairs$birth, pairs$death, software = "landmarks",
              parameters = list(landmarks = landmarks, essential = essential, cap = cap,
                                max_dimension = max(dimensions)))
}
