# Public lattices, which turn sums of real numbers into sums of integers.

# Returns one lattice for each side of a box. Its points are the multiples of a power of two, so rows become exact
# integers and noise on their sums can be exact. Its step is the smallest power of two with at most 2^bits steps in the
# side, and therefore at least half as many. It is never finer than twice the spacing of doubles at the bounds of the
# side. Multiples of a step, and the points halfway between them, which decide how a row is rounded, are doubles without
# rounding. `first` and `last`: the bounds of the lattice in steps, below 2^52.
public_lattice <- function(box, bits) {
  width <- box$upper - box$lower
  step <- 2^(binary_exponent(width) + (2^binary_exponent(width) < width) - bits)
  finest <- pmax(2^(binary_exponent(pmax(abs(box$lower), abs(box$upper))) - 51), 2^-1074)
  step <- pmax(step, finest)
  first <- ceiling(box$lower / step)
  last <- floor(box$upper / step)
  list(step = step, first = first, last = last)
}

# Returns the integer e with 2^e <= x < 2^(e + 1). Corrects log2(), which may be off by a rounding.
binary_exponent <- function(x) {
  e <- floor(log2(x))
  e - (2^e > x) + (2^(e + 1) <= x)
}
