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
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets the JVM compile the code of calls before a server says that it is ready: another server, on
 * memory and on a free port of the loopback interface, answers some hundred calls, which only this
 * object has the right to make. Safe for use by many threads.
 */
final class WarmUp implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);

  /** After these, most of the code is compiled. */
  private static final int MESSAGES = 300;

  /** The number of calls from outside that end the warm-up, because they do its work. */
  private static final int CALLS = 20;

  /** Calls that wait for a new server arrive in this time, and need its processor time. */
  private static final Duration QUIET = Duration.ofMillis(300);

  private static final Duration CALLING = Duration.ofSeconds(3);

  /** The server is ready after this time, even if the warm-up hangs. */
  private static final Duration LONGEST = Duration.ofSeconds(5);

  private static final int PATIENCE_MILLIS = 30_000;
  private static final String NAME = "warm-up";
  private static final Pattern TOKEN = Pattern.compile("\"token\":\"([^\"]+)\"");

  private final Thread thread = new Thread(this::run, "punctual-warm-up");
  private final AtomicInteger calls = new AtomicInteger();
  private volatile boolean hasBegun;
  private long begunNanos;
  private volatile boolean ending;
  private volatile boolean over;
  private volatile int acked;

  /** Begins, on a thread of its own. Never throws, because a server can do without. */
  void begin() {
    begunNanos = System.nanoTime();
    hasBegun = true;
    try {
      thread.setDaemon(true);
      thread.start();
    } catch (Error e) { // for example no memory for a thread
      ended(e);
    }
  }

  /** Returns whether the server is ready. */
  boolean isOver() {
    return over || (hasBegun && System.nanoTime() - begunNanos > LONGEST.toNanos());
  }

  /** Returns the number of messages that have passed from a schedule to an ack. */
  int acked() {
    return acked;
  }

  /** Returns the service with calls of which the twentieth ends the warm-up. */
  Function<RequestHead, Call> endedBy(Function<RequestHead, Call> service) {
    return head -> {
      if (!ending
          && (head.path().startsWith("/v1/") || head.path().startsWith("/store/"))
          && calls.incrementAndGet() >= CALLS) {
        ending = true;
      }
      return service.apply(head);
    };
  }

  private void run() {
    try {
      LockSupport.parkNanos(QUIET.toNanos());
      if (!ending) {
        passMessages();
      }
      over = true;
    } catch (IOException | RuntimeException | Error e) {
      ended(e);
    }
  }

  private void ended(Throwable failure) {
    over = true;
    LOG.warn("The warm-up failed, so the first calls take longer: {}", failure.toString());
  }

  private void passMessages() throws IOException {
    String secret = AccessToken.generate(NAME);
    PunctualServer server = PunctualServer.start(config(secret));
    try {
      long begun = System.nanoTime();
      int passed = 0;
      do {
        passed += passMessage(server.address(), secret);
        acked = passed;
      } while (!ending && passed < MESSAGES && System.nanoTime() - begun < CALLING.toNanos());
    } finally {
      server.abort();
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

  /** Returns the number of acked messages: one, unless the claim came too early. */
  private static int passMessage(URI server, String secret) throws IOException {
    String unused = post(server, secret, "messages", "{\"id\":\"1\",\"payload\":\"x\"}");
    Matcher token = TOKEN.matcher(post(server, secret, "claims", "{}"));
    if (!token.find()) {
      return 0;
    }
    String ack = "[{\"id\":\"1\",\"token\":\"" + token.group(1) + "\",\"action\":\"ack\"}]";
    unused = post(server, secret, "settlements", ack);
    return 1;
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
    try (Socket socket = new Socket(Proxy.NO_PROXY)) {
      socket.connect(new InetSocketAddress(server.getHost(), server.getPort()), PATIENCE_MILLIS);
      socket.setSoTimeout(PATIENCE_MILLIS);
      socket.getOutputStream().write(request.getBytes(US_ASCII));
      String answer = new String(socket.getInputStream().readAllBytes(), US_ASCII);
      if (!answer.startsWith("HTTP/1.1 2")) {
        throw new IOException("A call was answered by " + answer.lines().findFirst().orElse(""));
      }
      return answer;
    }
  }

  /** Ends the warm-up, and waits for its end, usually for some milliseconds. */
  @Override
  public void close() throws InterruptedException {
    ending = true;
    thread.join(LONGEST.toMillis());
  }
}
