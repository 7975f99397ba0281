/* ffi-privacy-ledger.c - where the state of a budget is kept: in this session, or on a disk.
 *
 * In memory the state is the protected value of an external pointer whose address is the token of this session. R code
 * has no way to the value but through the entries here, and R writes a pointer to no file and no connection: a copy
 * that was saved, sent or restored has the address NULL. A forked child has the address and the token of its parent,
 * but another process id; ids are used again, so where the system can (Linux), the token is kept in memory that the
 * child finds wiped. The value itself is written along, so that a copy can still be read. */
#if !defined(_WIN32) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* madvise() and fsync() under a strict -std */
#endif
#include "ffi.h"

#include "base-checksum.h"
#include "ffi-read.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

#ifdef _WIN32
#include <io.h>
#include <process.h>
#define getpid _getpid
#else
#include <sys/mman.h>
#include <unistd.h>
#define O_BINARY 0
#endif

/* The session -------------------------------------------------------------------------------------------------- */

typedef struct {
  uintptr_t token; /* 0: not drawn yet */
  long process;
} session;

static session *this_session(void) {
  static session plain;
  static session *kept = NULL;
  if (kept) return kept;
  kept = &plain;
#ifdef MADV_WIPEONFORK
  void *page = mmap(NULL, sizeof(session), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page != MAP_FAILED) {
    if (madvise(page, sizeof(session), MADV_WIPEONFORK) == 0) {
      kept = page;
    } else {
      munmap(page, sizeof(session));
    }
  }
#endif
  return kept;
}

static int is_current(const session *here) { return here->token != 0 && here->process == (long) getpid(); }

static SEXP budget_tag(void) { return Rf_install("dptda budget"); }

static SEXP hold(dpt_ctx *ctx, void *data, dpt_status *status) {
  session *here = this_session();
  if (!is_current(here)) {
    here->token = (uintptr_t) dpt_random_bits(ctx) | 1;
    here->process = (long) getpid();
  }
  *status = DPT_OK;
  SEXP state = data;
  MARK_NOT_MUTABLE(state);
  return R_MakeExternalPtr((void *) here->token, budget_tag(), state);
}

/* A new place for a state, in this session. */
SEXP ffi_privacy_hold(SEXP state, SEXP options) { return ffi_call(hold, state, options); }

static int is_held(SEXP held) { return TYPEOF(held) == EXTPTRSXP && R_ExternalPtrTag(held) == budget_tag(); }

static int is_own(SEXP held) {
  const session *here = this_session();
  return is_current(here) && R_ExternalPtrAddr(held) == (void *) here->token;
}

/* Whose it is: "" if it is no place for a state, "own", "forked" (a child's copy), "copied" (saved or sent). */
SEXP ffi_privacy_owner(SEXP held) {
  if (!is_held(held)) return Rf_mkString("");
  if (!R_ExternalPtrAddr(held)) return Rf_mkString("copied");
  return Rf_mkString(is_own(held) ? "own" : "forked");
}

/* The state that is kept there. */
SEXP ffi_privacy_held(SEXP held) { return is_held(held) ? R_ExternalPtrProtected(held) : R_NilValue; }

/* Puts `next` in the place of `seen`; FALSE, and nothing, if something else has taken it since, or if this is a copy.
 * No R code can run between the comparison and the change: of two payments that saw the same state, one finds it gone. */
SEXP ffi_privacy_exchange(SEXP held, SEXP seen, SEXP next) {
  if (!is_held(held) || !is_own(held) || R_ExternalPtrProtected(held) != seen) return Rf_ScalarLogical(FALSE);
  MARK_NOT_MUTABLE(next);
  R_SetExternalPtrProtected(held, next);
  return Rf_ScalarLogical(TRUE);
}

/* The file ------------------------------------------------------------------------------------------------------ */

static int write_all(int file, const unsigned char *bytes, size_t count) {
  while (count > 0) {
    long written = (long) write(file, bytes, (unsigned int) (count < (1u << 20) ? count : (1u << 20)));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return 0;
    bytes += written;
    count -= (size_t) written;
  }
  return 1;
}

/* Returns when the disk has it, as far as the system can tell. */
static int sync_file(int file) {
#ifdef _WIN32
  return _commit(file) == 0;
#else
#ifdef F_FULLFSYNC
  if (fcntl(file, F_FULLFSYNC) == 0) return 1;
#endif
  return fsync(file) == 0;
#endif
}

/* A new file is an entry of its folder, which has to get to the disk too. Some systems cannot sync a folder. */
static void sync_folder(const char *folder) {
#ifdef _WIN32
  (void) folder;
#else
  int file = open(folder, O_RDONLY);
  if (file < 0) return;
  (void) fsync(file);
  close(file);
#endif
}

static const char *append_bytes(int file, ffi_bytes bytes, double size) {
  struct stat facts;
  if (fstat(file, &facts) != 0) return strerror(errno);
  if ((double) facts.st_size != size) return "moved";
  if (!write_all(file, bytes.at, (size_t) bytes.count) || !sync_file(file)) return strerror(errno);
  return "";
}

/* Appends bytes to a file that has exactly `size` bytes, and returns when they are on the disk. `folder`: NULL, or that
 * of a file which must not exist yet and is made. "" if done; "moved", and nothing, if the file has another size; else
 * what the system says. No R code can run between the comparison and the writing. */
SEXP ffi_privacy_append(SEXP path, SEXP bytes, SEXP size, SEXP folder) {
  int made = folder != R_NilValue;
  const char *place = made ? Rf_translateChar(ffi_string(folder, "folder")) : NULL;
  ffi_bytes written = ffi_raw(bytes, "bytes");
  double had = ffi_number(size, 0, (double) FFI_COUNT_MOST, "size");
  const char *name = R_ExpandFileName(Rf_translateChar(ffi_string(path, "path")));
  int file = open(name, O_WRONLY | O_APPEND | O_BINARY | (made ? O_CREAT | O_EXCL : 0), 0666);
  if (file < 0) return Rf_mkString(strerror(errno));
  SEXP outcome = PROTECT(Rf_mkString(append_bytes(file, written, had)));
  close(file);
  if (made) sync_folder(R_ExpandFileName(place));
  UNPROTECT(1);
  return outcome;
}

/* The checksum of one text after another, as 16 hexadecimal digits. */
SEXP ffi_privacy_checksum(SEXP texts) {
  uint64_t sum = DPT_CHECKSUM_START;
  char digits[17];
  ffi_strings(texts, "texts");
  for (R_xlen_t i = 0; i < XLENGTH(texts); i++) {
    const char *text = CHAR(STRING_ELT(texts, i));
    sum = dpt_base_checksum(sum, text, strlen(text));
  }
  snprintf(digits, sizeof digits, "%016" PRIx64, sum);
  return Rf_mkString(digits);
}
