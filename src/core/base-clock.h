/* base-clock.h - seconds by a clock that nothing sets back. */
#ifndef DPT_BASE_CLOCK_H
#define DPT_BASE_CLOCK_H

/* From some moment on: of two readings the difference counts. */
double dpt_seconds(void);

#endif
