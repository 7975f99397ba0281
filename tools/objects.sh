#!/bin/sh
# The objects that src/Makevars lists by hand are those of the .c files in the tree.
set -eu
cd "$(dirname "$0")/../src"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf '%s\n' ./*.c core/*.c | sed 's|^\./||; s|\.c$|.o|' | sort >"$folder/tree"
# Lists go on after a backslash at the end of a line.
sed -e ':more' -e '/\\$/{N;s/\\\n/ /;b more' -e '}' Makevars | sed -nE 's/^(CORE|FFI) *=//p' | tr -s ' \t' '\n' |
  sed '/^$/d' | sort >"$folder/listed"
diff "$folder/listed" "$folder/tree" >"$folder/difference" || {
  echo "src/Makevars (<) and the .c files in src (>) differ:" >&2
  grep '^[<>]' "$folder/difference" >&2
  exit 1
}
