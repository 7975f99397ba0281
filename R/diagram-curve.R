# Cuts curves, one per row of `V`, to integers w >= 0 with sum(w^2) <= 4^bits, in steps of radius / 2^bits. `V` holds
# any doubles, divided by the root of the number of columns: the length of a row is the root mean square of a curve.
cut_curves <- function(V, radius, bits = curve_bits) {
  .Call(ffi_diagram_curve_cut, V, as.double(radius), as.integer(bits), kernel_options())
}

curve_bits <- 20L
