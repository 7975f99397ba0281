#!/bin/sh
# Checks the samplers by what they draw for given random bits:
#
#   checks/laws.sh             all of it
#   checks/laws.sh laws        compares their exact laws with the proofs (laws/law.py), or those of LAYER='discrete'
#   checks/laws.sh lies        lets the laws refute each change of laws/lies.txt
#   checks/laws.sh vectors     compares them with a second program, on the same words (laws/vectors.py)
#   checks/laws.sh write       writes tests/testthat/noise-vectors.csv again
#
# Needs python3 and gcc. Without them the exit status is 77: skipped, which is not the same as passed.
set -eu
cd "$(dirname "$0")/laws"

for program in python3 gcc; do
  command -v $program >/dev/null || {
    echo "laws: skipped, no $program"
    exit 77
  }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
core=../../src/core
kernels="base-draws base-long privacy-noise privacy-choice privacy-variate privacy-rounded-normal"

# compile CORE KERNEL...: objects in which `static` functions are visible, so that layers.c can stand in for them
compile() {
  from=$1
  shift
  for kernel in "$@"; do
    gcc -std=gnu11 -fPIC -Dstatic= "-Dinline=__attribute__((weak))" -I "$core" -c "$from/$kernel.c" \
      -o "$folder/$kernel.o"
  done
}
link() {
  (
    cd "$folder"
    gcc -shared $(printf '%s.o ' $kernels) -lm -o kernels.so
  )
  gcc -std=gnu11 -fPIC -shared -I "$core" layers.c "$folder/kernels.so" -Wl,-rpath,"$folder" -ldl -lm \
    -o "$folder/layers.so"
}

check_laws() {
  compile "$core" $kernels
  link
  python3 law.py "$folder/layers.so" "${LAYER:-}"
}

vectors=../../tests/testthat/noise-vectors.csv
make_vectors() {
  gcc -std=gnu11 -O2 -fPIC -shared -I "$core" feed.c $(printf "$core/%s.c " $kernels) -lm -o "$folder/feed.so"
  python3 vectors.py "$folder/feed.so" "$1"
}
check_vectors() {
  make_vectors "$folder/vectors.csv"
  cmp "$vectors" "$folder/vectors.csv"
}

# Each lie is a change of one file, which its layer must refute.
check_lies() {
  compile "$core" $kernels
  refuted=0
  mkdir "$folder/lie"
  grep -v '^#' lies.txt >"$folder/lies"
  while IFS='|' read -r layer file change; do
    layer=${layer% }
    file=$(echo $file)
    kernel=${file%.c}
    sed "${change# }" "$core/$file" >"$folder/lie/$file"
    if cmp -s "$core/$file" "$folder/lie/$file"; then
      echo "a lie changes nothing: $file, $change"
      return 1
    fi
    compile "$folder/lie" "$kernel"
    link
    if timeout 120 python3 law.py "$folder/layers.so" "$layer" >"$folder/said" 2>&1; then
      echo "not refuted: $file, $change"
      return 1
    fi
    grep -q WRONG "$folder/said" || { cat "$folder/said"; return 1; }
    refuted=$((refuted + 1))
    compile "$core" "$kernel"
  done <"$folder/lies"
  echo "$refuted lies refuted"
}

[ $# -gt 0 ] || set -- laws lies vectors
for task in "$@"; do
  case $task in
    laws | lies | vectors) "check_$task" ;;
    write) make_vectors "$vectors" ;;
    *) sed -n '4,8s/^# *//p' ../laws.sh >&2; exit 2 ;;
  esac
done
