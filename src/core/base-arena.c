/* base-arena.c - a chain of blocks from malloc. A request takes the next bytes of the newest block.
 *
 * Requests are rounded to 64 bytes, so that every array starts on a cache line. A request larger than a quarter of a
 * block gets a block of its own size, so that one large array never wastes a block. An arena hides overruns from
 * valgrind and the sanitizers. Built with -DDPT_ARENA_CHECKED, every request is its own block and ends exactly at
 * the end of this block. Arrays then start at odd multiples of 16 bytes. A kernel that reads longer vectors as if
 * they were aligned therefore fails each time, not only if malloc happens to return such an address. */
#include "base-arena.h"

#include <stdint.h>
#include <stdlib.h>

enum { ALIGNMENT = 64, BLOCK_BYTES = 1 << 18 };

struct dpt_arena_block {
  dpt_arena_block *previous;
  size_t used_before; /* bytes taken from the previous block when this one was opened */
  size_t capacity;
  unsigned char *memory; /* aligned start */
};

#ifdef DPT_ARENA_CHECKED
enum { START = sizeof(dpt_arena_block) + 16, OVERHEAD = START };
_Static_assert(START % 32 == 16, "memory starts at an odd multiple of 16");

static dpt_arena_block *new_block(size_t bytes) {
  void *block;
  return posix_memalign(&block, ALIGNMENT, bytes) == 0 ? block : NULL;
}

static unsigned char *start_of(dpt_arena_block *block) { return (unsigned char *) block + START; }
#else
enum { OVERHEAD = sizeof(dpt_arena_block) + ALIGNMENT };

static dpt_arena_block *new_block(size_t bytes) { return malloc(bytes); }

static unsigned char *start_of(dpt_arena_block *block) {
  const uintptr_t start = (uintptr_t) (block + 1);
  return (unsigned char *) ((start + ALIGNMENT - 1) & ~(uintptr_t) (ALIGNMENT - 1));
}
#endif

static long live_blocks = 0;

long dpt_arena_live(void) { return live_blocks; }

void dpt_arena_init(dpt_arena *arena) {
  arena->last = NULL;
  arena->used = 0;
}

static int open_block(dpt_arena *arena, size_t capacity) {
  if (capacity > SIZE_MAX - OVERHEAD) return 0;
  dpt_arena_block *block = new_block(capacity + OVERHEAD);
  if (!block) return 0;
  block->memory = start_of(block);
  block->previous = arena->last;
  block->used_before = arena->used;
  block->capacity = capacity;
  arena->last = block;
  arena->used = 0;
  live_blocks++;
  return 1;
}

static void close_block(dpt_arena *arena) {
  dpt_arena_block *block = arena->last;
  arena->last = block->previous;
  arena->used = block->used_before;
  free(block);
  live_blocks--;
}

void *dpt_arena_alloc(dpt_arena *arena, size_t bytes) {
  if (bytes > SIZE_MAX - ALIGNMENT) return NULL;
#ifdef DPT_ARENA_CHECKED
  /* The block holds exactly the requested bytes, so that the next byte is out of bounds. */
  size_t rounded = bytes ? bytes : 1;
  if (!open_block(arena, rounded)) return NULL;
#else
  size_t rounded = bytes ? (bytes + ALIGNMENT - 1) & ~(size_t) (ALIGNMENT - 1) : ALIGNMENT;
  if (!arena->last || arena->last->capacity - arena->used < rounded) {
    size_t capacity = rounded > BLOCK_BYTES / 4 ? rounded : BLOCK_BYTES;
    if (!open_block(arena, capacity)) return NULL;
  }
#endif
  void *memory = arena->last->memory + arena->used;
  arena->used += rounded;
  return memory;
}

dpt_arena_mark dpt_arena_here(const dpt_arena *arena) {
  dpt_arena_mark mark = {arena->last, arena->used};
  return mark;
}

void dpt_arena_release(dpt_arena *arena, dpt_arena_mark mark) {
  while (arena->last != mark.block) close_block(arena);
  arena->used = mark.used;
}

void dpt_arena_close(dpt_arena *arena) {
  while (arena->last) close_block(arena);
  arena->used = 0;
}
