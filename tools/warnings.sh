#!/bin/sh
# Compiles every C file with every warning as an error: by gcc and by clang-16, as C11 and as C23 (which only a recent
# clang takes seriously), with OpenMP and without (as on a Mac), the core without R's headers in reach but for the one
# file that wraps BLAS and LAPACK. What the optimizer warns of depends on neither: it is asked once.
set -eu
cd "$(dirname "$0")/../src"

warnings="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
common="$warnings -O2 -DUSE_FC_LEN_T -Icore"
with_r="-I$(R RHOME)/include $(R CMD config --cppflags) -DR_NO_REMAP -DSTRICT_R_HEADERS"

failed=0

# compile COMPILER FLAGS...: every file.
compile() {
  echo "$*"
  printf '%s\n' core/*.c | grep -v /base-linear | xargs -P 2 -n 1 "$@" $common || failed=1
  printf '%s\n' ./*.c core/base-linear.c | xargs -P 2 -n 1 "$@" $common $with_r || failed=1
}

for compiler in gcc clang-16; do
  compile $compiler -std=c11 -fopenmp -c -o /dev/null
  compile $compiler -std=c2x -fopenmp -fsyntax-only
  compile $compiler -std=c11 -fsyntax-only
done
exit $failed
