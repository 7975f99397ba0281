/* ffi-budget-ledger.c - storage for the state of a budget: in this session, or on a disk.
 *
 * In memory, the state is the protected value of an external pointer whose address is the token of this session. R
 * code can reach the value only through the entries here, and R writes a pointer to no file and no connection: a
 * copy that was saved, sent or restored has the address NULL. A forked child has the address and the token of its
 * parent, but another process id. Because ids are used again, the token is kept in memory that the child finds
 * wiped, if the system supports this (Linux). The value itself is saved too, so that a copy can still be read.
 *
 * R code gets only copies of the state, and the only possible change adds steps to it. Calling these entries by hand
 * can spend budget, but never restores what was spent. Steps are added in place, to a list that doubles when it is
 * full, so that a charge takes as long after many charges as after none. */
#if !defined(_WIN32) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* madvise() and fsync() under a strict -std */
#endif
#include "ffi.h"

#include "base-checksum.h"
#include "base-draws.h"
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
  uintptr_t token; /* 0 before it is drawn */
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

/* Fields kept by a pointer: the given state, room for its steps, their number, and a number that is unique among the
 * states of this session. */
enum { KEPT_STATE, KEPT_ROOM, KEPT_COUNT, KEPT_SERIAL, KEPT_FIELDS };

/* Index of the element of a list with this name, or -1. */
static R_xlen_t place_of(SEXP list, const char *name) {
  SEXP names = Rf_getAttrib(list, R_NamesSymbol);
  if (TYPEOF(list) != VECSXP || TYPEOF(names) != STRSXP || XLENGTH(names) != XLENGTH(list)) return -1;
  for (R_xlen_t i = 0; i < XLENGTH(list); i++) {
    if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0) return i;
  }
  return -1;
}

static SEXP part_of(SEXP list, const char *name) {
  R_xlen_t place = place_of(list, name);
  return place < 0 ? R_NilValue : VECTOR_ELT(list, place);
}

static SEXP hold(dpt_ctx *ctx, void *data) {
  static double serial = 0;
  session *here = this_session();
  if (!is_current(here)) {
    here->token = (uintptr_t) dpt_draw_bits(ctx) | 1;
    here->process = (long) getpid();
  }
  SEXP state = data, kept = ffi_keep(ctx, Rf_allocVector(VECSXP, KEPT_FIELDS)), steps = part_of(state, "steps");
  MARK_NOT_MUTABLE(state);
  SET_VECTOR_ELT(kept, KEPT_STATE, state);
  SET_VECTOR_ELT(kept, KEPT_ROOM, steps);
  SET_VECTOR_ELT(kept, KEPT_COUNT, Rf_ScalarReal((double) Rf_xlength(steps)));
  SET_VECTOR_ELT(kept, KEPT_SERIAL, Rf_ScalarReal(++serial));
  SEXP held = R_MakeExternalPtr((void *) here->token, budget_tag(), kept);
  return held;
}

/* Stores a new state in this session. */
SEXP ffi_budget_hold(SEXP state, SEXP options) { return ffi_call(hold, state, options); }

static int is_held(SEXP held) { return TYPEOF(held) == EXTPTRSXP && R_ExternalPtrTag(held) == budget_tag(); }

static int is_own(SEXP held) {
  const session *here = this_session();
  return is_current(here) && R_ExternalPtrAddr(held) == (void *) here->token;
}

/* Owner of a state: "own", "forked" (a child's copy), "copied" (saved or sent), or "" if `held` does not store a
 * state. */
SEXP ffi_budget_owner(SEXP held) {
  if (!is_held(held)) return Rf_mkString("");
  if (!R_ExternalPtrAddr(held)) return Rf_mkString("copied");
  return Rf_mkString(is_own(held) ? "own" : "forked");
}

static double number_in(SEXP kept, int field) { return REAL(VECTOR_ELT(kept, field))[0]; }

/* Whether it has the form that hold() gives a state with steps. A pointer that was sent may keep anything. */
static int is_account(SEXP kept) {
  if (TYPEOF(kept) != VECSXP || XLENGTH(kept) != KEPT_FIELDS || part_of(kept, "steps") != R_NilValue) return 0;
  for (int i = KEPT_COUNT; i <= KEPT_SERIAL; i++) {
    if (TYPEOF(VECTOR_ELT(kept, i)) != REALSXP || XLENGTH(VECTOR_ELT(kept, i)) != 1) return 0;
  }
  SEXP room = VECTOR_ELT(kept, KEPT_ROOM);
  double count = number_in(kept, KEPT_COUNT);
  return TYPEOF(room) == VECSXP && count >= 0 && count <= (double) XLENGTH(room) &&
         place_of(VECTOR_ELT(kept, KEPT_STATE), "steps") >= 0;
}

static SEXP kept_in(SEXP held) { return is_held(held) ? R_ExternalPtrProtected(held) : R_NilValue; }

/* The number of steps of the state, and its number in this session, or 0 for a copy. */
SEXP ffi_budget_size(SEXP held) {
  SEXP size = PROTECT(Rf_allocVector(REALSXP, 2)), kept = kept_in(held);
  int known = is_account(kept);
  REAL(size)[0] = known ? number_in(kept, KEPT_COUNT) : 0;
  REAL(size)[1] = known && is_own(held) ? number_in(kept, KEPT_SERIAL) : 0;
  UNPROTECT(1);
  return size;
}

/* Returns a copy of the stored state, with only the steps after the first `from`. */
SEXP ffi_budget_held(SEXP held, SEXP from) {
  const double wanted = ffi_number(from, 0, (double) FFI_COUNT_MOST, "from");
  SEXP kept = PROTECT(kept_in(held));
  if (!is_account(kept)) {
    int made_here = TYPEOF(kept) == VECSXP && XLENGTH(kept) == KEPT_FIELDS;
    SEXP state = Rf_duplicate(made_here ? VECTOR_ELT(kept, KEPT_STATE) : kept);
    UNPROTECT(1);
    return state;
  }
  /* An allocation may run R code that charges. The steps counted here stay where they are. */
  const R_xlen_t count = (R_xlen_t) number_in(kept, KEPT_COUNT);
  const R_xlen_t first = wanted < (double) count ? (R_xlen_t) wanted : count;
  SEXP room = PROTECT(VECTOR_ELT(kept, KEPT_ROOM)), steps = PROTECT(Rf_allocVector(VECSXP, count - first));
  for (R_xlen_t i = first; i < count; i++) SET_VECTOR_ELT(steps, i - first, Rf_duplicate(VECTOR_ELT(room, i)));
  SEXP state = PROTECT(Rf_shallow_duplicate(VECTOR_ELT(kept, KEPT_STATE)));
  const R_xlen_t place = place_of(state, "steps");
  SET_VECTOR_ELT(state, place, R_NilValue);
  state = PROTECT(Rf_duplicate(state));
  SET_VECTOR_ELT(state, place, steps);
  UNPROTECT(5);
  return state;
}

/* Whether x is a vector of finite, nonnegative doubles without class, with `count` elements, or any number if
 * `count` is -1. */
static int are_amounts(SEXP x, R_xlen_t count) {
  if (TYPEOF(x) != REALSXP || Rf_isObject(x) || (count >= 0 && XLENGTH(x) != count)) return 0;
  for (R_xlen_t i = 0; i < XLENGTH(x); i++) {
    if (!R_FINITE(REAL(x)[i]) || REAL(x)[i] < 0) return 0;
  }
  return 1;
}

/* Whether x is a table of Renyi divergences with increasing orders above one. With other orders, interpolation could
 * subtract. */
static int is_curve(SEXP x) {
  SEXP orders = part_of(x, "alpha"), values = part_of(x, "epsilon");
  if (Rf_isObject(x) || !are_amounts(orders, -1) || !are_amounts(values, XLENGTH(orders))) return 0;
  for (R_xlen_t i = 0; i < XLENGTH(orders); i++) {
    if (!(REAL(orders)[i] > (i ? REAL(orders)[i - 1] : 1))) return 0;
  }
  return 1;
}

/* Whether x has the fields of R's new_parts(), each in its own form. */
static int are_parts(SEXP x) {
  static const char *const sums[] = {"pure", "range", "leak"};
  if (TYPEOF(x) != VECSXP || Rf_isObject(x) || XLENGTH(x) != 7 || place_of(x, "renyi") < 0) return 0;
  for (int i = 0; i < 3; i++) {
    if (!are_amounts(part_of(x, sums[i]), -1)) return 0;
  }
  SEXP curve = part_of(x, "renyi");
  return are_amounts(part_of(x, "leak_epsilon"), XLENGTH(part_of(x, "leak"))) && are_amounts(part_of(x, "mu"), 1) &&
         are_amounts(part_of(x, "rho"), 1) && (curve == R_NilValue || is_curve(curve));
}

/* Whether x has named amounts, each name known and used once. */
static int is_measure(SEXP x) {
  static const char *const known[] = {"epsilon", "delta", "rho", "mu", "renyi"};
  SEXP names = Rf_getAttrib(x, R_NamesSymbol);
  if (!are_amounts(x, -1) || XLENGTH(x) == 0 || TYPEOF(names) != STRSXP) return 0;
  int found = 0;
  for (int k = 0; k < 5; k++) {
    int times = 0;
    for (R_xlen_t i = 0; i < XLENGTH(names); i++) times += strcmp(CHAR(STRING_ELT(names, i)), known[k]) == 0;
    if (times > 1) return 0;
    found += times;
  }
  return found == XLENGTH(x);
}

static int is_step(SEXP step) {
  return TYPEOF(step) == VECSXP && !Rf_isObject(step) && is_measure(part_of(step, "measure")) &&
         are_parts(part_of(step, "parts"));
}

static int are_steps(SEXP steps) {
  if (TYPEOF(steps) != VECSXP || Rf_isObject(steps)) return 0;
  for (R_xlen_t i = 0; i < XLENGTH(steps); i++) {
    if (!is_step(VECTOR_ELT(steps, i))) return 0;
  }
  return 1;
}

/* Returns a list with room for `wanted` elements, whose first `count` elements come from `room`. */
static SEXP widened(SEXP room, R_xlen_t count, R_xlen_t wanted) {
  if (wanted <= XLENGTH(room)) return room;
  SEXP wider = PROTECT(Rf_allocVector(VECSXP, wanted > 2 * count ? wanted : 2 * count));
  for (R_xlen_t i = 0; i < count; i++) SET_VECTOR_ELT(wider, i, VECTOR_ELT(room, i));
  UNPROTECT(1);
  return wider;
}

/* Adds steps to the state, which had `seen` steps when their price was computed. Returns FALSE, and adds nothing, if
 * it has more by now or is a copy. Returns NA, and adds nothing, if the steps do not have the form of steps that add
 * to the spent budget. An allocation may run R code (finalizers), so the state is checked again after the last
 * allocation. If two charges saw the same state, one of them finds more steps than it saw. */
SEXP ffi_budget_charge(SEXP held, SEXP seen, SEXP steps) {
  const double had = ffi_number(seen, 0, (double) FFI_COUNT_MOST, "seen");
  SEXP no = PROTECT(Rf_ScalarLogical(FALSE)), yes = PROTECT(Rf_ScalarLogical(TRUE)), kept = PROTECT(kept_in(held));
  if (!is_account(kept) || number_in(kept, KEPT_COUNT) != had || !is_own(held)) {
    UNPROTECT(3);
    return no;
  }
  SEXP own = PROTECT(Rf_duplicate(steps)); /* stores exactly the copy that is checked */
  if (!are_steps(own)) {
    UNPROTECT(4);
    return Rf_ScalarLogical(NA_LOGICAL);
  }
  const R_xlen_t count = (R_xlen_t) had, more = XLENGTH(own);
  SEXP room = PROTECT(widened(VECTOR_ELT(kept, KEPT_ROOM), count, count + more));
  const int unchanged = is_own(held) && number_in(kept, KEPT_COUNT) == had;
  if (unchanged) {
    for (R_xlen_t i = 0; i < more; i++) SET_VECTOR_ELT(room, count + i, VECTOR_ELT(own, i));
    SET_VECTOR_ELT(kept, KEPT_ROOM, room);
    REAL(VECTOR_ELT(kept, KEPT_COUNT))[0] = had + (double) more;
  }
  UNPROTECT(5);
  return unchanged ? yes : no;
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

/* Returns after the file is on the disk, as far as the system reports. */
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

/* A new file is an entry of its folder, which must reach the disk as well. Some systems cannot sync a folder. */
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

/* Appends bytes to a file that has exactly `size` bytes, and returns when they are on the disk. `folder`: NULL, or
 * the folder of a new file that must not exist yet. Returns "" on success, "moved" if the file has another size
 * (nothing is written then), and otherwise the message of the system. No R code can run between the comparison and
 * the writing. */
SEXP ffi_budget_append(SEXP path, SEXP bytes, SEXP size, SEXP folder) {
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

/* Facts that change if a file is written or replaced: device, number, size, and the times when it and its entry were
 * changed. Windows has seconds only, and no number. */
static SEXP facts_of(const struct stat *facts) {
#if defined(_WIN32)
  const double changed = 0, renewed = 0;
#elif defined(__APPLE__)
  const double changed = (double) facts->st_mtimespec.tv_nsec, renewed = (double) facts->st_ctimespec.tv_nsec;
#else
  const double changed = (double) facts->st_mtim.tv_nsec, renewed = (double) facts->st_ctim.tv_nsec;
#endif
  const double all[] = {(double) facts->st_dev,
                        (double) facts->st_ino,
                        (double) facts->st_size,
                        (double) facts->st_mtime,
                        changed,
                        (double) facts->st_ctime,
                        renewed};
  SEXP numbers = Rf_allocVector(REALSXP, 7);
  memcpy(REAL(numbers), all, sizeof all);
  return numbers;
}

static int read_all(int file, unsigned char *bytes, size_t count) {
  while (count > 0) {
    long got = (long) read(file, bytes, (unsigned int) (count < (1u << 20) ? count : (1u << 20)));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return 0;
    bytes += got;
    count -= (size_t) got;
  }
  return 1;
}

/* Reads at most `most` bytes of a file from the byte `from` on. Returns a list of facts_of(), whose third element is
 * the size, and these bytes. Anything other than a plain file is not opened, because that may wait forever, and
 * gives no bytes. If the file cannot be read, returns the message of the system as a string. */
SEXP ffi_budget_read(SEXP path, SEXP from, SEXP most) {
  const double first = ffi_number(from, 0, (double) FFI_COUNT_MOST, "from");
  const double wanted = ffi_number(most, 0, (double) FFI_COUNT_MOST, "most");
  const char *name = R_ExpandFileName(Rf_translateChar(ffi_string(path, "path")));
  struct stat facts;
  if (stat(name, &facts) != 0) return Rf_mkString(strerror(errno));
  const int is_file = (facts.st_mode & S_IFMT) == S_IFREG;
  const double left = is_file ? (double) facts.st_size - first : 0, count = left < wanted ? left : wanted;
  SEXP query = PROTECT(Rf_allocVector(VECSXP, 2));
  SET_VECTOR_ELT(query, 0, facts_of(&facts));
  SEXP bytes = Rf_allocVector(RAWSXP, count > 0 ? (R_xlen_t) count : 0);
  SET_VECTOR_ELT(query, 1, bytes);
  UNPROTECT(1);
  if (XLENGTH(bytes) == 0) return query;
  int file = open(name, O_RDONLY | O_BINARY);
  if (file < 0) return Rf_mkString(strerror(errno));
  const int done = lseek(file, (off_t) first, SEEK_SET) >= 0 && read_all(file, RAW(bytes), (size_t) XLENGTH(bytes));
  close(file);
  return done ? query : Rf_mkString("it changes while it is read");
}

/* Reads at most `most` first bytes of a file whose name is given in bytes, for any locale. Returns no bytes if there
 * is no such file, or if it is not a plain file. If this is not known, returns the message of the system as a
 * string. */
SEXP ffi_budget_peek(SEXP path, SEXP most) {
  const ffi_bytes given = ffi_raw(path, "path");
  double wanted = ffi_number(most, 0, 0x1p30, "most");
  if (given.count == 0 || memchr(given.at, 0, (size_t) given.count)) return Rf_mkString("no path");
  char *name = R_alloc((size_t) given.count + 1, 1);
  memcpy(name, given.at, (size_t) given.count);
  name[given.count] = 0;
  struct stat facts;
  if (stat(name, &facts) != 0) {
    return errno == ENOENT || errno == ENOTDIR ? Rf_allocVector(RAWSXP, 0) : Rf_mkString(strerror(errno));
  }
  if ((facts.st_mode & S_IFMT) != S_IFREG) return Rf_allocVector(RAWSXP, 0);
  if (wanted > (double) facts.st_size) wanted = (double) facts.st_size;
  SEXP bytes = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t) wanted));
  int file = open(name, O_RDONLY | O_BINARY);
  long count = file < 0 ? -1 : (long) read(file, RAW(bytes), (unsigned int) wanted);
  SEXP outcome = PROTECT(count < 0 ? Rf_mkString(strerror(errno)) : Rf_xlengthgets(bytes, (R_xlen_t) count));
  if (file >= 0) close(file);
  UNPROTECT(2);
  return outcome;
}

/* Returns, for each text, the checksum of the previous sum (`start` for the first text) and the text, as 16
 * hexadecimal digits. */
SEXP ffi_budget_checksums(SEXP start, SEXP texts) {
  char digits[17];
  const char *before = CHAR(ffi_string(start, "start"));
  ffi_strings(texts, "texts");
  SEXP sums = PROTECT(Rf_allocVector(STRSXP, XLENGTH(texts)));
  for (R_xlen_t i = 0; i < XLENGTH(texts); i++) {
    const char *text = CHAR(STRING_ELT(texts, i));
    uint64_t sum = dpt_base_checksum(DPT_CHECKSUM_START, before, strlen(before));
    snprintf(digits, sizeof digits, "%016" PRIx64, dpt_base_checksum(sum, text, strlen(text)));
    SET_STRING_ELT(sums, i, Rf_mkChar(digits));
    before = digits;
  }
  UNPROTECT(1);
  return sums;
}
