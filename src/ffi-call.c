/* ffi-call.c - runs a kernel so that an interrupt, an error or a jump leaks no memory and replays no noise.
 *
 * R's generator is never open while a kernel runs. With GetRNGstate()/PutRNGstate() around a kernel, an error after
 * the first draw, or a handler that draws, would restore an old seed, and the next call would draw the same noise.
 * For rng = "R", a 256-bit key is drawn, the generator is closed at once, and the kernel runs its own keyed
 * generator. */
#include "ffi-call.h"

#include <R_ext/Random.h>
#include <R_ext/Utils.h>
#include <string.h>

#include "base-clock.h"
#include "ffi-raise.h"
#include "ffi-read.h"

#ifdef _OPENMP
#include <omp.h>
#endif
#ifndef _WIN32
#include <sys/types.h>
#include <unistd.h>
static pid_t loading_process = 0;
#endif

enum { MOST_THREADS = 1024 };

void ffi_remember_process(void) {
#ifndef _WIN32
  loading_process = getpid();
#endif
}

int ffi_is_forked(void) {
#ifndef _WIN32
  return getpid() != loading_process;
#else
  return 0;
#endif
}

/* The contents of the options list. */
typedef struct {
  enum { SOURCE_NONE, SOURCE_SYSTEM, SOURCE_R, SOURCE_KEY } source;
  const double *key; /* four numbers, for SOURCE_KEY */
  int threads;
  SEXP progress;
} ffi_options;

static ffi_options read_options(SEXP options) {
  ffi_list(options, 3, 3, "options");
  SEXP rng = VECTOR_ELT(options, 0), progress = VECTOR_ELT(options, 2);
  ffi_options read = {SOURCE_NONE, NULL, ffi_choice(VECTOR_ELT(options, 1), 1, MOST_THREADS, "threads"), progress};
  if (TYPEOF(rng) == REALSXP && XLENGTH(rng) == 4) {
    read.source = SOURCE_KEY;
    read.key = ffi_doubles_within(rng, 0, (double) FFI_COUNT_MOST, "rng").at;
  } else if (TYPEOF(rng) == STRSXP && XLENGTH(rng) == 1) {
    const char *name = CHAR(STRING_ELT(rng, 0));
    if (strcmp(name, "os") == 0) read.source = SOURCE_SYSTEM;
    if (strcmp(name, "R") == 0) read.source = SOURCE_R;
  }
  if (read.source == SOURCE_NONE && rng != R_NilValue) ffi_refuse("rng", "NULL, \"os\", \"R\" or a key");
  if (progress != R_NilValue && !Rf_isFunction(progress)) ffi_refuse("progress", "NULL or a function");
  return read;
}

typedef struct {
  dpt_ctx ctx;
  ffi_body body;
  void *data;
  SEXP progress;
  SEXP kept;                /* objects that the body keeps: a list after this cell */
  double started, reported; /* seconds */
  jmp_buf escape;
} ffi_frame;

/* Reports progress after two seconds, then five times per second. Shorter work needs no bar. */
static void report_progress(ffi_frame *frame, double fraction) {
  double now = dpt_seconds();
  if (now - frame->started < 2 || now - frame->reported < 0.2) return;
  frame->reported = now;
  SEXP value = PROTECT(Rf_ScalarReal(fraction));
  SEXP call = PROTECT(Rf_lang2(frame->progress, value));
  Rf_eval(call, R_BaseEnv);
  UNPROTECT(2);
}

static void poll_host(void *host, double fraction) {
  ffi_frame *frame = host;
  R_CheckUserInterrupt();
  if (frame->progress != R_NilValue && fraction >= 0) report_progress(frame, fraction);
}

SEXP ffi_keep(dpt_ctx *ctx, SEXP x) {
  ffi_frame *frame = ctx->host;
  PROTECT(x);
  SETCDR(frame->kept, Rf_cons(x, CDR(frame->kept)));
  UNPROTECT(1);
  return x;
}

static SEXP run_body(void *data) {
  ffi_frame *frame = data;
  if (setjmp(frame->escape)) return R_NilValue;
  return frame->body(&frame->ctx, frame->data);
}

static void clean_up(void *data, Rboolean jump) {
  (void) jump;
  dpt_ctx_close(&((ffi_frame *) data)->ctx);
}

static void draw_key(uint64_t key[4]) {
  GetRNGstate();
  for (int i = 0; i < 4; i++) {
    key[i] = 0;
    for (int piece = 0; piece < 4; piece++) key[i] = (key[i] << 16) | (uint64_t) (unif_rand() * 65536.0);
  }
  PutRNGstate();
}

static void open_random(dpt_ctx *ctx, const ffi_options *options) {
  uint64_t key[4] = {0};
  switch (options->source) {
  case SOURCE_NONE: return;
  case SOURCE_SYSTEM: dpt_random_open_system(&ctx->random); return;
  case SOURCE_R: draw_key(key); break;
  case SOURCE_KEY:
    for (int i = 0; i < 4; i++) key[i] = (uint64_t) options->key[i];
  }
  dpt_random_open_keyed(&ctx->random, key);
}

static int usable_threads(int wanted) {
#ifdef _OPENMP
  if (ffi_is_forked()) return 1; /* a parallel region in a child of a threaded parent hangs */
  int most = omp_get_num_procs() < omp_get_thread_limit() ? omp_get_num_procs() : omp_get_thread_limit();
  if (wanted > most) wanted = most;
  return wanted < 1 ? 1 : wanted;
#else
  (void) wanted;
  return 1;
#endif
}

SEXP ffi_call(ffi_body body, void *data, SEXP options) {
  ffi_options wanted = read_options(options);
  ffi_frame frame;
  frame.kept = PROTECT(Rf_cons(R_NilValue, R_NilValue));
  dpt_ctx_init(&frame.ctx);
  frame.body = body;
  frame.data = data;
  frame.progress = wanted.progress;
  frame.started = frame.reported = dpt_seconds();
  frame.ctx.poll = poll_host;
  frame.ctx.host = &frame;
  frame.ctx.threads = usable_threads(wanted.threads);
  frame.ctx.escape = &frame.escape;
  open_random(&frame.ctx, &wanted);

  SEXP token = PROTECT(R_MakeUnwindCont());
  SEXP result = PROTECT(R_UnwindProtect(run_body, &frame, clean_up, &frame, token));
  if (frame.ctx.escaped != DPT_OK) ffi_raise(frame.ctx.escaped, frame.ctx.message);
  UNPROTECT(3);
  return result;
}

SEXP ffi_named_list(int count, const char *const *names, const SEXP *values) {
  SEXP list = PROTECT(Rf_allocVector(VECSXP, count));
  SEXP labels = PROTECT(Rf_allocVector(STRSXP, count));
  for (int i = 0; i < count; i++) {
    SET_VECTOR_ELT(list, i, values[i]);
    SET_STRING_ELT(labels, i, Rf_mkChar(names[i]));
  }
  Rf_setAttrib(list, R_NamesSymbol, labels);
  UNPROTECT(2);
  return list;
}
