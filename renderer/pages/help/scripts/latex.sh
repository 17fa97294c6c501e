# The tables of a comparison as LaTeX; \input it where booktabs, longtable and graphicx are loaded.
curl --fail --silent --show-error --output onemax.tex \
  "$EVOSCOPE_URL/api/analysis/problem/onemax/latex?target=40"
grep -c toprule onemax.tex
