/* ffi-call.h - the only way from R into a kernel. */
#ifndef FFI_CALL_H
#define FFI_CALL_H

#include <R.h>
#include <Rinternals.h>

#include "base-context.h"

/* A body runs the kernel and turns its results into R objects, all inside the protected region: it may call R,
 * allocate from the arena and draw. It returns an unprotected result. If a kernel may refuse, the body uses
 * dpt_require(). It protects R objects by ffi_keep(). */
typedef SEXP (*ffi_body)(dpt_ctx *ctx, void *data);

/* Runs a body with the options list of R's kernel_options(), list(rng, threads, progress):
 *   rng       NULL (the kernel draws nothing), "os", "R", or four numbers: a fixed key, for planning without data
 *   threads   an integer of at least 1
 *   progress  NULL or a function of one number, called with the fraction done
 * It runs under R_UnwindProtect(). However it ends, the arena is freed and the random buffer is wiped before control
 * returns to R. Then the classed condition is raised for the status of the body. */
SEXP ffi_call(ffi_body body, void *data, SEXP options);

/* Keeps an R object until the call ends, and returns it. Bodies therefore do not count PROTECT(). */
SEXP ffi_keep(dpt_ctx *ctx, SEXP x);

/* A list from parallel arrays of names and (protected or kept) values. */
SEXP ffi_named_list(int count, const char *const *names, const SEXP *values);

/* Records the process that loaded the package, because a forked child runs on one thread. */
void ffi_remember_process(void);
int ffi_is_forked(void);

#endif
