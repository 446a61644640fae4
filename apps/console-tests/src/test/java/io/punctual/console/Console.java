package io.punctual.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import io.punctual.server.PunctualServer;
import io.punctual.server.config.ServerConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A server with its console, and the people who look at it. */
final class Console implements AutoCloseable {
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private static final Pattern DELIVERY =
      Pattern.compile("\"id\":\"([^\"]+)\",\"token\":\"([^\"]+)\"");

  private final Browser browser;
  private final Path file;
  private final String store;
  private final List<Visitor> visitors = new ArrayList<>();
  private PunctualServer server;
  private int port;
  private @Nullable String token;

  private Console(Browser browser, Path file, String store) {
    this.browser = browser;
    this.file = file;
    this.store = store;
    this.server = start();
    this.port = server.address().getPort();
  }

  /** Starts a server with a store in memory, which serves everybody. */
  static Console open(Browser browser, Path folder) {
    return open(browser, folder, "memory:", "");
  }

  /** Starts a server with a store and a configuration, which stands in a folder. */
  static Console open(Browser browser, Path folder, String store, String yaml) {
    try {
      Path file = folder.resolve("punctual.yaml");
      Files.writeString(file, yaml);
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
      return new Console(browser, file, store);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private PunctualServer start() {
    try {
      return PunctualServer.start(
          new ServerConfig.Options(file, store, null, null, port), Map.of());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ends the server. */
  void stop() {
    server.close();
  }

  /** Starts the server again, on its port. */
  void startAgain() {
    server = start();
  }

  /** Sends the further requests of the test with a token. */
  void use(String own) {
    token = own;
  }

  /** Returns a link of the terminal, without the address of the server. */
  String link() {
    return "#" + server.newSignInLink().getFragment();
  }

  URI address() {
    return server.address();
  }

  /** Opens the window of one person. */
  Visitor visitor() {
    return visitor(address(), new Browser.NewContextOptions());
  }

  /** Opens the window of one person, at an address, such as a proxy's. */
  Visitor visitor(URI root, Browser.NewContextOptions options) {
    Visitor visitor = new Visitor(browser, root, options);
    visitors.add(visitor);
    return visitor;
  }

  /** Sends JSON, in which ' stands for ", and refuses an answer that is an error. */
  String send(String method, String path, String json) {
    HttpResponse<String> answer = ask(method, path, json, token);
    assertThat(answer.statusCode())
        .as("%s %s: %s", method, path, answer.body())
        .isBetween(200, 299);
    return answer.body();
  }

  HttpResponse<String> ask(String method, String path, String json, @Nullable String as) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(address() + path))
            .header("Content-Type", "application/json")
            .method(method, HttpRequest.BodyPublishers.ofString(json.replace('\'', '"')));
    if (as != null) {
      request.header("Authorization", "Bearer " + as);
    }
    try {
      return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Schedules one message, or a list. */
  void schedule(String queue, String json) {
    send("POST", "/v1/queues/" + encode(queue) + "/messages", json);
  }

  /** Schedules messages {@code m-0}, {@code m-1} and so on, which are due in so many minutes. */
  void scheduleMany(String queue, int count, int minutes) {
    for (int from = 0; from < count; from += 1000) {
      scheduleMany(queue, from, Math.min(from + 1000, count), "m-", minutes);
    }
  }

  /** Schedules up to 1,000 messages that are due, with the numbers of a range in their ids. */
  void scheduleMany(String queue, int from, int to, String prefix) {
    scheduleMany(queue, from, to, prefix, 0);
  }

  private void scheduleMany(String queue, int from, int to, String prefix, int minutes) {
    List<String> batch = new ArrayList<>();
    for (int i = from; i < to; i++) {
      batch.add("{'id':'%s%d','payload':{'n':%d},'delay':'%dm'}".formatted(prefix, i, i, minutes));
    }
    schedule(queue, "[" + String.join(",", batch) + "]");
  }

  /** Claims what is due, and settles each message by an action with its further fields. */
  int settle(String queue, String action) {
    String path = "/v1/queues/" + encode(queue);
    String claimed = send("POST", path + "/claims", "{'max':1000,'wait':'2s'}");
    List<String> settlements = new ArrayList<>();
    Matcher each = DELIVERY.matcher(claimed);
    while (each.find()) {
      settlements.add(
          "{'id':'%s','token':'%s',%s}".formatted(each.group(1), each.group(2), action));
    }
    if (!settlements.isEmpty()) {
      send("POST", path + "/settlements", "[" + String.join(",", settlements) + "]");
    }
    return settlements.size();
  }

  static String encode(String name) {
    return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** Closes all windows, and refuses faults that they had. */
  @Override
  public void close() {
    try {
      visitors.forEach(Visitor::close);
    } finally {
      server.close();
    }
  }
}
