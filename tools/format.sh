#!/bin/sh
# The C files have the format of .clang-format, but for the generated ones:
#
#   tools/format.sh check   fails, and shows where it differs
#   tools/format.sh apply   rewrites them
#
# Each version of clang-format writes a little differently, so one is named here: Debian's 14.
set -eu
cd "$(dirname "$0")/../src"

mode=${1:?usage: tools/format.sh check|apply}
files=$(printf '%s\n' ./*.[ch] core/*.[ch] | grep -vxE '\./(init\.c|ffi\.h)')
case $mode in
  apply) clang-format-14 --style=file -i $files ;;
  check)
    clang-format-14 --style=file --dry-run --Werror $files || {
      echo "run sh tools/format.sh apply" >&2
      exit 1
    }
    ;;
  *) echo "tools/format.sh: no such mode: $mode" >&2; exit 2 ;;
esac
