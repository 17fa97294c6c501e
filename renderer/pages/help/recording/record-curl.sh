# Each line is a record: a run, its iterations, its end. Sending one again changes nothing.
curl --fail-with-body --silent --show-error "$EVOSCOPE_URL/api/record" \
  ${EVOSCOPE_TOKEN:+--header "Authorization: Bearer $EVOSCOPE_TOKEN"} \
  --header 'Content-Type: application/x-ndjson' --data-binary @- <<'END'
{"type":"run","runId":"first","seed":1,"config":{"algorithm":"random search","problem":"sphere","dimension":2}}
{"type":"iteration","runId":"first","iteration":0,"evaluations":10,"best":0.7}
{"type":"iteration","runId":"first","iteration":1,"evaluations":20,"best":0.4}
{"type":"end","runId":"first","status":"COMPLETED"}
END
