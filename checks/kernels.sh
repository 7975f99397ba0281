#!/bin/bash
# Checks kernels of src/core for all inputs with CBMC, a bounded model checker:
#
#   checks/kernels.sh [HARNESS...]   all harnesses, or those named
#
# A harness is a C file of checks/kernels that includes the unchanged file of a kernel. Its first comment says what is
# shown for which inputs, and has lines
#
#   flags: WORDS          for cbmc, and -D... for the compiler
#   each: WORDS           one run for each of these -D... (-D...,-D... for two at once; by default, one run)
#   replace: FROM TO      calls of FROM become calls of the harness's TO
#   mutant: COMMAND       of sed, which plants a fault into the kernel or its header
#
# The kernel as it is must pass every run, and each mutant must fail one of them. Otherwise the exit status is 1. A run
# has KERNEL_SECONDS of the processor (by default 60). If this machine has no CBMC, the only line says so, and the exit
# status is 77.
cd "$(dirname "$0")/kernels" || exit 1
command -v cbmc >/dev/null || {
  echo "kernels: skipped, no cbmc (tools/newest.sh kernels)"
  exit 77
}
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
limit=${KERNEL_SECONDS:-60}
TIMEFORMAT='%U'

# head_of WORD HARNESS: the texts of the lines "WORD: TEXT" of its first comment.
head_of() { sed -n "/\*\//q;s/^ \* $1: //p" "$2.c"; }

solve() { (ulimit -t "$limit" && exec cbmc "$room/goto" "$@" --trace --compact-trace >"$room/log" 2>&1) 2>/dev/null; }

# check HARNESS CORE DEFINE: the verdict in `verdict`, the seconds in `seconds`.
check() {
  local words defines=() flags=() from to
  words=$(head_of flags "$1")
  for word in $words ${3//,/ }; do
    case $word in -D*) defines+=("$word") ;; *) flags+=("$word") ;; esac
  done
  verdict="does not compile" seconds=0
  goto-cc -std=c11 "${defines[@]}" -I "$2" -I . "$1.c" -o "$room/goto" >"$room/log" 2>&1 || return
  while read -r from to; do
    [ -z "$from" ] || goto-instrument --replace-calls "$from:$to" "$room/goto" "$room/goto" >>"$room/log" 2>&1
  done < <(head_of replace "$1")
  seconds=$({ time solve "${flags[@]}"; } 2>&1)
  verdict=$(sed -n 's/^VERIFICATION //p' "$room/log" | tail -n 1)
  verdict=${verdict:-no answer}
}

add() { awk "BEGIN { print $1 + $2 }"; }

status=0
[ $# -gt 0 ] || set -- $(ls ./*.c | sed 's/^..//; s/\.c$//')
for harness; do
  each=$(head_of each "$harness")
  total=0 bad=
  for define in ${each:--DONCE}; do
    check "$harness" ../../src/core "$define"
    total=$(add "$total" "$seconds")
    [ "$verdict" = SUCCESSFUL ] || bad="$bad $define: $verdict $(grep -m 3 ': FAILURE$' "$room/log" | tr '\n' ' ')"
  done
  kernel=$(sed -n 's/^#include "\([a-z0-9-]*\.[ch]\)"$/\1/p' "$harness.c" | grep -v '^checked' | head -n 1)
  mutants=0 refuted=0 spent=0 alive=
  while IFS= read -r change; do
    mutants=$((mutants + 1))
    rm -rf "$room/core"
    cp -r ../../src/core "$room/core"
    sed -i "$change" "$room/core/${kernel%.?}".[ch]
    if diff -rq ../../src/core "$room/core" >/dev/null; then
      alive="$alive; mutant $mutants changes nothing"
      continue
    fi
    for define in ${each:--DONCE}; do
      check "$harness" "$room/core" "$define"
      spent=$(add "$spent" "$seconds")
      [ "$verdict" != FAILED ] || break
    done
    if [ "$verdict" = FAILED ]; then refuted=$((refuted + 1)); else alive="$alive; mutant $mutants: $verdict"; fi
  done < <(head_of mutant "$harness")
  [ -z "$bad$alive" ] && [ "$mutants" -gt 1 ] || status=1
  printf '%-18s %-26s %6.1f s  %d of %d mutants refuted, %.1f s%s\n' "$harness" "$kernel" "$total" \
    "$refuted" "$mutants" "$spent" "${bad:+; FAILS:$bad}$alive"
done
exit $status
