# Reads Parquet files in place, by DuckDB in the memory of this process, as a table of a database.

open_parquet.character <- function(file, arg) {
  packages <- c("DBI", "dplyr", "dbplyr", "duckdb")
  # it recommends a newer dbplyr
  missing <- packages[!suppressWarnings(vapply(packages, requireNamespace, NA, quietly = TRUE))]
  if (length(missing)) {
    stop_dptda("database", "`", arg, "` is a Parquet file, which needs the package", if (length(missing) > 1) "s", " ",
               paste0("`", missing, "`", collapse = " and "), ".")
  }
  file <- path.expand(file)
  is_file <- file.exists(file)
  if (!is_file && length(Sys.glob(file)) == 0) {
    stop_argument(arg, "must be an existing Parquet file, not ", describe(file), ".")
  }
  # the name of an existing file is not a pattern
  if (is_file) file <- gsub("([*?[])", "[\\1]", file)
  quiet <- if ("shared_home" %in% names(formals(duckdb::duckdb))) list(shared_home = FALSE)
  connection <- DBI::dbConnect(do.call(duckdb::duckdb, quiet))
  name <- DBI::dbQuoteString(connection, enc2utf8(file))
  question <- dbplyr::sql(paste0("SELECT * FROM read_parquet(", name, ")"))
  tryCatch(suppressWarnings(dplyr::tbl(connection, question)), error = function(cnd) {
    stop_dptda("database", "DuckDB cannot read the file of `", arg, "` as Parquet.")
  })
}
