package io.punctual.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.TimedQueue;
import io.punctual.http.exchange.Client;
import io.punctual.http.route.Route;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Runs the lines of curl of the documentation, in their order. */
final class CurlLinesTest {
  private final ApiDriver api =
      new ApiDriver("memory:", builder -> builder.webhooks(new ListedWebhooks()));
  private final Map<String, String> variables = new HashMap<>();

  @AfterEach
  void close() {
    api.close();
  }

  private static List<String> lines() throws IOException {
    Path docs = Path.of("docs/http-api.md");
    Path page = Files.exists(docs) ? docs : Path.of("..").resolve(docs);
    return Files.readAllLines(page).stream().filter(line -> line.startsWith("curl ")).toList();
  }

  @Test
  void everyLine_works_andEveryRouteHasOne() throws IOException {
    Set<String> missing = new TreeSet<>();
    for (Route route : api.api.routes()) {
      missing.add(route.method() + " " + route.template());
    }
    variables.put("S", "");
    api.roles.put("shop", Set.of());
    api.punctual.queue("mail.other", Codec.bytes()).work(delivery -> {});
    for (String line : lines()) {
      if (line.contains("$DEAD")) {
        variables.put("DEAD", deadLetter());
      }
      ApiDriver.Response response = run(line);
      assertThat(response.status()).as(line + "\n" + response.text()).isLessThan(300);
      remember(response);
      missing.remove(used(line));
    }
    assertThat(missing).isEmpty();
    auditNamesEveryChange();
  }

  private void auditNamesEveryChange() {
    Set<String> changes = new TreeSet<>();
    for (Route route : api.api.routes()) {
      if (route.isAudited()) {
        changes.add(route.method() + " " + route.template());
      }
    }
    await()
        .untilAsserted(
            () -> {
              Set<String> kept = new TreeSet<>();
              for (JsonNode entry : api.get("/v1/audit?limit=1000").at("/entries")) {
                String[] action = entry.get("action").asString().split(" ", -1);
                kept.add(action[0] + " " + action[1]);
                boolean isOfQueue = action[1].matches(".*(queues|workers|tasks|webhooks).*");
                assertThat(entry.has("queue")).as(entry.toString()).isEqualTo(isOfQueue);
              }
              assertThat(kept).isEqualTo(changes);
            });
  }

  private String deadLetter() {
    TimedQueue<byte[]> queue = api.punctual.queue("mail", Codec.bytes());
    queue.schedule("null".getBytes(StandardCharsets.UTF_8), Duration.ZERO);
    var delivery = queue.claim(1, Duration.ofSeconds(30)).get(0);
    delivery.bury("no such user");
    return delivery.id();
  }

  private void remember(ApiDriver.Response response) {
    if ("application/json".equals(response.headers().get("Content-Type"))) {
      var first = response.at("/deliveries/0");
      if (first.isObject()) {
        variables.put("ID", first.get("id").asString());
        variables.put("TOKEN", first.get("token").asString());
      }
      if (response.at("/workers/0").isObject()) {
        variables.put("WORKER", api.punctual.workers().get(0).id());
      }
      if (response.status() == 202 && response.json().has("action")) {
        variables.put("TASK", response.at("/id").asString());
      }
    }
  }

  private ApiDriver.Response run(String line) {
    List<String> words = words(line);
    String method = "GET";
    String target = "";
    String body = "";
    List<String> headers = new ArrayList<>();
    for (int i = 1; i < words.size(); i++) {
      switch (words.get(i)) {
        case "-X" -> method = words.get(++i);
        case "-H" -> headers.addAll(List.of(words.get(++i).split(": ", 2)));
        case "-d", "--data-binary" -> body = words.get(++i);
        default -> target = words.get(i);
      }
    }
    return ApiDriver.await(
        api.start(
            TestHead.of(method, target, headers.toArray(String[]::new)),
            body.getBytes(StandardCharsets.UTF_8),
            Client.UNWATCHED));
  }

  /** Splits a line as a shell does. */
  private List<String> words(String line) {
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    char quote = 0;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (quote == 0 && c == ' ') {
        words.add(word.toString());
        word.setLength(0);
      } else if (quote == 0 && (c == '\'' || c == '"')) {
        quote = c;
      } else if (c == quote) {
        quote = 0;
      } else if (c == '$' && quote == 0 && line.charAt(i + 1) == '\'') {
        int end = line.indexOf('\'', i + 2);
        word.append(line.substring(i + 2, end).replace("\\n", "\n"));
        i = end;
      } else if (c == '$' && quote != '\'') {
        int end = i + 1;
        while (end < line.length() && Character.isUpperCase(line.charAt(end))) {
          end++;
        }
        word.append(variables.get(line.substring(i + 1, end)));
        i = end - 1;
      } else {
        word.append(c);
      }
    }
    words.add(word.toString());
    return words;
  }

  /** Returns the method and the template of the route that a line uses. */
  private String used(String line) {
    List<String> words = words(line);
    int x = words.indexOf("-X");
    String method = x < 0 ? "GET" : words.get(x + 1);
    String path = words.stream().filter(word -> word.startsWith("/")).findFirst().orElseThrow();
    String clean = path.replaceAll("\\?.*", "");
    return api.api.routes().stream()
        .filter(route -> route.method().equals(method))
        .filter(route -> clean.matches(route.template().replaceAll("\\{[a-z]+}", "[^/]+")))
        .map(route -> route.method() + " " + route.template())
        .findFirst()
        .orElseThrow(() -> new AssertionError("no route for " + line));
  }
}
