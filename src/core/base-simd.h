/* base-simd.h - loops that are vectors if the compiler supports OpenMP, and plain loops otherwise. */
#ifndef DPT_BASE_SIMD_H
#define DPT_BASE_SIMD_H

#ifdef _OPENMP
#define DPT_SIMD(clause) _Pragma(clause)
#else
#define DPT_SIMD(clause)
#endif

#endif
