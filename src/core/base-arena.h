/* base-arena.h - all scratch memory of one call, freed in one stroke however the call ends. */
#ifndef DPT_BASE_ARENA_H
#define DPT_BASE_ARENA_H

#include <stddef.h>

typedef struct dpt_arena_block dpt_arena_block;

typedef struct {
  dpt_arena_block *last; /* newest block first */
  size_t used;           /* bytes taken from it */
} dpt_arena;

/* A place to come back to: everything allocated after the mark is freed by dpt_arena_release(). */
typedef struct {
  dpt_arena_block *block;
  size_t used;
} dpt_arena_mark;

void dpt_arena_init(dpt_arena *arena);
void *dpt_arena_alloc(dpt_arena *arena, size_t bytes); /* NULL if the system has none */
dpt_arena_mark dpt_arena_here(const dpt_arena *arena);
void dpt_arena_release(dpt_arena *arena, dpt_arena_mark mark);
void dpt_arena_close(dpt_arena *arena);

/* Blocks alive in the whole process: zero between calls, or something leaked. For the tests. */
long dpt_arena_live(void);

#endif
