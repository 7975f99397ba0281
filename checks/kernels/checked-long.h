/* checked-long.h - numbers of base-long.h with any limbs, in room that suffices: to ask for more is a fault. */
void dpt_tick(dpt_ctx *ctx, int64_t units) {}

void *dpt_alloc(dpt_ctx *ctx, ptrdiff_t count, size_t size) {
  assert(!"asked for room");
  given(false);
  return NULL;
}

enum { ROOM = 6 };

static uint64_t room[4][ROOM];

static dpt_long any_long(int place, int count) {
  dpt_long x = {room[place], count, ROOM};
  for (int i = 0; i < count; i++) room[place][i] = nondet_u64();
  if (count) given(x.limb[count - 1]);
  return x;
}

static u256 value(const dpt_long *x) {
  u256 sum = 0;
  for (int i = 3; i >= 0; i--) sum = sum << 64 | (i < x->count ? x->limb[i] : 0);
  return sum;
}

static bool is_trimmed(const dpt_long *x) {
  return x->count == 0 || (x->count > 0 && x->count <= x->room && x->limb[x->count - 1]);
}
