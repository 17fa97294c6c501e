# A service that was started with SVC_TOKEN wants the token with every call.
curl --fail --silent --show-error "$EVOSCOPE_URL/api/dashboard/summary" \
  --header "Authorization: Bearer $EVOSCOPE_TOKEN"
