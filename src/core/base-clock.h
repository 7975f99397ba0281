/* base-clock.h - seconds by a monotonic clock. */
#ifndef DPT_BASE_CLOCK_H
#define DPT_BASE_CLOCK_H

/* Seconds since an unspecified moment. Only differences of two readings have a meaning. */
double dpt_seconds(void);

#endif
