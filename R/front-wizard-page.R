# The page of the wizard with its input fields. front-wizard-state.R evaluates the input, front-wizard-preview.R draws
# previews, and front-wizard.R has the server.

wizard_page <- function() {
  tags <- shiny::tags
  bslib::page(
    theme = bslib::bs_theme(version = 5), title = "dptda: plan a release", lang = "en",
    tags$head(tags$style(shiny::HTML(wizard_style)),
              tags$meta(name = "viewport", content = "width=device-width, initial-scale=1")),
    tags$main(
      class = "container-fluid dp-page",
      tags$header(
        tags$h1("Plan a release"),
        tags$p(class = "text-muted",
               "Nothing here reads your data before the last step, and nothing leaves this machine."),
        shiny::uiOutput("here")
      ),
      tags$nav(class = "dp-steps", `aria-label` = "steps", lapply(seq_along(wizard_steps), function(i) {
        shiny::actionButton(paste0("to_", i), paste0(i, ". ", wizard_steps[i]), class = "btn-sm dp-step")
      })),
      tags$div(
        class = "row g-4",
        tags$section(
          class = "col-lg-7",
          shiny::tabsetPanel(
            id = "step", type = "hidden",
            shiny::tabPanelBody("1", step_what()), shiny::tabPanelBody("2", step_whom()),
            shiny::tabPanelBody("3", step_domain()), shiny::tabPanelBody("4", step_budget()),
            shiny::tabPanelBody("5", step_release())
          ),
          shiny::uiOutput("problem"),
          tags$div(class = "dp-move", shiny::actionButton("back", "Back"),
                   shiny::actionButton("forth", "Next", class = "btn-primary"))
        ),
        tags$aside(
          class = "col-lg-5",
          tags$div(
            class = "dp-panel", tags$h2("What will be seen"), shiny::uiOutput("kept"), shiny::uiOutput("panel"),
            shiny::conditionalPanel("output.pictured == 'yes'", shiny::plotOutput("picture", height = "300px")),
            shiny::uiOutput("caption"),
            shiny::conditionalPanel("output.pictured == 'yes'", shiny::actionButton(
              "again", "Draw again", class = "btn-sm btn-outline-secondary"
            ))
          )
        )
      )
    )
  )
}

wizard_style <- "
  .dp-page{max-width:1240px;padding:1.2rem 1rem 3rem}
  .dp-page h1{font-size:1.5rem;margin:0}.dp-page h2{font-size:1.1rem;margin:0 0 .6rem}
  .dp-page header p{margin:.1rem 0 .8rem}
  .dp-steps{display:flex;flex-wrap:wrap;gap:.4rem;margin-bottom:1.2rem}
  .dp-step{border:1px solid #ced4da;background:#fff;border-radius:1rem;padding:.2rem .8rem;color:#212529}
  .dp-row{display:grid;grid-template-columns:repeat(auto-fit,minmax(104px,1fr));gap:0 .6rem;padding:.5rem .7rem .1rem;
    margin-bottom:.6rem;border:1px solid #dee2e6;border-radius:.4rem;background:#fbfcfd}
  .dp-row .form-group,.dp-page .form-group{margin-bottom:.6rem;width:100%!important}
  .dp-page .shiny-input-container{width:100%!important}
  .dp-two{display:grid;grid-template-columns:repeat(auto-fit,minmax(200px,1fr));gap:0 1rem}
  .dp-page label{font-size:.88rem}
  .dp-panel{border:1px solid #dee2e6;border-radius:.5rem;padding:1rem;background:#fff;position:sticky;top:1rem}
  .dp-panel pre,.dp-page pre{background:#f6f8fa;border:0;padding:.6rem;font-size:.78rem;white-space:pre-wrap;
    overflow-wrap:anywhere;max-height:24rem}
  .dp-problem{color:#9c1c28;background:#fdf1f2;border-radius:.4rem;padding:.5rem .7rem;margin:.4rem 0;
    overflow-wrap:anywhere}
  .dp-done{color:#0a5c36;background:#eef8f2;border-radius:.4rem;padding:.5rem .7rem;margin:.4rem 0;
    overflow-wrap:anywhere}
  .dp-help{color:#5b6570;font-size:.86rem;margin:-.2rem 0 .7rem}
  .dp-move{display:flex;gap:.6rem;margin-top:.8rem}
  .dp-noise{width:100%;font-size:.86rem;margin-bottom:.6rem}.dp-noise td,.dp-noise th{padding:.1rem .4rem .1rem 0;
    vertical-align:top}
  .dp-danger{border:1px solid #e3c9cb;border-radius:.5rem;padding:1rem;margin-top:1rem}
  .dp-page select.form-control{appearance:auto;-webkit-appearance:auto}.dp-page .dp-steps .dp-step{margin-bottom:0}
  html.shiny-busy .dp-panel h2::after{content:' ...';color:#5b6570}
  .dp-page h2{margin-top:.2rem}.dp-page .btn-sm{margin-bottom:.7rem}
  .dp-page .radio{margin-bottom:.25rem}.dp-page .radio label{display:block;padding-left:1.35rem;text-indent:-1.35rem}
"

help_text <- function(...) shiny::tags$p(class = "dp-help", ...)

step_what <- function() {
  names <- lapply(wizard_groups, function(group) {
    shiny::tags$span(shiny::tags$strong(group[1]), shiny::tags$span(class = "text-muted", paste0(" - ", group[2])))
  })
  shiny::tagList(
    shiny::tags$h2("What shall be released?"),
    shiny::radioButtons("group", NULL, choiceNames = unname(names), choiceValues = names(wizard_groups)),
    shiny::radioButtons("kind", "Which of them?", kind_choices("numbers"), "mean"),
    shiny::textInput("label", "What it is called (files have this name)", placeholder = "as the release is")
  )
}

kind_choices <- function(group) {
  kinds <- wizard_kinds(group)
  structure(kinds, names = vapply(recipe_kinds[kinds], function(kind) paste0(kind$title, ": ", kind$says), ""))
}

step_whom <- function() {
  shiny::tagList(
    shiny::tags$h2("Whom does it protect?"),
    shiny::radioButtons("unit", NULL, c("One row: each person has one row" = "row",
                                        "One person, with all rows: people may have many rows" = "person")),
    shiny::conditionalPanel("input.unit == 'person'",
                            shiny::textInput("person", "Column that identifies people", placeholder = "patient")),
    shiny::textInput("n", "How many rows, or people, there are (a public number)", placeholder = "1000"),
    help_text("Whoever sees the release learns almost the same whether the data of this row, or person, are in it or ",
              "any others in their place. Where people have more than one row, it takes the second choice.")
  )
}

step_domain <- function() {
  shiny::tagList(
    shiny::tags$h2("What is public of the columns?"),
    help_text("From a questionnaire, a code book, or knowledge of the field, never from the data. Values outside are ",
              "silently moved to the nearest bound, or counted as level \"other\"."),
    shiny::uiOutput("columns"),
    shiny::actionButton("more", "One more column", class = "btn-sm btn-outline-secondary"),
    shiny::uiOutput("settings"),
    shiny::tags$h2(style = "margin-top:1.2rem", "A public table that looks alike (if there is one)"),
    shiny::textInput("public", "Path of a CSV or Parquet file whose rows are public", placeholder = "none"),
    shiny::actionButton("load", "Load", class = "btn-sm btn-outline-secondary"),
    shiny::uiOutput("loaded"),
    help_text("The picture simulates a release of this table. If you have named no column, it proposes columns. ",
              "Without one, rows are made up in the domain.")
  )
}

# The forms of the cost as choices.
cost_choices <- function(costs) {
  words <- c(epsilon = "epsilon: pure differential privacy",
             delta = "epsilon and delta: approximate differential privacy, with Gaussian noise",
             rho = "rho: zero-concentrated differential privacy", mu = "mu: Gaussian differential privacy")
  structure(costs, names = words[costs])
}

step_budget <- function() {
  shiny::tagList(
    shiny::tags$h2("What may it cost?"),
    shiny::radioButtons("cost", NULL, cost_choices(cost_forms)),
    shiny::tags$div(
      class = "dp-two",
      shiny::conditionalPanel("input.cost == 'epsilon' || input.cost == 'delta'",
                              shiny::textInput("epsilon", "epsilon of this release", "1")),
      shiny::conditionalPanel("input.cost == 'delta'", shiny::textInput("delta", "delta", "1e-6")),
      shiny::conditionalPanel("input.cost == 'rho'", shiny::textInput("rho", "rho of this release", "0.1")),
      shiny::conditionalPanel("input.cost == 'mu'", shiny::textInput("mu", "mu of this release", "0.4"))
    ),
    shiny::uiOutput("meaning"),
    shiny::tags$h2(style = "margin-top:1.2rem", "The budget of the data"),
    help_text("All releases of the same data add up. A ledger is a file that adds them up. Spending cannot be undone."),
    shiny::tags$div(
      class = "dp-two",
      shiny::textInput("ledger", "Ledger (an existing file, or a new one)", placeholder = "budget.txt"),
      shiny::textInput("total", "What all releases may cost together", placeholder = "as the ledger says"),
      shiny::conditionalPanel("input.cost == 'delta'", shiny::textInput("total_delta", "delta of all", "1e-5"))
    ),
    shiny::uiOutput("ledger_state"),
    shiny::actionButton("keep", "Keep this release and plan another", class = "btn-sm btn-outline-secondary")
  )
}

step_release <- function() {
  shiny::tagList(
    shiny::tags$h2("The script, and the recipe"),
    help_text("Both do the same. The script runs with Rscript; the recipe with the command line: dptda release."),
    shiny::tabsetPanel(
      type = "pills",
      shiny::tabPanel("R script", shiny::verbatimTextOutput("script", placeholder = TRUE)),
      shiny::tabPanel("Recipe", shiny::verbatimTextOutput("recipe", placeholder = TRUE))
    ),
    shiny::actionButton("save", "Save both", class = "btn-outline-primary"),
    shiny::uiOutput("saved"),
    shiny::tags$div(
      class = "dp-danger",
      shiny::tags$h2("Make the release now"),
      help_text("From here on the data are read, on this machine alone, and the ledger is charged."),
      shiny::textInput("file", "Path of the file of rows (CSV or Parquet)", placeholder = "rows.csv"),
      shiny::radioButtons("decimal", "Decimal mark of its numbers", c("point" = ".", "comma" = ","), inline = TRUE),
      shiny::checkboxInput("sure", "Spend this privacy cost from the ledger"),
      shiny::actionButton("run", "Make the release", class = "btn-danger"),
      shiny::uiOutput("done"),
      shiny::uiOutput("result")
    )
  )
}

# ---- parts that depend on the kind -------------------------------------------------------------------------------

# `values`: earlier input. `count`: the number of columns to show.
wizard_column_inputs <- function(kind, count, values) {
  fields <- wizard_column_fields(kind)
  lapply(seq_len(count), function(i) {
    shiny::tags$div(class = "dp-row", lapply(fields, column_input, i, kind, values))
  })
}

column_input <- function(field, i, kind, values) {
  id <- paste0(field, "_", i)
  value <- typed(values, id)
  fields <- wizard_column_fields(kind)
  text <- function(label, hint = NULL) shiny::textInput(id, label, value, placeholder = hint)
  type <- paste0("input.type_", i)
  only <- function(condition, input) if ("type" %in% fields) shiny::conditionalPanel(condition, input) else input
  ends <- paste0(type, " == 'number' || ", type, " == 'date'")
  switch(field,
    name = text("Column", if (i == 1) "age"),
    lower = only(ends, text("Lower end", "0")),
    upper = only(ends, text("Upper end", "100")),
    cells = only(paste0(type, " == 'number'"), text("Intervals", "10")),
    levels = only(paste0(type, " == 'category' || ", type, " == 'ordered'"),
                  shiny::tagAppendAttributes(text("Levels", "a, b, c"), style = "grid-column:span 2")),
    value = text("Value", "65"),
    test = shiny::selectInput(id, "Condition", structure(names(tests_of_rows),
                                                         names = gsub("_", " ", names(tests_of_rows))),
                              if (nzchar(value)) value, selectize = FALSE),
    type = shiny::selectInput(id, "Type", c("number", "category",
                                            if (kind == "synthesis") c("ordered", "date", "logical")),
                              if (nzchar(value)) value, selectize = FALSE)
  )
}

wizard_setting_inputs <- function(kind, values) {
  known <- c(recipe_kinds[[kind]]$needs, recipe_kinds[[kind]]$may)
  labels <- c(response = "Column that the model explains", success = "Its value that counts as a success",
              probs = "Quantiles (0.5 is the median)", step = "Data are multiples of (if they are)",
              k = "How many clusters", rank = "How many axes", spacing = "Distance of grid points (empty: chosen)",
              m0 = "Share of the rows that a distance goes to", clip = "Distances are cut at (empty: not)",
              max_dimension = "Up to which dimension (0 pieces, 1 loops)", range = "Range of levels (two numbers)",
              dimension = "Dimension (0 pieces, 1 loops)", level = "Level of a landscape (empty: 1)",
              radius = "Largest length of a curve: see curve_radius()", smooth = "How many cosines (empty: chosen)",
              rows = "How many rows are written")
  defaults <- c(response = "", success = "1", probs = "0.5", step = "", k = "3", rank = "1", spacing = "", m0 = "0.1",
                clip = "", max_dimension = "", range = "", dimension = "1", level = "", radius = "", smooth = "",
                rows = "")
  asked <- intersect(names(labels), known)
  inputs <- lapply(asked, function(name) {
    shiny::textInput(name, labels[[name]], if (is.null(values[[name]])) defaults[[name]] else values[[name]])
  })
  shiny::tagList(
    if (length(inputs)) shiny::tags$div(class = "dp-two", inputs),
    if ("curve" %in% known) shiny::selectInput("curve", "Curve", curve_names, typed(values, "curve"),
                                               selectize = FALSE),
    if ("method" %in% known) shiny::selectInput(
      "method", "Method (the default depends on the number of columns)",
      c("default" = "", method_names("synthesis")), typed(values, "method"), selectize = FALSE
    ),
    if ("by" %in% known) shiny::tags$div(
      class = "dp-two",
      shiny::textInput("by_name", "By groups of the column (if wanted)", typed(values, "by_name"),
                       placeholder = "none"),
      shiny::textInput("by_levels", "Levels of the groups", typed(values, "by_levels"), placeholder = "a, b, c")
    ),
    if ("missing" %in% known) shiny::checkboxInput("omit", "There may be missing values: leave them out",
                                                   isTRUE(values$omit))
  )
}
