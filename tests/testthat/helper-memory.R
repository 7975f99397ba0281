# How many blocks of memory the kernels have not given back.
live_blocks <- function() .Call(ffi_test_live_blocks)
