# Features of a persistence diagram for the auditor: in each dimension the number of points, and births and persistences
# of the most persistent ones.

#' @rdname audit_features
#' @export
audit_features.dptda_diagram <- function(output, most = 5, ...) {
  check_valid(output, "dptda_diagram")
  most <- check_count(most)
  persistence <- abs(output$death - output$birth)
  dimensions <- sort(unique(output$dimension))
  features <- lapply(dimensions, function(q) {
    rows <- which(output$dimension == q)
    top <- utils::head(rows[order(-persistence[rows], output$birth[rows])], most)
    values <- c(length(rows), persistence[top], output$birth[top])
    names(values) <- paste0("$H", q, c(" points", paste(rep(c(" persistence", " birth"), each = length(top)),
                                                        seq_along(top))))
    values
  })
  c(unlist(features), "$points" = nrow(output))
}
