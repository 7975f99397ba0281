# Counts the blocks of memory that the kernels have not freed.
live_blocks <- function() .Call(ffi_test_live_blocks)
