/* ffi-call.h - the one way from R into a kernel. */
#ifndef FFI_CALL_H
#define FFI_CALL_H

#include <R.h>
#include <Rinternals.h>

#include "base-context.h"

/* A body runs the kernel and turns what it computed into R objects, all inside the protected region: it may call R,
 * allocate from the arena and draw. It returns an unprotected result; where a kernel may refuse, it asks by
 * dpt_require(), and what it makes of R objects it keeps by ffi_keep(). */
typedef SEXP (*ffi_body)(dpt_ctx *ctx, void *data);

/* Runs a body as the options list asks that R's kernel_options() makes, list(rng, threads, progress):
 *   rng       NULL (the kernel draws nothing), "os", "R", or four numbers: a fixed key, for planning without data
 *   threads   a whole number of at least 1
 *   progress  NULL or a function of one number, called with the fraction done
 * It runs under R_UnwindProtect(): however it ends, the arena is freed and the random buffer is wiped before R hears of
 * it, and the classed condition for a status that the body left with is raised after that. */
SEXP ffi_call(ffi_body body, void *data, SEXP options);

/* Keeps an object of R until the call ends, and gives it back: for bodies, which so count no PROTECT(). */
SEXP ffi_keep(dpt_ctx *ctx, SEXP x);

/* A list from parallel arrays of names and (protected or kept) values. */
SEXP ffi_named_list(int count, const char *const *names, const SEXP *values);

/* Remembers the process that loaded the package: a forked child runs on one thread. */
void ffi_remember_process(void);
int ffi_is_forked(void);

#endif
