# Input of the wizard, and a browser that types it.

typed_mean <- function(...) {
  utils::modifyList(list(group = "numbers", kind = "mean", unit = "row", n = "248", name_1 = "age", lower_1 = "15",
                         upper_1 = "50", cost = "epsilon", epsilon = "1"), list(...))
}

skip_without_wizard <- function() {
  testthat::skip_if_not_installed("shiny")
  testthat::skip_if_not_installed("bslib")
  testthat::skip_if_not_installed("yaml")
  testthat::skip_if_not_installed("filelock")
}

# Starts a wizard in a separate process, and a browser. `page()` opens another page of it.
local_wizard <- function(folder, envir = parent.frame()) {
  skip_without_wizard()
  testthat::skip_on_cran()
  testthat::skip_if_not_installed("chromote")
  chrome <- tryCatch(suppressMessages(chromote::find_chrome()), error = function(cnd) NULL)
  testthat::skip_if(is.null(chrome), "there is no Chromium")
  said <- file.path(folder, "address")
  code <- paste0(".libPaths(", deparse1(.libPaths()), "); cat(Sys.getpid(), sep = \"\\n\"); library(dptda); ",
                 "print(dptda_wizard(", deparse1(folder), ", browse = FALSE))")
  system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote(code)), stdout = said, stderr = FALSE, wait = FALSE)
  withr::defer(tools::pskill(as.integer(readLines(said)[1])), envir)
  address <- wait_for(grep("http://", readLines(said), value = TRUE), 60)
  browser <- chromote::Chromote$new(chromote::Chrome$new(chrome, c(chromote::default_chrome_args(), "--no-sandbox",
                                                                   "--disable-dev-shm-usage", "--disable-gpu")))
  withr::defer(try(browser$close(), silent = TRUE), envir)
  list(address = sub("^.*(http[^ ]*).*$", "\\1", address), page = function(width = 1300) {
    page <- browser$new_session(width = width, height = 900)
    page$Page$enable()
    page$Page$addScriptToEvaluateOnNewDocument(paste(
      "window.refused = []; document.addEventListener('securitypolicyviolation', function(e) {",
      "window.refused.push(e.effectiveDirective + ' ' + e.blockedURI) })"
    ))
    page$Page$navigate(sub("^.*(http[^ ]*).*$", "\\1", address))
    wait_for(if (isTRUE(in_page(page, "!!(window.Shiny && Shiny.shinyapp && Shiny.shinyapp.isConnected())"))) TRUE, 30)
    page
  })
}

# Waits until `code` returns a value, and returns it.
wait_for <- function(code, seconds = 20) {
  code <- substitute(code)
  frame <- parent.frame()
  end <- Sys.time() + seconds
  repeat {
    found <- tryCatch(suppressWarnings(eval(code, frame)), error = function(cnd) NULL)
    if (length(found) && !identical(found, FALSE)) return(found)
    if (Sys.time() > end) stop("waited in vain for ", deparse1(code))
    Sys.sleep(0.1)
  }
}

in_page <- function(page, code) page$Runtime$evaluate(code, returnByValue = TRUE)$result$value

text_in <- function(page, id) in_page(page, sprintf("(document.getElementById('%s') || {innerText: ''}).innerText", id))

press <- function(page, id) invisible(in_page(page, sprintf("document.getElementById('%s').click()", id)))

pick <- function(page, name, value) {
  invisible(in_page(page, sprintf("document.querySelector(\"input[name='%s'][value='%s']\").click()", name, value)))
}

# Types into an input. Waits for it, because some inputs appear after others are chosen.
type_in <- function(page, ...) {
  given <- list(...)
  for (id in names(given)) {
    wait_for(in_page(page, sprintf("!!document.getElementById('%s')", id)))
    in_page(page, sprintf("(function(e) { e.value = '%s'; e.dispatchEvent(new Event('input', {bubbles: true}));
      e.dispatchEvent(new Event('change', {bubbles: true})) })(document.getElementById('%s'))", given[[id]], id))
  }
  # text is sent a quarter of a second later, or more if the machine is busy
  for (id in names(given)) {
    wait_for(in_page(page, sprintf("Object.entries(Shiny.shinyapp.$inputValues).some(([name, value]) =>
      name.split(':')[0] == '%s' && String(value) == '%s')", id, given[[id]])))
  }
}

step_of <- function(page) {
  in_page(page, "document.querySelector('.tab-pane.active').dataset.value")
}

go_on <- function(page, to) {
  press(page, "forth")
  wait_for(identical(step_of(page), to))
}
