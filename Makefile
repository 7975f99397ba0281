# The commands of the project. Each runs a short script of tools/, which says what it does.
.PHONY: demo install quick test document site check replicate

# The main job on real data: writes diagrams (CSV) and pictures (PNG) into demo/.
demo:
	sh tools/demo.sh

# The package with its vignettes, into the library where R looks first; or `make install LIBRARY=folder`.
install:
	sh tools/install-vignettes.sh $(LIBRARY)

# Between two edits: lists, families, releases, format, generated files, and the tests that the change reaches most.
quick:
	bash tools/quick.sh

# The tests, but for the long statistical ones; a few minutes. (.ci/run is what every change goes through: these tests, a
# build with sanitizers, R CMD check; a quarter of an hour.)
test:
	sh tools/test.sh

# The generated files: lists of src/Makevars, call table, Collate of DESCRIPTION, tables of vignettes, NAMESPACE, man/.
document:
	sh tools/setup.sh document
	Rscript tools/makevars.R
	Rscript tools/call-table.R
	Rscript tools/collate.R
	Rscript tools/pack-tables.R
	Rscript -e 'roxygen2::roxygenise(load_code = "source")'

# The site of the package in docs/, which is not committed: open docs/index.html. tools/site-shots.sh looks at it.
site:
	sh tools/site.sh

# Everything that must hold before a release, the long tests too; about an hour.
check:
	bash tools/check.sh

# Computes committed tables again and compares: `make replicate DPTDA_DATA=folder`, a tenth with REPLICATE=quick. A
# run that was stopped goes on with REPLICATE_CONTINUE=true.
replicate:
	sh tools/setup.sh replicate
	sh tools/install.sh .lib
	R_LIBS="$$PWD/.lib$${R_LIBS:+:$$R_LIBS}" Rscript tools/replicate.R $(SCRIPTS)
