# Public lattices: what makes sums of real numbers into sums of integers.

# The points of the lattice are the multiples of a power of two, so that rows
# become exact integers, and noise on their sums can be exact. The step of a
# column is the least power of two for which the side of the box has at most
# 2^bits steps, so between half and all of 2^bits; it is never finer than twice
# the spacing of doubles at the ends of the side. A multiple of a step is a double
# without any rounding, and so is the half beside it, which decides where a row
# goes. `first` and `last` are the ends of the lattice in steps, below 2^52.
public_lattice <- function(box, bits) {
  width <- box$upper - box$lower
  step <- 2^(binary_exponent(width) + (2^binary_exponent(width) < width) - bits)
  finest <- pmax(2^(binary_exponent(pmax(abs(box$lower), abs(box$upper))) - 51), 2^-1074)
  step <- pmax(step, finest)
  first <- ceiling(box$lower / step)
  last <- floor(box$upper / step)
  list(step = step, first = first, last = last)
}

# The whole e with 2^e <= x < 2^(e + 1). log2() may be a rounding off.
binary_exponent <- function(x) {
  e <- floor(log2(x))
  e - (2^e > x) + (2^(e + 1) <= x)
}
