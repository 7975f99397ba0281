/* ffi-raise.c - a status of the core as a classed error of R. */
#include "ffi-raise.h"

static const char *status_name(dpt_status status) {
  switch (status) {
  case DPT_ERROR_MEMORY: return "memory";
  case DPT_ERROR_ENTROPY: return "entropy";
  case DPT_ERROR_SIZE: return "size";
  case DPT_ERROR_ARGUMENT: return "argument";
  default: return "internal";
  }
}

_Noreturn void ffi_raise(dpt_status status, const char *message) {
  SEXP name = PROTECT(Rf_mkString("dptda"));
  SEXP find = PROTECT(Rf_lang2(Rf_install("getNamespace"), name)); /* R_FindNamespace() is not part of the API */
  SEXP namespace = PROTECT(Rf_eval(find, R_BaseEnv));
  SEXP what = PROTECT(Rf_mkString(status_name(status)));
  SEXP text = PROTECT(Rf_mkString(message));
  SEXP call = PROTECT(Rf_lang3(Rf_install("stop_kernel"), what, text));
  Rf_eval(call, namespace);
  Rf_error("%s", message); /* not reached */
}
