# Stages of a ring of checks, for scripts that read this file (`. tools/stages.sh`): .ci/run and tools/check.sh. Each
# stage is a script that runs alone as well. The end of the log says which stages and tests failed, and the first
# message of each, since it may be all one sees; the last line is the count of tests and stages.
set -u

log=$(mktemp)
aside=$(mktemp -d)
# What runs beside is a group of its own, with all that it started.
trap 'rm -rf "$log" "$aside"; for job in $(jobs -p); do kill -- "-$job" 2>/dev/null; done' EXIT
# Threads that wait for others give their core to the stage that runs beside them.
export OMP_WAIT_POLICY=passive
passed=0 failed=0 skipped=0 failures=() reasons= not_run=()
stage_limit=${stage_limit:-2700} # seconds

# timed COMMAND...: runs it; a hang is a failure. Its last line is how long the processors were busy with it.
TIMEFORMAT='=== %U s of processors'
timed() { { time timeout "$stage_limit" "$@" 2>&1; } 2>&1; }

# What the log of a stage says of its failures: the tests with their messages, or the first error, or its last lines.
first_failures() {
  local found
  found=$(sed -n '/^Failed:$/,/^$/p' "$log" | sed '1d; /^$/d' | head -n 8)
  local signs='AddressSanitizer|runtime error|^Error|[^a-z]error:|ended with status|not clean'
  [ -n "$found" ] || found=$(grep -a -A 2 -E "$signs" "$log" | grep -v '^===' | head -n 4)
  [ -n "$found" ] || found=$(grep -a -v '^===' "$log" | tail -n 4)
  cut -c 1-140 <<<"$found"
}

# stage NAME COMMAND...: runs it, and prints its result and its time. The exit status 77 of a command is "skipped": its
# last line gives the reason.
stage() {
  local name=$1 started=$SECONDS verdict=passed status
  shift
  printf '\n=== %s\n' "$name"
  timed "$@" | tee "$log"
  status=${PIPESTATUS[0]}
  if [ "$status" -eq 77 ]; then
    verdict=skipped
    not_run+=("$name: $(grep -a -v '^===' "$log" | tail -n 1 | cut -c 1-140)")
  elif [ "$status" -ne 0 ]; then
    verdict=FAILED
    failures+=("$name")
    reasons+="$name:"$'\n'"$(first_failures)"$'\n'
  fi
  printf '=== %s: %s, %d s\n' "$name" "$verdict" $((SECONDS - started))
  return "$status"
}

# wanted NAME: whether STAGES, a regular expression for names of stages, is empty or matches.
matched=0
wanted() {
  [[ $1 =~ ${STAGES:-} ]] || return
  matched=$((matched + 1))
}

# A stage that counts as one.
check() {
  wanted "$1" || return
  stage "$@"
  case $? in
    0) passed=$((passed + 1)) ;;
    77) skipped=$((skipped + 1)) ;;
    *) failed=$((failed + 1)) ;;
  esac
}

# beside NAME COMMAND...: begins to run it in the background; `finish` waits for it and shows what it said.
beside() {
  local name=$1
  wanted "$name" || return
  shift
  set -m
  {
    timed "$@" >"$aside/$name.log"
    echo $? >"$aside/$name.status"
  } &
  set +m
}

# finish NAME: a stage that counts as one, and was begun by `beside`.
finish() {
  check "$1" sh -c 'while [ ! -s "$0.status" ]; do sleep 1; done; cat "$0.log"; exit "$(cat "$0.status")"' "$aside/$1"
}

# A stage that ends with a count of its own.
tests() {
  local status=0 count p=0 f=0 s=0
  wanted "$1" || return
  stage "$@" || status=$?
  count=$(tail -n 3 "$log" | grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$')
  [ -z "$count" ] || read -r p f s < <(tr -dc '0-9 ' <<<"$count")
  # a failure that the count does not know
  if [ $status -eq 77 ]; then s=1; elif [ $status -ne 0 ] && [ "$f" -eq 0 ]; then f=1; fi
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

# coverage_said: keeps the lines of the last stage that say what was covered.
coverage=
coverage_said() { coverage+=$(grep -a '^Coverage of' "$log" || true)$'\n'; }

# The end of the log, and of the script.
conclude() {
  printf '\n%s%d s in all\n' "$coverage" $SECONDS
  if [ $matched -eq 0 ]; then
    failures+=("no stage has a name like STAGES")
    failed=$((failed + 1))
  fi
  # about what one sees of a log: the names of all stages that failed, and as many reasons as there is room for
  [ ${#not_run[@]} -eq 0 ] || printf 'SKIPPED: %s\n' "${not_run[@]}"
  [ -z "$reasons" ] || printf '\nWhat failed first:\n%s\n' "$(head -c 1500 <<<"$reasons")"
  [ ${#failures[@]} -eq 0 ] || printf 'FAILED: %s\n' "${failures[@]}"
  printf '%d passed, %d failed, %d skipped\n' $passed $failed $skipped
  [ $failed -eq 0 ]
}
