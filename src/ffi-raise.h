/* ffi-raise.h - a status of the core as a classed error of R. */
#ifndef FFI_RAISE_H
#define FFI_RAISE_H

#include <R.h>
#include <Rinternals.h>

#include "base-context.h"

/* Raises the classed error for a status. Inside a body, the context is closed on the way out. */
_Noreturn void ffi_raise(dpt_status status, const char *message);

#endif
