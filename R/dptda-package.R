#' dptda: shape of private data under exact differential privacy
#'
#' A private persistence diagram in three lines: [domain_box()] and
#' [domain_grid()] say publicly where the data live, [private_diagram()]
#' draws the release, [privacy()] says what was promised. For means of directions,
#' covariance matrices and their like: [private_frechet_mean()].
#'
#' @section Options:
#' \describe{
#'   \item{`dptda.threads`}{Threads that a kernel may use, 2 by default. A
#'     forked child process always uses one.}
#'   \item{`dptda.progress`}{`TRUE` or `FALSE`: show progress of work that
#'     takes more than two seconds (default: in interactive sessions), or a
#'     function of one number, the fraction done.}
#'   \item{`dptda.budget`}{`"required"`: a release without `budget = ` is an error
#'     of class `dptda_error_budget`, also one whose budget is `NULL` by a slip
#'     (`budget = study$bugdet`). `"optional"` is the default.}
#' }
#' @keywords internal
#' @useDynLib dptda, .registration = TRUE
"_PACKAGE"
