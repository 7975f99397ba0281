#!/bin/sh
# Compiles every C file with every warning as an error: by gcc and by clang-16, as C11 and as C23 (which only a recent
# clang takes seriously), the core without R's headers in reach but for the one file that wraps BLAS and LAPACK. What the
# optimizer warns of does not depend on the standard: it is asked once.
set -eu
cd "$(dirname "$0")/../src"

warnings="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
common="$warnings -O2 -fopenmp -DUSE_FC_LEN_T -Icore"
with_r="-I$(R RHOME)/include $(R CMD config --cppflags) -DR_NO_REMAP -DSTRICT_R_HEADERS"

failed=0
for compiler in gcc clang-16; do
  for standard in c11 c2x; do
    echo "$compiler -std=$standard"
    [ $standard = c11 ] && how='-c -o /dev/null' || how=-fsyntax-only
    printf '%s\n' core/*.c | grep -v /base-linear |
      xargs -P 2 -n 1 "$compiler" -std=$standard $common $how || failed=1
    printf '%s\n' ./*.c core/base-linear.c |
      xargs -P 2 -n 1 "$compiler" -std=$standard $common $with_r $how || failed=1
  done
done
exit $failed
