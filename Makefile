# The commands of the project. Each runs a short script of tools/, which says what it does.
.PHONY: demo test document check

# The main job on real data: writes diagrams (CSV) and pictures (PNG) into demo/.
demo:
	sh tools/demo.sh

# All tests, then the coverage of R and C.
test:
	sh tools/test.sh

# The generated files: call table, NAMESPACE, man/.
document:
	Rscript tools/call-table.R
	Rscript -e 'roxygen2::roxygenise(load_code = "source")'

# Everything that must hold before a commit is merged; under fifteen minutes.
check:
	bash .ci/run
