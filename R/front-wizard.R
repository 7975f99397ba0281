# The wizard: a local page that plans a release, and makes it only after a click on a separate button.

#' Wizard: plan a release in the browser
#'
#' `dptda_wizard()` opens a page in the browser that plans a release under differential privacy: the statistic, the
#' protected unit, the public settings of the columns, and the privacy cost. It shows the size of the noise and a
#' simulated result, from made-up rows or from a public table. It writes the R script and the
#' [recipe][release_recipe()]. A separate button makes the release with a budget from a ledger.
#'
#' The wizard needs the packages shiny and bslib.
#'
#' @section Privacy:
#' The data are read only after you press the last button, from the path of a file. Nothing is uploaded, and closing the
#' page earlier spends nothing. Information about columns comes only from your input. A file that was loaded as a public
#' table is not released, and neither is a copy of it. The confirmation that a release needs applies to one release of
#' the current plan.
#'
#' The page is served to this machine only, at 127.0.0.1, under a path with 128 random bits. Requests that name another
#' host, or that come from a page of another host, are refused. This includes requests for scripts and styles.
#'
#' All users of a machine can read the arguments with which a browser is started. The browser therefore receives the
#' path of a file that only you can read and that leads to the page. Anybody who reads the address elsewhere, such as in
#' the printed line or in the history of the browser, can use the page as you can until the wizard ends. If the option
#' `browser` is a function, as in editors that show pages themselves, this function receives the address.
#'
#' @param folder A string: the folder in which paths begin and files are written.
#' @param ... Not used. Later arguments must be named.
#' @param port `NULL` or one integer: the port. `NULL` uses a free one.
#' @param browse `TRUE` or `FALSE`: whether to open the browser. The address is printed in any case.
#'
#' @return An app of class `shiny.appobj`, which runs when it is printed, as at the prompt. Elsewhere,
#'   `print(dptda_wizard())` runs it. Its element `path` is the path of the page.
#' @references
#' The OpenDP project (2024). *DP Wizard*. \url{https://github.com/opendp/dp-wizard}. (Steps from the unit of protection
#' to code, with simulated data in between.)
#' @seealso [release_recipe()], [dptda_command]
#' @examples
#' if (interactive()) dptda_wizard()
#' @export
dptda_wizard <- function(folder = ".", ..., port = NULL, browse = interactive()) {
  check_no_dots(...)
  folder <- normalizePath(check_folder(folder))
  if (!is.null(port)) port <- check_count(port, 1, 65535)
  browse <- check_flag(browse)
  require_wizard_packages()
  wizard_app(folder, port, browse)
}

require_wizard_packages <- function() {
  for (package in c("shiny", "bslib")) {
    if (!requireNamespace(package, quietly = TRUE)) {
      stop_dptda("package", "The wizard needs the package ", package, ": install.packages(\"", package, "\").")
    }
  }
}

# ---- access ------------------------------------------------------------------------------------------------------

wizard_app <- function(folder, port = NULL, browse = FALSE) {
  path <- paste0("/", check_source("os"), "/")
  open <- function(url) {
    address <- paste0(sub("/$", "", url), path)
    guard_files(url)
    cat("The wizard is at ", address, "\nInterrupt R (Ctrl-C) to end it.\n", sep = "")
    if (browse) browse_to(address)
  }
  start <- function() {
    before <- setwd(folder)
    # uploads are not used, and a socket could send one before guarded_server() checks it
    limit <- options(shiny.maxRequestSize = 1)
    shiny::onStop(function() {
      setwd(before)
      options(limit)
    })
  }
  app <- shiny::shinyApp(wizard_page(), guarded_server(path), onStart = start, uiPattern = paste0("^", path, "$"),
                         options = c(list(host = "127.0.0.1", quiet = TRUE, launch.browser = open),
                                     if (!is.null(port)) list(port = port)))
  app$httpHandler <- guarded_pages(app$httpHandler, path)
  app$path <- path
  app
}

# Tests the host of a request. A foreign host name that points here would pass the browser's checks, but not this one.
is_own_host <- function(host) is_one_string(host) && grepl("^127[.]0[.]0[.]1(:[0-9]+)?$", host)

# Tests the origin of a request. Pages of other servers on this machine have another port.
is_own_request <- function(request) {
  origin <- request$HTTP_ORIGIN
  is_own_host(request$HTTP_HOST) && (is.null(origin) || identical(origin, paste0("http://", request$HTTP_HOST)))
}

# Sets a host check for scripts and styles, because the server sends them without calling R.
guard_files <- function(url) {
  host <- sub("/.*$", "", sub("^http://", "", url))
  for (server in httpuv::listServers()) {
    if (identical(paste0("127.0.0.1:", server$getPort()), host)) {
      server$setStaticPathOption(validation = paste0("\"Host\" == \"", host, "\""))
    }
  }
}

# Opens the page through a private file, because all users of the machine can see the arguments of a program.
browse_to <- function(address) {
  # a browser function runs within R, so its arguments are private, and it may be unable to read files
  if (is.function(getOption("browser"))) return(utils::browseURL(address))
  before <- Sys.umask("077")
  on.exit(Sys.umask(before))
  file <- tempfile("wizard-", fileext = ".html")
  write_lines(c("<!DOCTYPE html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">",
                paste0("<meta http-equiv=\"refresh\" content=\"0; url=", address, "\"><title>dptda</title>"),
                paste0("<a href=\"", address, "\">The wizard</a>")), file)
  file <- normalizePath(file, "/")
  utils::browseURL(paste0("file://", if (!startsWith(file, "/")) "/", file))
}

# Serves the page to its own machine only. Other resources of the page use paths from the root.
guarded_pages <- function(handler, path) {
  force(handler)
  function(request) {
    if (!is_own_request(request)) return(shiny::httpResponse(403L, "text/plain", "This page is for its own machine."))
    answer <- handler(request)
    if (is.list(answer) && is_one_string(answer$content)) {
      answer$content <- sub("<head>", "<head>\n<base href=\"/\">", answer$content, fixed = TRUE)
    }
    if (is.list(answer)) {
      answer$headers <- c(answer$headers, list("Referrer-Policy" = "no-referrer", "X-Frame-Options" = "DENY",
                                               "Cache-Control" = "no-store",
                                               "Content-Security-Policy" = content_policy(request$HTTP_HOST)))
    }
    answer
  }
}

# Forbids requests to other hosts, even from injected code. The exceptions are needed: the browser evaluates conditions
# of shiny's panels from text, and the page contains styles and pictures.
content_policy <- function(host) {
  paste("default-src 'none'; script-src 'self' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data:;",
        "font-src 'self' data:; form-action 'none'; base-uri 'self'; frame-ancestors 'none'; connect-src 'self'",
        paste0("ws://", host))
}

is_below <- function(asked, path) is_one_string(asked) && startsWith(asked, path)

# Checks sockets, because they bypass guarded_pages().
guarded_server <- function(path) {
  function(input, output, session) {
    if (is_own_request(session$request) && is_below(session$request$PATH_INFO, path)) {
      wizard_server(input, output, session)
    } else {
      session$close()
    }
  }
}

# ---- server ------------------------------------------------------------------------------------------------------

wizard_server <- function(input, output, session) {
  state <- shiny::reactiveValues(columns = 1, kept = list(), public = NULL, loaded = NULL, proposed = NULL, tried = 0,
                                 looked = character(), saved = NULL, done = NULL, made = NULL, armed = NULL)
  now <- function() shiny::isolate(shiny::reactiveValuesToList(input))
  values <- shiny::debounce(shiny::reactive(shiny::reactiveValuesToList(input)), 350)
  recipe <- shiny::reactive(tryCatch({
    found <- wizard_recipe(values(), state$kept)
    list(recipe = found, mechanisms = recipe_mechanisms(found))
  }, dptda_error = function(cnd) list(problem = plain_message(conditionMessage(cnd)))))

  serve_steps(input, output, session, state, now, values)
  serve_columns(input, output, session, state, now)
  serve_panel(input, output, state, values, recipe)
  serve_budget(input, output, session, state, now, values)
  serve_release(input, output, session, state, now, recipe)
}

# Handles the steps. Nobody can continue from an incomplete step.
serve_steps <- function(input, output, session, state, now, values) {
  here <- shiny::reactive(as.integer(if (is.null(input$step)) 1 else input$step))
  go <- function(to) {
    from <- shiny::isolate(here())
    problem <- NULL
    for (step in seq_len(max(0, to - 1))) {
      if (is.null(problem)) {
        problem <- wizard_problem(now(), step, state$kept)
        if (!is.null(problem)) to <- step
      }
    }
    state$tried <- if (is.null(problem)) 0 else to
    shiny::updateTabsetPanel(session, "step", as.character(to))
  }
  lapply(seq_along(wizard_steps), function(i) {
    shiny::observeEvent(input[[paste0("to_", i)]], go(i), ignoreInit = TRUE)
  })
  shiny::observeEvent(input$forth, go(min(here() + 1, 5)), ignoreInit = TRUE)
  shiny::observeEvent(input$back, go(max(here() - 1, 1)), ignoreInit = TRUE)
  shiny::observeEvent(input$group, {
    kinds <- kind_choices(input$group)
    first <- if (input$group == "numbers") "mean" else kinds[[1]]
    shiny::updateRadioButtons(session, "kind", choices = kinds, selected = first)
  }, ignoreInit = TRUE)
  # highlights the current step and hides impossible directions
  output$here <- shiny::renderUI(shiny::tags$style(paste0(
    "#to_", here(), "{background:#0b5ea8;color:#fff;border-color:#0b5ea8}",
    if (here() == 1) "#back{display:none}", if (here() == 5) "#forth{display:none}"
  )))
  output$problem <- shiny::renderUI({
    if (state$tried != here()) return(NULL)
    problem <- wizard_problem(values(), here(), state$kept)
    if (!is.null(problem)) shiny::tags$div(class = "dp-problem", role = "alert", problem)
  })
}

serve_columns <- function(input, output, session, state, now) {
  kind <- shiny::reactive(if (is.null(input$kind)) "mean" else input$kind)
  shiny::observeEvent(kind(), {
    range <- wizard_column_range(kind())
    state$columns <- min(max(state$columns, range[1]), range[2])
    costs <- kind_costs(kind())
    chosen <- if (is.null(input$cost) || !input$cost %in% costs) costs[1] else input$cost
    shiny::updateRadioButtons(session, "cost", choices = cost_choices(costs), selected = chosen)
    if (needs_people(kind())) shiny::updateRadioButtons(session, "unit", selected = "person")
  })
  shiny::observeEvent(input$more, {
    state$proposed <- NULL
    state$columns <- min(state$columns + 1, wizard_column_range(kind())[2])
  })
  output$columns <- shiny::renderUI({
    proposed <- state$proposed
    wizard_column_inputs(kind(), state$columns, utils::modifyList(now(), as.list(proposed)))
  })
  output$settings <- shiny::renderUI(wizard_setting_inputs(kind(), now()))
  shiny::outputOptions(output, "columns", suspendWhenHidden = FALSE)
  shiny::outputOptions(output, "settings", suspendWhenHidden = FALSE)
  shiny::observeEvent(input$load, {
    state$proposed <- NULL
    # remembers files loaded as public, because run_plan() refuses to release them
    state$looked <- union(state$looked, typed_file(now(), "public"))
    loaded <- tryCatch({
      proposed <- if (nzchar(typed(now(), "public"))) wizard_proposal(now())
      found <- load_public(utils::modifyList(now(), as.list(proposed)))
      if (length(proposed)) {
        state$proposed <- proposed
        state$columns <- max(1, sum(startsWith(names(proposed), "name_")))
      }
      found
    }, error = error_text)
    state$public <- if (is.data.frame(loaded)) loaded
    state$loaded <- loaded
  })
  output$loaded <- shiny::renderUI({
    if (is.data.frame(state$loaded)) {
      shiny::tags$div(class = "dp-done", format_count(nrow(state$loaded)), " public rows of ",
                      paste0(toString(names(state$loaded)), "."), if (length(state$proposed)) paste0(
                        " The proposed columns, bounds (rounded outwards), and levels come from this public file. ",
                        "Change them if your data may have other values."
                      ))
    } else if (!is.null(state$loaded)) shiny::tags$div(class = "dp-problem", role = "alert", state$loaded)
  })
}

# Reads a public table with the types of the current plan. Returns NULL without a path.
load_public <- function(values) {
  file <- typed(values, "public")
  if (!nzchar(file)) return(NULL)
  kind <- typed(values, "kind")
  recipe <- release_recipe(list(unit = wizard_unit(values),
                                releases = list(c(wizard_entry(values), trial_cost(kind)))))
  table_file(file, recipe_types(recipe), invalid = "missing",
             decimal = if (identical(values$decimal, ",")) "," else ".")
}

serve_panel <- function(input, output, state, values, recipe) {
  output$kept <- shiny::renderUI({
    names <- vapply(state$kept, function(one) if (is.null(one$name)) one$release else one$name, "")
    if (length(names)) shiny::tags$p(class = "dp-help", "Kept: ", toString(names))
  })
  output$panel <- shiny::renderUI({
    found <- recipe()
    if (is.null(found$recipe)) return(shiny::tags$p(class = "dp-help", "Not yet: ", found$problem))
    noise_panel(found$recipe, found$mechanisms)
  })
  preview <- shiny::reactive({
    found <- recipe()
    if (is.null(found$recipe)) return(NULL)
    again <- as.double(unclass(input$again))
    tryCatch(make_preview(found$recipe, state$public, 1 + if (length(again)) again else 0), error = function(cnd) NULL)
  })
  output$picture <- shiny::renderPlot({
    if (is.null(preview())) graphics::plot.new() else draw_preview(preview())
  }, res = 80)
  output$caption <- shiny::renderUI(help_text(preview_caption(preview(), recipe())))
  output$pictured <- shiny::renderText(if (is.null(preview())) "no" else "yes")
  shiny::outputOptions(output, "pictured", suspendWhenHidden = FALSE)
}

preview_caption <- function(preview, found) {
  if (is.null(found$recipe)) return("")
  if (is.null(preview)) return("No picture: it would take too long for a grid so fine, or the public rows do not fit.")
  paste0("Simulated from ", if (preview$public) "the public rows" else "rows that are made up",
         ": not a release, and not private.",
         if (preview$scalar && !preview$people) " The line is the value without noise.",
         if (preview$entry$release == "synthesis") " Gray: rows; blue: rows drawn from the model.",
         if (preview$fewer) " Fewer rows are simulated than you have, so noise moves your release less.")
}

noise_panel <- function(recipe, mechanisms) {
  tags <- shiny::tags
  last <- length(mechanisms)
  noise <- privacy_price(mechanisms[[last]])$noise
  together <- do.call(privacy_compose, unname(lapply(mechanisms, `[[`, "guarantee")))
  weak <- weak_words(mechanisms[[last]])
  shiny::tagList(
    tags$p(tags$strong(format(together)[1])),
    if (nrow(noise)) tags$table(
      class = "dp-noise", tags$tr(tags$th("noise on"), tags$th("how large (95%)")),
      lapply(seq_len(min(8, nrow(noise))), function(i) {
        tags$tr(tags$td(noise$of[i]), tags$td(if (is.na(noise$within[i])) noise$kind[i] else
          paste0("\u00b1 ", format(noise$within[i], digits = 3))))
      })
    ) else tags$p(class = "dp-help", mechanisms[[last]]$guarantee$mechanism),
    if (!is.null(weak)) tags$div(class = "dp-problem", weak)
  )
}

serve_budget <- function(input, output, session, state, now, values) {
  output$meaning <- shiny::renderUI({
    cost <- tryCatch(wizard_cost(values()), dptda_error = function(cnd) NULL)
    if (!is.null(cost)) help_text(cost_sentence(cost))
  })
  output$ledger_state <- shiny::renderUI({
    ledger <- typed(values(), "ledger")
    state$made
    if (!nzchar(ledger)) return(NULL)
    said <- tryCatch(ledger_sentence(ledger), dptda_error = conditionMessage)
    help_text(said)
  })
  shiny::observeEvent(input$keep, {
    problem <- wizard_problem(now(), 4, state$kept)
    state$tried <- if (is.null(problem)) 0 else 4
    if (is.null(problem)) {
      state$kept <- c(state$kept, list(c(wizard_entry(now()), wizard_cost(now()))))
      shiny::updateTextInput(session, "label", value = "")
      shiny::updateTabsetPanel(session, "step", "1")
    }
  })
}

cost_sentence <- function(cost) {
  if (is.null(cost$epsilon)) {
    cost <- as.list(privacy_convert(privacy_declare(rho = cost$rho, mu = cost$mu), "epsilon", delta = 1e-6)$measure)
  }
  paste0("No conclusion about one row, or person, becomes more than ",
         format(exp(cost$epsilon), digits = 4, big.mark = ",", decimal.mark = "."),
         " times more or less likely by its being in the data",
         if (!is.null(cost$delta)) paste0(", except with probability ", format(cost$delta)), ".")
}

ledger_sentence <- function(ledger) {
  if (!file.exists(ledger)) {
    path <- ledger_path(ledger, "ledger")
    return(paste0("This file does not exist yet. The release will create it at ", path, "."))
  }
  # an incomplete path may be the name of any other file
  if (!is_ledger_file(ledger)) return("This file exists, but is not the ledger of a budget.")
  budget <- with_short_wait(privacy_budget(file = ledger))
  paste0(budget_sentence(budget), " Left: ", budget_words(list(measure = budget$measure), budget$left), ".")
}

# Limits the wait for a ledger, because the page is blocked for all users meanwhile.
with_short_wait <- function(code) {
  before <- options(dptda.ledger_wait = min(2, getOption("dptda.ledger_wait", 60)))
  on.exit(options(before))
  code
}

serve_release <- function(input, output, session, state, now, recipe) {
  shown <- function(make) {
    found <- recipe()
    if (is.null(found$recipe)) paste("Not yet:", found$problem) else paste(make(found$recipe), collapse = "\n")
  }
  output$script <- shiny::renderText(shown(recipe_script))
  output$recipe <- shiny::renderText(shown(format))
  said <- function(answer) {
    if (is.null(answer)) return(NULL)
    shiny::tags$div(class = if (answer$good) "dp-done" else "dp-problem", role = "alert", answer$text)
  }
  answered <- function(code) {
    tryCatch(list(good = TRUE, text = code), error = function(cnd) list(good = FALSE, text = error_text(cnd)))
  }
  shiny::observeEvent(input$save, {
    state$saved <- answered(save_plan(wizard_recipe(now(), state$kept)))
  })
  output$saved <- shiny::renderUI(said(state$saved))
  # each release needs a new tick for the current plan, so that a second click spends nothing, even after a failure
  # halfway. A tick that the browser restores does not count
  planned <- function() {
    tryCatch(wizard_recipe(now(), state$kept)[c("unit", "releases")], dptda_error = function(cnd) NULL)
  }
  disarm <- function() {
    state$armed <- NULL
    shiny::updateCheckboxInput(session, "sure", value = FALSE)
  }
  shiny::observeEvent(input$sure, state$armed <- if (isTRUE(input$sure)) planned(), ignoreInit = TRUE)
  shiny::observeEvent(input$run, {
    sure <- !is.null(state$armed) && identical(state$armed, planned())
    if (!sure) disarm()
    state$done <- answered({
      made <- run_plan(utils::modifyList(now(), list(sure = sure)), state$kept, state$looked, disarm)
      if (length(made$text)) state$made <- made
      if (!is.null(made$problem)) stop(made$problem)
      paste0("Released, and written to ", toString(made$files), ".")
    })
  })
  output$done <- shiny::renderUI(said(state$done))
  output$result <- shiny::renderUI({
    if (is.null(state$made)) return(NULL)
    shiny::tagList(shiny::tags$pre(id = "released", paste(state$made$text, collapse = "\n")),
                   shiny::plotOutput("released_picture", height = "300px"))
  })
  output$released_picture <- shiny::renderPlot({
    made <- state$made$releases
    last <- if (length(made)) made[[length(made)]]
    if (any(class(last) %in% method_classes("plot"))) value_or(plot(last), graphics::plot.new())
  }, res = 80)
}

# Saves script and recipe. It never overwrites existing files.
save_plan <- function(recipe) {
  names <- vapply(recipe$releases, `[[`, "", "name")
  stem <- names[length(names)]
  name <- stem
  i <- 1
  while (are_taken(".", paste0(name, c(".R", ".yaml")))) {
    i <- i + 1
    name <- paste0(stem, "-", i)
  }
  recipe_script(recipe, paste0(name, ".R"))
  write_lines(format(recipe), paste0(name, ".yaml"))
  paste0("Saved: ", file.path(getwd(), paste0(name, ".R")), " and ", name, ".yaml.")
}

# Error text for the page. Only messages of this package are shown, since R's own may reveal more of the data.
error_text <- function(condition) {
  if (inherits(condition, "dptda_error")) return(plain_message(conditionMessage(condition)))
  "The release failed for an unknown reason. The ledger has everything spent until then."
}

# The full path of an existing file, or NULL.
typed_file <- function(values, name) {
  file <- typed(values, name)
  if (nzchar(file) && file.exists(file)) normalizePath(file, "/")
}

# Tests whether a file equals one of `others`, by its path or its bytes.
is_one_of_files <- function(file, others) {
  same <- function(other) {
    if (identical(file, other)) return(TRUE)
    size <- file.size(file)
    isTRUE(size == file.size(other)) && identical(readBin(file, "raw", size), readBin(other, "raw", size))
  }
  any(vapply(others, same, NA))
}

# The only function that reads the data and spends. `looked`: files shown as public. `begin` is called before the first
# charge. After a failure, the result has the releases made until then and the `problem`.
run_plan <- function(values, kept, looked = character(), begin = function() NULL) {
  if (!isTRUE(values$sure)) {
    stop_argument("Spend this privacy cost", "must be ticked, for the plan as it is now: a release cannot be undone.")
  }
  if (!nzchar(typed(values, "file"))) stop_argument("file", "must be given: the path of the file of rows.")
  if (!nzchar(typed(values, "ledger"))) stop_argument("ledger", "must be given in step 4: a release is charged to one.")
  file <- typed_file(values, "file")
  if (!is.null(file) && is_one_of_files(file, looked)) {
    stop_argument("file", "must not be the file that was loaded as a public table: bounds, levels and the picture may ",
                  "come from it, and all of these would reveal its rows.")
  }
  recipe <- wizard_recipe(values, kept)
  begin()
  files <- character()
  text <- character()
  releases <- list()
  # shows each release even if it cannot be written, because it was charged
  write <- function(name, release, entry) {
    releases[[name]] <<- release
    text <<- c(text, utils::capture.output(print(release)), "")
    files <<- c(files, sub("^[.]/", "", release_files(release, ".", name, rows = entry$rows)))
  }
  outcome <- tryCatch(into_folder(".", with_short_wait(suppressWarnings(
    release_all(recipe, NULL, NULL, write), classes = "dptda_warning_weak"
  ))), error = identity)
  failed <- inherits(outcome, "error")
  if (!failed) text <- c(text, value_or(with_short_wait(utils::capture.output(print(outcome$budget))), NULL))
  list(releases = releases, files = files, text = text, problem = if (failed) outcome)
}
