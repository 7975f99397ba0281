# The commands of the project. Each runs a short script of tools/, which says what it does.
.PHONY: demo install test document check

# The main job on real data: writes diagrams (CSV) and pictures (PNG) into demo/.
demo:
	sh tools/demo.sh

# The package with its vignettes, into the library where R looks first; or `make install LIBRARY=folder`.
install:
	sh tools/install-vignettes.sh $(LIBRARY)

# The tests, but for the long statistical ones; a few minutes.
test:
	sh tools/test.sh

# The generated files: call table, NAMESPACE, man/.
document:
	Rscript tools/call-table.R
	Rscript -e 'roxygen2::roxygenise(load_code = "source")'

# Everything that must hold before a commit is merged, the long tests and the coverage too; less than an hour.
check:
	bash .ci/run
