#!/bin/sh
# What the library asks R for is in R's C interface: every symbol that its objects leave undefined and that R's library
# defines is documented as API (tools/r-interface.txt). R CMD check says so as well, but an old R by an old list.
set -eu
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
compile() { gcc -std=c11 -fopenmp -DR_NO_REMAP -DUSE_FC_LEN_T -Isrc/core $(R CMD config --cppflags) -c "$1" -o "$folder/$2.o"; }

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
compile "$folder/probe.c" probe
[ "$(outside "$folder/probe.o")" = OBJECT ] || { echo "OBJECT() is no API, and was not found" >&2; exit 1; }
rm "$folder/probe.o"

for file in src/*.c src/core/*.c; do compile "$file" "$(basename "$file" .c)-$(basename "$(dirname "$file")")"; done
used=$(outside "$folder"/*.o)
[ -z "$used" ] || printf 'not in the C interface of R (tools/r-interface.txt):\n%s\n' "$used" >&2
[ -z "$used" ]
