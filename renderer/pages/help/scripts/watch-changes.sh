# One line whenever the database changed: what to wait for before asking again. This ends with the first one.
curl --no-buffer --silent "$EVOSCOPE_URL/api/changes" | grep --line-buffered --max-count=1 '^data:'
