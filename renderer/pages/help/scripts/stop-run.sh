# Ask each run on rastrigin that is still RUNNING to stop before its next iteration.
curl --fail --silent "$EVOSCOPE_URL/api/runs?format=csv&problem=rastrigin&status=RUNNING" |
  sed 1d | cut -d , -f 1 |
  while read -r run; do
    curl --fail --silent --show-error --request POST "$EVOSCOPE_URL/api/runs/$run/stop" \
      --header 'Content-Type: application/json' --data '{ "reason": "enough seen" }'
    echo
  done
