/* layers.c - runs one kernel whose coins are answered from a tape, for law.py.
 *
 * A sampler is a stack of layers: words, bits, coins, exponential coins, Laplace, Gaussian. law.py looks at one layer
 * at a time. The functions below are in the place of those of the same name in the kernels, which are compiled as a
 * library of their own with their `static` functions visible (checks/laws.sh). A call to a function whose kind is in
 * `asked_kinds` takes the next answer of the tape. If the tape is at its end, the kernel is left, and the question goes
 * to law.py. All other calls go on to the kernel's own function. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base-draws.h"
#include "privacy-choice.h"
#include "privacy-noise.h"
#include "privacy-rounded-normal.h"

enum {
  FAULT,
  WORD,
  FEW,
  BIT,
  BELOW,
  RATIO,
  BERNOULLI,
  UNIT,
  EXP,
  LAPLACE,
  COIN,
  CELL,
  FRACTION,
  VARIATE,
  ROUND,
  STEP,
  NEW,
  LIMB,
  DESCENT,
  HALF,
  STEP_COIN
};
enum { ASKED = 5 }; /* numbers of a question: its kind, and two numbers of 128 bits */

static jmp_buf out;
static const int64_t *tape;
static int length, at;
static uint64_t question[ASKED], asked_kinds;
static dpt_rounded_normal own;
static dpt_variate held; /* the number that a descent begins with */
static dpt_variate_source limbs;
static const dpt_variate *start, *lowest; /* the first and the last number of a descent */

static bool is_asked(int kind) { return asked_kinds >> kind & 1; }

static int64_t answer(int kind, dpt_wide a, dpt_wide b) {
  if (at < length) return tape[at++];
  const uint64_t now[ASKED] = {(uint64_t) kind, (uint64_t) (a >> 64), (uint64_t) a, (uint64_t) (b >> 64), (uint64_t) b};
  memcpy(question, now, sizeof now);
  longjmp(out, 1);
}

static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* ---- what the kernels need besides ----------------------------------------------------------------------------- */

static _Alignas(64) char memory[1 << 22];
static size_t used;

void *dpt_alloc(dpt_ctx *ctx, ptrdiff_t count, size_t size) {
  (void) ctx;
  used = (used + 63) & ~(size_t) 63;
  void *start_of = memory + used;
  used += (size_t) count * size;
  if (used > sizeof memory) abort();
  return start_of;
}
void dpt_tick(dpt_ctx *ctx, int64_t units) { (void) ctx, (void) units; }
_Noreturn void dpt_escape(dpt_ctx *ctx, dpt_status status, const char *message) {
  (void) ctx, (void) status, (void) message;
  abort();
}
bool dpt_random_next(dpt_random *random, uint64_t *bits) {
  (void) random, (void) bits;
  abort();
}

/* ---- functions that may be asked ------------------------------------------------------------------------------- */

/* REAL(f) is the kernel's own function, with the type of ours. */
#define REAL(f) ((__typeof__(&f)) dlsym(RTLD_NEXT, #f))
#define ASK(kind, a, b)                                                                                                \
  if (is_asked(kind)) return answer(kind, (dpt_wide) (a), (dpt_wide) (b))

uint64_t dpt_draw_bits(dpt_ctx *ctx) {
  ASK(WORD, 0, 0);
  return REAL(dpt_draw_bits)(ctx);
}
uint64_t draw_few(dpt_ctx *ctx, int count) {
  ASK(FEW, count, 0);
  return REAL(draw_few)(ctx, count);
}
bool dpt_draw_bit(dpt_ctx *ctx) {
  ASK(BIT, 0, 0);
  return REAL(dpt_draw_bit)(ctx);
}
uint64_t dpt_draw_below(dpt_ctx *ctx, uint64_t bound) {
  ASK(BELOW, bound, 0);
  return REAL(dpt_draw_below)(ctx, bound);
}
bool bernoulli_ratio(dpt_ctx *ctx, dpt_wide above, dpt_wide below) {
  ASK(RATIO, above, below);
  return REAL(bernoulli_ratio)(ctx, above, below);
}
bool dpt_draw_bernoulli(dpt_ctx *ctx, double p) {
  ASK(BERNOULLI, bits_of(p), 0);
  return REAL(dpt_draw_bernoulli)(ctx, p);
}
bool bernoulli_exp_minus_one(dpt_ctx *ctx) {
  ASK(UNIT, 0, 0);
  return REAL(bernoulli_exp_minus_one)(ctx);
}
bool dpt_draw_bernoulli_exp_ratio(dpt_ctx *ctx, dpt_wide above, dpt_wide below) {
  ASK(EXP, above, below);
  return REAL(dpt_draw_bernoulli_exp_ratio)(ctx, above, below);
}
int64_t dpt_draw_discrete_laplace(dpt_ctx *ctx, dpt_dyadic scale) {
  ASK(LAPLACE, scale.mantissa, scale.exponent);
  return REAL(dpt_draw_discrete_laplace)(ctx, scale);
}
bool dpt_rounded_normal_coin(dpt_ctx *ctx, dpt_rounded_normal *sampler, uint64_t point, uint64_t cell, int64_t shift) {
  ASK(COIN, (dpt_wide) point << 64 | cell, shift);
  return REAL(dpt_rounded_normal_coin)(ctx, sampler, point, cell, shift);
}
uint64_t dpt_rounded_normal_cell(dpt_ctx *ctx, dpt_rounded_normal *sampler) {
  ASK(CELL, 0, 0);
  return REAL(dpt_rounded_normal_cell)(ctx, sampler);
}
/* A number must be new when the first coin about it is drawn. So questions have the number of its limbs, and a coin
 * that is asked counts as one limb. */
bool fraction_coin(dpt_ctx *ctx, dpt_rounded_normal *sampler, uint64_t cell, uint64_t bound) {
  ASK(FRACTION, (dpt_wide) cell << 64 | bound, sampler->y.whole == cell ? sampler->y.count++ : 99);
  return REAL(fraction_coin)(ctx, sampler, cell, bound);
}
void dpt_rounded_normal_variate(dpt_ctx *ctx, dpt_rounded_normal *sampler) {
  if (is_asked(VARIATE)) {
    answer(VARIATE, 0, 0);
  } else {
    REAL(dpt_rounded_normal_variate)(ctx, sampler);
  }
}
/* The answer is the size, or -1 if the bits do not decide. */
bool dpt_rounded_normal_round(dpt_ctx *ctx, dpt_rounded_normal *sampler, double scale, int64_t places, bool wide,
                              int64_t *size) {
  if (!is_asked(ROUND)) return REAL(dpt_rounded_normal_round)(ctx, sampler, scale, places, wide, size);
  *size = answer(ROUND, bits_of(scale), places);
  return *size >= 0;
}
uint16_t draw_limb(dpt_ctx *ctx, dpt_variate_source *source) {
  if (is_asked(LIMB)) return (uint16_t) answer(LIMB, 0, 0);
  return REAL(draw_limb)(ctx, source);
}
/* The next step of a descent must be compared with the lowest number so far, and only the third scratch number with
 * the start. */
bool dpt_variate_draw_below(dpt_ctx *ctx, dpt_variate_source *source, dpt_variate *fresh, dpt_variate *x) {
  if (!is_asked(STEP)) return REAL(dpt_variate_draw_below)(ctx, source, fresh, x);
  if (fresh == &source->c && x == start) return answer(NEW, 0, 0);
  if (x != lowest || fresh == x || (fresh != &source->a && fresh != &source->b)) answer(FAULT, 0, 0);
  const bool is_below = answer(STEP, 0, 0);
  if (is_below) lowest = fresh;
  return is_below;
}
bool has_even_descent(dpt_ctx *ctx, dpt_variate_source *source, dpt_variate *x) {
  ASK(DESCENT, x == &source->c, x->count++);
  return REAL(has_even_descent)(ctx, source, x);
}
bool half_coin(dpt_ctx *ctx, dpt_variate_source *source) {
  ASK(HALF, 0, 0);
  return REAL(half_coin)(ctx, source);
}
bool step_coin(dpt_ctx *ctx, dpt_variate_source *source, uint64_t k, dpt_variate *x) {
  ASK(STEP_COIN, k, x->count++);
  return REAL(step_coin)(ctx, source, k, x);
}

/* ---- one run ---------------------------------------------------------------------------------------------------- */

/* Arguments of a sampler; each uses some of them. law.py has the same struct. */
typedef struct {
  double scale;                /* or rate, or probability, or x */
  uint64_t above[2], below[2]; /* of a fraction, the lower half first */
  uint64_t mantissa, bound, cell, point;
  int64_t exponent, shift, places, wide, count;
  const double *score;
  uint16_t limb[16]; /* of the number that is compared, or rounded */
} arguments;

static dpt_wide wide_of(const uint64_t *half) { return (dpt_wide) half[1] << 64 | half[0]; }

static void hold(dpt_variate *x, const arguments *given) {
  enum { ROOM = 16 };
  x->limb = dpt_alloc(NULL, ROOM, sizeof *x->limb);
  memcpy(x->limb, given->limb, ROOM * sizeof *x->limb);
  x->whole = given->cell;
  x->count = given->count;
  x->room = ROOM;
  start = lowest = x;
}

static int64_t draw(const char *sampler, const arguments *given) {
  dpt_ctx *ctx = NULL;
  const dpt_dyadic scale = {given->mantissa, (int) given->exponent};
  int64_t size = 0;
#define IS(name) (strcmp(sampler, name) == 0)
  if (IS("below")) return (int64_t) dpt_draw_below(ctx, given->bound);
  if (IS("ratio")) return bernoulli_ratio(ctx, wide_of(given->above), wide_of(given->below));
  if (IS("bernoulli")) return dpt_draw_bernoulli(ctx, given->scale);
  if (IS("unit")) return bernoulli_exp_minus_one(ctx);
  if (IS("exp")) return dpt_draw_bernoulli_exp(ctx, given->scale);
  if (IS("exp ratio")) return dpt_draw_bernoulli_exp_ratio(ctx, wide_of(given->above), wide_of(given->below));
  if (IS("Laplace")) return dpt_draw_discrete_laplace(ctx, scale);
  if (IS("Gaussian")) return dpt_draw_discrete_gaussian(ctx, scale);
  if (IS("choice")) return dpt_draw_choice(ctx, given->score, given->count, given->scale);
  if (IS("coin")) return dpt_rounded_normal_coin(ctx, &own, given->point, given->cell, given->shift);
  if (IS("cell")) return (int64_t) dpt_rounded_normal_cell(ctx, &own);
  if (IS("rounded normal")) return dpt_draw_rounded_normal(ctx, &own, given->scale);
  if (IS("exponential") || IS("normal")) {
    start = lowest = &held;
    if (IS("normal")) {
      dpt_draw_exact_normal(ctx, &limbs, &held);
    } else {
      dpt_draw_exponential(ctx, &limbs, &held);
    }
    return held.negative ? -1 - (int64_t) held.whole : (int64_t) held.whole;
  }
  if (IS("half")) return half_coin(ctx, &limbs);
  if (IS("variate")) {
    dpt_rounded_normal_variate(ctx, &own);
    return (int64_t) own.y.whole;
  }
  if (IS("fraction") || IS("round")) {
    hold(&own.y, given);
    if (IS("fraction")) return fraction_coin(ctx, &own, given->cell, given->bound);
    return dpt_rounded_normal_round(ctx, &own, given->scale, given->places, given->wide, &size) ? size : -1;
  }
  hold(&held, given);
  if (IS("less")) return dpt_variate_draw_below(ctx, &limbs, &limbs.a, &held);
  if (IS("descent")) return has_even_descent(ctx, &limbs, &held);
  if (IS("step")) return step_coin(ctx, &limbs, given->cell, &held);
  abort();
}

/* Ranges of cells: the first point of each entry, and the first that is not sure. */
void ranges(uint64_t *first, uint64_t *sure) {
  dpt_rounded_normal_open(NULL, &own, 0);
  memcpy(first, own.first, sizeof own.first);
  memcpy(sure, own.sure, sizeof own.sure);
}

/* Returns 1 and the value, or 0 and the question that the tape does not answer, or 2 if the tape is too long. */
int run(const char *sampler, const arguments *given, uint64_t asked, const int64_t *answers, int count, int64_t *value,
        uint64_t *next) {
  static bool is_open;
  if (!is_open) ranges((uint64_t[DPT_NORMAL_CELLS + 2]){0}, (uint64_t[DPT_NORMAL_CELLS + 2]){0});
  is_open = true;
  asked_kinds = asked;
  tape = answers;
  length = count;
  at = 0;
  used = 0;
  dpt_rounded_normal fresh = own;
  fresh.source = (dpt_variate_source){0};
  fresh.y = (dpt_variate){0};
  fresh.one = fresh.low = fresh.high = fresh.factor = fresh.product = (dpt_long){0};
  dpt_long_set(NULL, &fresh.one, 1);
  own = fresh;
  held = (dpt_variate){0};
  limbs = (dpt_variate_source){0};
  if (setjmp(out)) {
    memcpy(next, question, sizeof question);
    return 0;
  }
  *value = draw(sampler, given);
  return at == count ? 1 : 2;
}
