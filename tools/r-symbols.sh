#!/bin/sh
# What the library asks R for is in R's C interface: every symbol that its objects leave undefined and that R's library
# defines is documented as API (tools/r-interface.txt). R CMD check says so as well, but an old R by an old list.
set -eu
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# compile: the files named on the standard input.
compile() {
  xargs -P 2 -I '{}' sh -c '
    file=$1; shift; exec gcc -std=c11 -fopenmp -DR_NO_REMAP -DUSE_FC_LEN_T -Isrc/core "$@" \
      -c "$file" -o "$0/$(basename "$(dirname "$file")")-$(basename "$file" .c).o"' \
    "$folder" '{}' $(R CMD config --cppflags)
}

# outside OBJECT...: the symbols of R that these objects ask for and that are no API.
outside() {
  nm -u "$@" | awk 'NF == 2 {print $2}' | sort -u | comm -12 - "$folder/of-r" | comm -23 - "$folder/interface"
}

sed -e '/^#/d; s/.*=//' tools/r-interface.txt | sort -u >"$folder/interface"
{
  nm -D --defined-only "$(R RHOME)/lib/libR.so" | awk '{print $3}'
  echo OBJECT # whether or not this R still has it: see below
} | sort -u >"$folder/of-r"

# A stage that finds nothing may be blind: it has to find this one.
echo 'int OBJECT(void *); int probe(void *x) { return OBJECT(x); }' >"$folder/probe.c"
echo "$folder/probe.c" | compile
[ "$(outside "$folder"/*-probe.o)" = OBJECT ] || { echo "OBJECT() is no API, and was not found" >&2; exit 1; }
rm "$folder"/*-probe.o

printf '%s\n' src/*.c src/core/*.c | compile
used=$(outside "$folder"/*.o)
[ -z "$used" ] || printf 'not in the C interface of R (tools/r-interface.txt):\n%s\n' "$used" >&2
[ -z "$used" ]
