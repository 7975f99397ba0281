#!/bin/bash
# Checks the package with the newest R, compiler, and packages, which is what users have and what CRAN runs:
#
#   tools/newest.sh             all of it
#   tools/newest.sh root        builds the root of the newest Debian if there is none of this week, and prints it
#   tools/newest.sh check       R CMD check --as-cran, with the tests that CRAN runs and their time
#   tools/newest.sh tests STEM  all tests of ring 1, or those whose stems match (tools/run-tests.R)
#   tools/newest.sh kernels     kernels for all inputs (checks/kernels), all harnesses or those named
#   tools/newest.sh lemmas      lemmas of the proofs (checks/rocq)
#   tools/newest.sh run WORD... a command, in a copy of the checkout
#
# A root is a folder with Debian's suite sid, built by debootstrap in about 20 minutes and kept for a week in
# DPTDA_ROOTS (by default /var/cache/dptda). It takes 4 GB. Only the superuser can build it. If it cannot be built, the
# only line says why, and the exit status is 77: skipped, which is not the same as passed.
set -eu
cd "$(dirname "$0")/.."

roots=${DPTDA_ROOTS:-/var/cache/dptda}
root=$roots/newest-$(date +%G-%V)
mirror=${DPTDA_DEBIAN:-http://deb.debian.org/debian}
# What the tests and vignettes use beyond tools/setup.sh, if it can be had. R packages that Debian lacks come from CRAN.
left_out='^(arrow|duckdb)$' # each compiles for most of an hour

skip() {
  echo "newest R: skipped, $*"
  exit 77
}

# inside COMMAND: runs a command of the shell in the root. Mounts belong to a namespace that ends with the command.
inside() {
  local folder=$1
  shift
  unshare -m --propagation private sh -c '
    mount -t proc proc "$0/proc" 2>/dev/null || mount --rbind /proc "$0/proc"
    mount --rbind /dev "$0/dev"
    exec chroot "$0" /usr/bin/env -i HOME=/root TERM=dumb LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin \
      DEBIAN_FRONTEND=noninteractive MAKEFLAGS=-j2 OMP_WAIT_POLICY=passive sh -c "$1"' "$folder" "$*"
}

# The tracked files, as they are now, in /checkout of the root.
copy_checkout() {
  rm -rf "$1/checkout"
  mkdir "$1/checkout"
  git ls-files -z --cached --others --exclude-standard | tar -c --null --ignore-failed-read -T - 2>/dev/null |
    tar -x -C "$1/checkout"
}

build_root() {
  [ ! -f "$root/built" ] || return 0
  [ "$(id -u)" -eq 0 ] || skip "not run by the superuser"
  command -v unshare >/dev/null || skip "no unshare"
  if ! command -v debootstrap >/dev/null; then
    { apt-get update -qq && apt-get install -y --no-install-recommends debootstrap; } >/dev/null 2>&1 ||
      skip "no debootstrap"
  fi
  mkdir -p "$roots"
  rm -rf --one-file-system "$root"
  local log=$root.log
  echo "Building a root of Debian sid: 20 minutes (log: $log)" >&2
  unshare -m --propagation private debootstrap --variant=minbase sid "$root" "$mirror" >"$log" 2>&1 ||
    skip "debootstrap failed: $(tail -n 1 "$log")"
  # A mirror's file of hashes may be past its date.
  printf '%s\n' 'Acquire::Check-Valid-Until "false";' 'APT::Install-Recommends "false";' \
    >"$root/etc/apt/apt.conf.d/90newest"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  copy_checkout "$root"
  # authorities that this machine trusts beside Debian's
  mkdir -p "$root/usr/local/share/ca-certificates"
  cp /usr/local/share/ca-certificates/*.crt "$root/usr/local/share/ca-certificates/" 2>/dev/null || true
  inside "$root" "apt-get update -qq && apt-get install -y ca-certificates r-base-dev r-recommended git make &&
    update-ca-certificates" >>"$log" 2>&1 || skip "R cannot be installed: $(tail -n 1 "$log")"
  # R's own folder of packages: tests that start a process of R find it without a variable.
  inside "$root" "cd /checkout && sh tools/setup.sh install && sh tools/setup.sh test &&
    apt-get install -y qpdf tidy libcurl4-openssl-dev libssl-dev unixodbc-dev" >>"$log" 2>&1 ||
    echo "Not all packages that tests use are in the root: see $log" >&2
  inside "$root" "cd /checkout && Rscript tools/newest-packages.R '$left_out'" >>"$log" 2>&1 ||
    echo "Not all suggested packages are in the root: see $log" >&2
  inside "$root" "apt-get install -y cbmc bitwuzla coq libcoq-stdlib" >>"$log" 2>&1 ||
    echo "CBMC, Bitwuzla, and Rocq are not in the root: see $log" >&2
  inside "$root" "apt-get clean"
  touch "$root/built"
  # those of other weeks
  find "$roots" -mindepth 1 -maxdepth 1 -name 'newest-*' ! -name "$(basename "$root")*" \
    -exec rm -rf --one-file-system {} +
}

# What the root has, in one line of the log.
versions() {
  inside "$root" "Rscript -e 'has <- rownames(installed.packages()); cat(R.version.string); for (name in
    c(\"dbplyr\", \"testthat\", \"ggplot2\", \"igraph\", \"dplyr\", \"RSQLite\", \"RPostgres\")) if (name %in% has)
    cat(\",\", name, format(packageVersion(name)))' && echo && gcc --version | head -n 1"
}

task=${1:-all}
[ $# -eq 0 ] || shift
build_root
case $task in
  root) echo "$root" ;;
  run)
    copy_checkout "$root"
    inside "$root" "cd /checkout && $*"
    ;;
  kernels | lemmas)
    copy_checkout "$root"
    script=checks/kernels.sh
    [ "$task" = kernels ] || script=checks/rocq.sh
    inside "$root" "cd /checkout && bash $script $*"
    ;;
  check | tests | all)
    copy_checkout "$root"
    versions
    if [ "$task" != tests ]; then inside "$root" "cd /checkout && sh tools/check-package.sh tests"; fi
    if [ "$task" != check ]; then
      inside "$root" "cd /checkout && sh tools/install.sh .lib &&
        R_LIBS=/checkout/.lib NOT_CRAN=true Rscript tools/run-tests.R /dev/null ${1:+'$1'}"
    fi
    ;;
  *)
    sed -n '3,10s/^# *//p' "$0" >&2
    exit 2
    ;;
esac
