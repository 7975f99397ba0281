/* base-arena.h - all scratch memory of one call, freed at once however the call ends. */
#ifndef DPT_BASE_ARENA_H
#define DPT_BASE_ARENA_H

#include <stddef.h>

typedef struct dpt_arena_block dpt_arena_block;

typedef struct {
  dpt_arena_block *last; /* newest block first */
  size_t used;           /* bytes taken from it */
} dpt_arena;

/* A position to return to: dpt_arena_release() frees everything allocated after the mark. */
typedef struct {
  dpt_arena_block *block;
  size_t used;
} dpt_arena_mark;

void dpt_arena_init(dpt_arena *arena);
void *dpt_arena_alloc(dpt_arena *arena, size_t bytes); /* NULL if the system has none */
dpt_arena_mark dpt_arena_here(const dpt_arena *arena);
void dpt_arena_release(dpt_arena *arena, dpt_arena_mark mark);
void dpt_arena_close(dpt_arena *arena);

/* Number of blocks alive in the whole process, for the tests. If it is not zero between calls, something leaked. */
long dpt_arena_live(void);

#endif
