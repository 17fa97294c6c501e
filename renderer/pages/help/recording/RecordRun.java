// java RecordRun.java, with Java 17 or newer
import java.net.URI;
import java.net.http.*;
import java.util.*;

class RecordRun {
    static final HttpClient client = HttpClient.newHttpClient();

    /** Sends records, one per line, and returns whether a user asked a run to stop. */
    static boolean send(String... records) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(System.getenv("EVOSCOPE_URL") + "/api/record"))
            .header("Content-Type", "application/x-ndjson")
            .header("Authorization", "Bearer " + System.getenv().getOrDefault("EVOSCOPE_TOKEN", "none"))
            .POST(HttpRequest.BodyPublishers.ofString(String.join("\n", records)))
            .build();
        var response = client.send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) throw new IllegalStateException(response.body());
        return response.body().contains("\"stop\":[{");
    }

    public static void main(String[] arguments) throws Exception {
        String run = "\"runId\":\"" + UUID.randomUUID() + "\"";
        send("{\"type\":\"run\"," + run + ",\"seed\":1,\"config\":"
            + "{\"algorithm\":\"random search\",\"problem\":\"sphere\",\"dimension\":2,\"budget\":200}}");
        var random = new Random(1);
        double best = Double.POSITIVE_INFINITY;
        boolean isStopped = false;
        for (int iteration = 0; iteration < 20 && !isStopped; iteration++) {
            for (int i = 0; i < 10; i++)
                best = Math.min(best, Math.pow(random.nextGaussian(), 2) + Math.pow(random.nextGaussian(), 2));
            isStopped = send("{\"type\":\"iteration\"," + run + ",\"iteration\":" + iteration
                + ",\"evaluations\":" + 10 * (iteration + 1) + ",\"best\":" + best + "}");
        }
        send("{\"type\":\"end\"," + run + ",\"status\":\"" + (isStopped ? "STOPPED" : "COMPLETED") + "\"}");
        System.out.println("best fitness " + best);
    }
}
