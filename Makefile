.PHONY: document
document:
	Rscript tools/call-table.R
	Rscript -e 'roxygen2::roxygenise(load_code = "source")'
