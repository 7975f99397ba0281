# The distance to a measure at landmarks in integers, like lattice_distances() for a grid. `k`, `r`,
# `cap`, `scale`, and `change` are fields of a lattice (dtm-lattice.R), and `steps` is K. `weights` are integers, or
# NULL if each row counts once. Rows that are replaced together have the weight `unit`.

# Uses Euclidean distances from rows to places. The results equal ffi_dtm_lattice_distance.
landmark_values <- function(points, weights, places, k, r, cap, scale, change, steps, unit = 1) {
  .Call(ffi_dtm_landmark_values, points, weights, places, k, r, cap, scale, change, steps, unit,
        kernel_options(progress = kernel_progress("Distance to measure")))
}

# Uses given distances, with one row per data row and one column per landmark. A distance d counts as
# min(floor(d * scale), cap), and NaN counts as the cap.
distance_steps <- function(distances, weights, k, r, cap, scale, change, steps, unit = 1) {
  .Call(ffi_dtm_distance_steps, distances, weights, k, r, cap, scale, change, steps, unit,
        kernel_options(progress = kernel_progress("Distance to measure")))
}
