#!/bin/sh
# Tests of databases with the newest dbplyr of CRAN that this R takes, against the package in .lib: Debian's dbplyr is
# years behind, and what the newer one refuses would be seen by users first.
#
#   sh tools/newest-dbplyr.sh [STEMS]
#
# dbplyr and what it needs are kept in a library of their own, outside of the checkout, and built again (two minutes)
# when CRAN has a newer one. If they cannot be had the tests are skipped, and the last line counts them as one.
set -eu
cd "$(dirname "$0")/.."

stems=${1:-base-missing|database-people|database-sqlite|database-postgres|database-dialects}
version=$(Rscript -e 'cat(as.character(getRversion()))')
library=${XDG_CACHE_HOME:-$HOME/.cache}/dptda/dbplyr-for-R-$version
mkdir -p "$library"

Rscript - "$library" <<'END' || {
  library <- commandArgs(TRUE)
  .libPaths(c(library, .libPaths()))
  options(repos = "https://cloud.r-project.org", timeout = 60)
  there <- function() {
    if (nzchar(system.file(package = "dbplyr", lib.loc = library))) as.character(packageVersion("dbplyr", library))
  }
  none <- function(cnd) NULL
  newest <- tryCatch(available.packages()["dbplyr", "Version"], error = none, warning = none)
  if (!is.null(newest) && !identical(there(), newest)) {
    options <- c("--no-docs", "--no-test-load")
    try(install.packages("dbplyr", library, Ncpus = 2, quiet = TRUE, INSTALL_opts = options))
  }
  if (is.null(there())) quit(status = 1)
  cat("dbplyr", there(), "\n")
END
  echo "skipped: the newest dbplyr cannot be had here"
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
}
R_LIBS=$library:$PWD/.lib${R_LIBS:+:$R_LIBS} NOT_CRAN=true exec Rscript tools/run-tests.R /dev/null "$stems"
