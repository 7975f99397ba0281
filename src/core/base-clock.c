/* base-clock.c - seconds that go on whatever is done to the date of the system: who waits until then does not wait for
 * an hour because a clock was set back, nor end early because one was set on. */
#if !defined(_WIN32) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* clock_gettime() under a strict -std */
#endif
#include "base-clock.h"

#if defined(_WIN32)
#include <windows.h>
#else
#include <time.h>
#endif

double dpt_seconds(void) {
#if defined(_WIN32)
  LARGE_INTEGER now, second;
  QueryPerformanceCounter(&now);
  QueryPerformanceFrequency(&second);
  return (double) now.QuadPart / (double) second.QuadPart;
#else
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
#endif
}
