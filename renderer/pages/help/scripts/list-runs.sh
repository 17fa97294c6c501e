# All completed runs on onemax, with a parameter as a column: the whole list, whatever its length.
curl --fail --silent --show-error --get "$EVOSCOPE_URL/api/runs" \
  --header 'Accept: text/csv' \
  --data-urlencode 'problem=onemax' \
  --data-urlencode 'status=COMPLETED' \
  --data-urlencode 'params=algorithm.populationSize' \
  --output runs.csv
head -n 3 runs.csv
