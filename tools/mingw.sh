#!/bin/sh
# Compiles every C file for Windows by Debian's cross compiler, with the warnings of tools/warnings.sh as errors, and
# links the DLL: a branch of #ifdef _WIN32, or a function that Windows has not, is seen without a Windows machine.
#
# R's headers are those of this machine, and so are its names: import libraries of R, BLAS and LAPACK are made from the
# symbols of the shared ones here. -Wfloat-conversion is left to tools/warnings.sh: isfinite() of these headers has a
# branch for floats that converts a double.
set -eu
cd "$(dirname "$0")/../src"

compiler=x86_64-w64-mingw32-gcc
warnings="-Wall -Wextra -Wpedantic -Wconversion -Wno-float-conversion -Wshadow -Werror"
common="$warnings -O2 -fopenmp -DUSE_FC_LEN_T -Icore"
with_r="$(R CMD config --cppflags) -DR_NO_REMAP -DSTRICT_R_HEADERS"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# compile FLAG...: the files named on the standard input; an object is named after its file.
compile() {
  xargs -P 2 -I '{}' sh -c 'file=$1; shift; "$@" -c "$file" -o "$0/$(basename "$file" .c).o"' \
    "$folder" '{}' $compiler "$@"
}

failed=0
for standard in c2x c11; do
  echo "$compiler -std=$standard"
  [ $standard = c11 ] && how= || how=-fsyntax-only # the optimizer warns of the same
  printf '%s\n' core/*.c | grep -v /base-linear.c | compile -std=$standard $common $how || failed=1
  printf '%s\n' ./*.c core/base-linear.c | compile -std=$standard $common $with_r $how || failed=1
done
[ $failed -eq 0 ] || exit 1

echo "linking"
# import NAME LIBRARY: an import library of all that a shared library of this machine defines.
import() {
  { echo EXPORTS; nm -D --defined-only "$2" | awk '{sub(/@.*/, "", $3); print $3}' | sort -u; } >"$folder/$1.def"
  x86_64-w64-mingw32-dlltool -d "$folder/$1.def" -D "$1.dll" -l "$folder/lib$1.a"
}
shared_library() {
  ldd "$(R RHOME)/lib/libR.so" "$(R RHOME)/modules/lapack.so" | awk "/lib(R)?$1[.]/ {print \$3; exit}"
}
import R "$(R RHOME)/lib/libR.so"
import Rblas "$(shared_library blas)"
import Rlapack "$(shared_library lapack)"
system_libs=$(sed -n 's/^SYSTEM_LIBS *= *//p' Makevars.win)
$compiler -shared -fopenmp -o "$folder/dptda.dll" "$folder"/*.o -L"$folder" -lRlapack -lRblas -lR $system_libs
