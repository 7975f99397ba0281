#!/bin/sh
# The core knows no R: no file of src/core includes a header of R other than those of BLAS and LAPACK, and none of its
# objects asks for a symbol that R's library defines.
set -eu
cd "$(dirname "$0")/.."

included=$(grep -nE '^ *# *include *[<"](R|Rmath|Rinternals|Rdefines|Rversion|R_ext/[A-Za-z]*)\.h' src/core/*.[ch] |
  grep -vE 'R_ext/(BLAS|Lapack)\.h') || true

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf '%s\n' src/core/*.c | xargs -P 2 -I '{}' sh -c '
  file=$1; shift; exec gcc -std=c11 -fopenmp -DUSE_FC_LEN_T "$@" -c "$file" -o "$0/$(basename "$file" .c).o"' \
  "$folder" '{}' $(R CMD config --cppflags)
nm -D --defined-only "$(R RHOME)/lib/libR.so" | awk '{print $3}' | sort -u >"$folder/of-r"
nm -u "$folder"/*.o | awk 'NF == 2 {print $2}' | sort -u >"$folder/wanted"
used=$(comm -12 "$folder/wanted" "$folder/of-r")

[ -z "$included$used" ] || printf 'src/core uses R:\n%s\n%s\n' "$included" "$used" >&2
[ -z "$included$used" ]
