# The distance to a measure at landmarks in whole numbers: the values of
# lattice_distances() where there is no grid. `k`, `r`, `cap`, `scale` and
# `change` are those of a lattice (dtm-lattice.R), `steps` is K; weights are
# whole numbers, or NULL for rows that count once, and rows that are replaced
# together weigh `unit`.

# By Euclidean distances of rows to places. The numbers are those of
# ffi_dtm_lattice_distance.
landmark_values <- function(points, weights, places, k, r, cap, scale, change, steps, unit = 1) {
  .Call(ffi_dtm_landmark_values, points, weights, places, k, r, cap, scale, change, steps, unit,
        kernel_options(progress = kernel_progress("Distance to measure")))
}

# By distances that are known: a row for each row of the data, a column for each
# landmark. A distance counts as min(floor(d * scale), cap), and as the cap where
# it is NaN.
distance_steps <- function(distances, weights, k, r, cap, scale, change, steps, unit = 1) {
  .Call(ffi_dtm_distance_steps, distances, weights, k, r, cap, scale, change, steps, unit,
        kernel_options(progress = kernel_progress("Distance to measure")))
}
