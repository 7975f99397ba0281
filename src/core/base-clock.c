/* base-clock.c - seconds that do not depend on the system's date. If somebody sets the date back or forward, a wait
 * neither lasts an hour nor ends early. */
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
