multiply_graph <- function(n, bits, edges, x) {
  if (is.null(edges)) return(.Call(ffi_graph_multiply_bits, n, bits, x, kernel_options()))
  .Call(ffi_graph_multiply_list, n, edges$from, edges$to, x, kernel_options())
}
