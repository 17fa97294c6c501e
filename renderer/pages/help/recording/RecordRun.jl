# julia RecordRun.jl, with Julia 1.6 or newer
using Downloads, Random, UUIDs

"Sends records, one per line, and returns whether a user asked a run to stop."
function send(records...)
    output = IOBuffer()
    response = Downloads.request(
        ENV["EVOSCOPE_URL"] * "/api/record";
        method = "POST",
        headers = [
            "Content-Type" => "application/x-ndjson",
            "Authorization" => "Bearer " * get(ENV, "EVOSCOPE_TOKEN", "none"),
        ],
        input = IOBuffer(join(records, "\n")),
        output = output,
    )
    text = String(take!(output))
    response.status == 200 || error(text)
    return occursin("\"stop\":[{", text)
end

function main()
    run = "\"runId\":\"$(uuid4())\""
    config = """{"algorithm":"random search","problem":"sphere","dimension":2,"budget":200}"""
    send("{\"type\":\"run\",$run,\"seed\":1,\"config\":$config}")
    random = MersenneTwister(1)
    best = Inf
    is_stopped = false
    for iteration in 0:19
        best = min(best, minimum(sum(abs2, randn(random, 2)) for _ in 1:10))
        evaluations = 10 * (iteration + 1)
        progress = "\"iteration\":$iteration,\"evaluations\":$evaluations,\"best\":$best"
        is_stopped = send("{\"type\":\"iteration\",$run,$progress}")
        is_stopped && break
    end
    status = is_stopped ? "STOPPED" : "COMPLETED"
    send("{\"type\":\"end\",$run,\"status\":\"$status\"}")
    println("best fitness $best")
end

main()
