package io.punctual.server;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.punctual.http.access.AccessToken;
import io.punctual.http.access.Grant;
import io.punctual.http.access.Right;
import io.punctual.http.exchange.Call;
import io.punctual.http.exchange.RequestHead;
import io.punctual.server.config.AccessConfig;
import io.punctual.server.config.ServerConfig;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets the JVM compile the code of calls before a server says that it is ready: another server, on
 * memory and on a free port of the loopback interface, answers some hundred calls, which only this
 * object has the right to make.
 */
final class WarmUp implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);

  /** After these, most of the code is compiled. */
  private static final int MESSAGES = 300;

  private static final Duration LONGEST = Duration.ofSeconds(3);
  private static final String NAME = "warm-up";
  private static final Pattern TOKEN = Pattern.compile("\"token\":\"([^\"]+)\"");

  private volatile boolean ending;
  private volatile boolean over;
  private int passed;

  /** Begins, on a thread of its own. */
  void begin() {
    Thread thread = new Thread(this::run, "punctual-warm-up");
    thread.setDaemon(true);
    thread.start();
  }

  /** Returns whether the warm-up has ended, in whatever way. */
  boolean isOver() {
    return over;
  }

  /** Returns the number of messages that have passed through, once the warm-up is over. */
  int passed() {
    return passed;
  }

  /** Returns the service with calls that end the warm-up, because they do its work. */
  Function<RequestHead, Call> endedBy(Function<RequestHead, Call> service) {
    return head -> {
      if (!ending && !OperationsService.has(head.path())) {
        ending = true;
      }
      return service.apply(head);
    };
  }

  private void run() {
    String secret = AccessToken.generate(NAME);
    try {
      PunctualServer server = PunctualServer.start(config(secret));
      try {
        long end = System.nanoTime() + LONGEST.toNanos();
        while (passed < MESSAGES && !ending && System.nanoTime() - end < 0) {
          passMessage(server.address(), secret);
          passed++;
        }
      } finally {
        server.abort();
      }
    } catch (IOException | RuntimeException e) {
      LOG.debug("The warm-up ended early", e);
    } finally {
      over = true;
    }
  }

  /** Returns a configuration whose only caller has this token. */
  private static ServerConfig config(String token) {
    ServerConfig usual =
        ServerConfig.read(new ServerConfig.Options(null, "memory:", null, null, 0), Map.of());
    Set<Grant> grants = Set.of(new Grant(Right.PRODUCE, NAME), new Grant(Right.CONSUME, NAME));
    AccessToken only = new AccessToken(NAME, AccessToken.sha256(token), null, grants);
    return new ServerConfig(
        usual.store(),
        usual.host(),
        usual.port(),
        usual.names(),
        usual.tls(),
        usual.proxies(),
        usual.behindProxy(),
        new AccessConfig(Map.of(), List.of(only), Map.of(), List.of()),
        usual.readOnly(),
        usual.limits(),
        usual.retries(),
        usual.webhooks());
  }

  private static void passMessage(URI server, String secret) throws IOException {
    String unused = post(server, secret, "messages", "{\"id\":\"1\",\"payload\":\"x\"}");
    Matcher token = TOKEN.matcher(post(server, secret, "claims", "{}"));
    if (token.find()) {
      String ack = "[{\"id\":\"1\",\"token\":\"" + token.group(1) + "\",\"action\":\"ack\"}]";
      unused = post(server, secret, "settlements", ack);
    }
  }

  /** The JDK's client would load hundreds of classes that nobody else needs. */
  private static String post(URI server, String secret, String path, String body)
      throws IOException {
    String request =
        String.join(
            "\r\n",
            "POST /v1/queues/" + NAME + "/" + path + " HTTP/1.1",
            "Host: " + server.getAuthority(),
            "Connection: close",
            "Authorization: Bearer " + secret,
            "Content-Type: application/json",
            "Content-Length: " + body.length(),
            "",
            body);
    try (Socket socket = new Socket(server.getHost(), server.getPort())) {
      socket.setSoTimeout(Math.toIntExact(LONGEST.toMillis()));
      socket.getOutputStream().write(request.getBytes(US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), US_ASCII);
    }
  }

  /** Ends the warm-up soon. */
  @Override
  public void close() {
    ending = true;
  }
}
