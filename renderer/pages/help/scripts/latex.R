# The tables of a comparison as LaTeX; \input it where booktabs, longtable and graphicx are loaded.
url <- Sys.getenv("EVOSCOPE_URL")
download.file(paste0(url, "/api/analysis/problem/onemax/latex?target=40"), "onemax.tex", quiet = TRUE)
