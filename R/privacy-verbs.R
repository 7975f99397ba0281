# What all classes do in one way, registered as the package is loaded: fields are read (base-fields.R).

.onLoad <- function(libname, pkgname) {
  for (class in ls(known_classes)) register_fields(class)
}

# `home`: where the generic is. What is registered here is no method of a namespace's own: it is beside the home and not
# in it, or the method would be entered there.
register_shared <- function(generic, class, method, home = baseenv()) {
  registerS3method(generic, class, method, envir = new.env(parent = home))
}

# Numbers and budgets read their fields themselves; a data frame's `[[` is its own.
register_fields <- function(class) {
  kind <- known_classes[[class]]$kind
  if (kind == "own") return()
  register_shared("$", class, read_list_field)
  if (kind == "list") register_shared("[[", class, read_list_element)
}
