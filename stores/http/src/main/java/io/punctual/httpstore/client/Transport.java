package io.punctual.httpstore.client;

import io.punctual.httpstore.wire.Request;
import io.punctual.httpstore.wire.Requests;
import io.punctual.httpstore.wire.Wire;
import io.punctual.internal.runtime.Backoff;
import io.punctual.spi.Partition;
import io.punctual.timer.DueTimer;
import io.punctual.timer.Timeout;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to a server. Sends a request again if its connection breaks before an answer, and
 * a second execution is harmless, or if the token has been replaced. HTTP/1.1, because the calls of
 * a session may not wait for each other in a connection. Thread-safe.
 */
public final class Transport implements AutoCloseable {
  /** The connections of a client rarely break twice in a row while the server is there. */
  private static final int MOST_REPEATS = 2;

  /** How long a server has time to ask for the body of a request. */
  private static final long QUESTION_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final AtomicInteger CLIENTS = new AtomicInteger();

  private final ServerAddress address;
  private final TokenSource token;
  private final Duration timeout;
  private final DueTimer timer;
  private final ServerFailures failures;
  private final ExecutorService threads;
  private final HttpClient client;
  private final Set<Attempts> open = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /**
   * Creates a transport, without a connection.
   *
   * @param timeout the longest time until an answer
   * @param tls the context of TLS, or null for Java's own
   */
  public Transport(
      ServerAddress address,
      TokenSource token,
      Duration connectTimeout,
      Duration timeout,
      @Nullable SSLContext tls,
      DueTimer timer) {
    this.address = address;
    this.token = token;
    this.timeout = timeout;
    this.timer = timer;
    failures = new ServerFailures(address);
    threads = threads();
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(connectTimeout)
            .executor(threads);
    if (tls != null) {
      builder.sslContext(tls);
    }
    client = builder.build();
  }

  private static ExecutorService threads() {
    String name = "punctual-http-" + CLIENTS.incrementAndGet() + "-";
    AtomicInteger number = new AtomicInteger();
    return Executors.newCachedThreadPool(
        task -> {
          Thread thread = new Thread(task, name + number.incrementAndGet());
          thread.setDaemon(true);
          return thread;
        });
  }

  /** Returns the address of the server, without secrets. */
  public ServerAddress address() {
    return address;
  }

  /** Sends a request, and waits for the usual time. */
  public <A> CompletableFuture<A> send(Request<A> request) {
    return send(request, timeout);
  }

  /** Sends a request, and waits longer than usual. */
  public <A> CompletableFuture<A> send(Request<A> request, Duration patience) {
    if (closed) {
      return CompletableFuture.failedFuture(closedException());
    }
    Exchange<A> exchange = new Exchange<>(request, failures);
    byte[] document = Wire.write(request.getClass(), request);
    if (document.length > Wire.MAX_BODY) {
      return CompletableFuture.failedFuture(
          new Partition.PartitionException(
              "The request has " + document.length + " bytes, and a server takes " + Wire.MAX_BODY,
              null));
    }
    URI uri = address.request("/store/" + Wire.VERSION + "/" + Requests.name(request.getClass()));
    new Attempts(uri, document, exchange)
        .begin(patience.compareTo(timeout) < 0 ? timeout : patience);
    return exchange.answer();
  }

  /**
   * The attempts to get the answer to a request. A server, or a proxy before it, may close a kept
   * connection at the moment at which the client sends the next request on it, so a broken
   * connection says little about the server.
   */
  private final class Attempts {
    private final URI uri;
    private final byte[] document;
    private final Exchange<?> exchange;
    private final Backoff backoff = Backoff.ofCalls();
    private volatile boolean expectsQuestion;
    private volatile @Nullable CompletableFuture<?> sending;
    private volatile boolean isOver;
    private volatile @Nullable Timeout limit;

    Attempts(URI uri, byte[] document, Exchange<?> exchange) {
      this.uri = uri;
      this.document = document;
      this.exchange = exchange;
      expectsQuestion = exchange.isCautious();
    }

    void begin(Duration patience) {
      open.add(this);
      try {
        limit =
            timer.schedule(
                patience.toNanos(),
                () -> end(new TimeoutException("no answer within " + patience.toMillis() + " ms")));
      } catch (RejectedExecutionException timerClosed) {
        end(timerClosed);
      }
      attempt();
      if (closed) {
        end(closedException());
      }
    }

    private void attempt() {
      if (isOver) {
        return;
      }
      String bearer = token.current();
      HttpRequest.Builder http =
          HttpRequest.newBuilder(uri)
              .expectContinue(expectsQuestion)
              .header("Content-Type", Wire.TYPE)
              .POST(exchange.body(document));
      if (bearer != null) {
        http.header("Authorization", "Bearer " + bearer);
      }
      try {
        CompletableFuture<HttpResponse<@Nullable Void>> next =
            client.sendAsync(http.build(), exchange);
        sending = next;
        if (isOver) {
          next.cancel(true);
        } else if (expectsQuestion) {
          timer.schedule(QUESTION_NANOS, () -> expectNoQuestion(next));
        }
        CompletableFuture<?> unused =
            next.whenComplete((response, why) -> ended(response, why, bearer));
      } catch (RuntimeException e) {
        end(e);
      }
    }

    private void ended(
        @Nullable HttpResponse<@Nullable Void> response,
        @Nullable Throwable why,
        @Nullable String bearer) {
      boolean isRefused = response != null && response.statusCode() == 401;
      boolean isHarmless =
          isRefused
              ? token.isReplaced(bearer)
              : why != null && (exchange.canRepeatAfter(why) || isUnasked());
      if (isHarmless && again()) {
        return;
      }
      if (isRefused) {
        exchange.refuse();
      }
      end(why);
    }

    /** Ends the wait for a proxy that does not know that it should ask for the body. */
    private void expectNoQuestion(CompletableFuture<?> attempt) {
      if (!exchange.isSent()) {
        expectsQuestion = false;
        attempt.cancel(true);
      }
    }

    private boolean isUnasked() {
      return exchange.isCautious() && !expectsQuestion && !exchange.isSent();
    }

    private boolean again() {
      if (isOver || backoff.failures() >= MOST_REPEATS) {
        return false;
      }
      try {
        timer.schedule(backoff.failed(ThreadLocalRandom.current()), this::attempt);
        return true;
      } catch (RejectedExecutionException timerClosed) {
        return false;
      }
    }

    /** Ends the attempts, with a failure unless the answer is complete. */
    void end(@Nullable Throwable why) {
      isOver = true;
      open.remove(this);
      Timeout over = limit;
      if (over != null) {
        over.cancel();
      }
      if (why != null) {
        exchange.fail(why);
      }
      CompletableFuture<?> last = sending;
      if (last != null) {
        last.cancel(true);
      }
    }
  }

  private Partition.NotSentException closedException() {
    return new Partition.NotSentException("The store of " + address + " has been closed", null);
  }

  /** Ends all requests. */
  @Override
  public void close() {
    closed = true;
    open.forEach(each -> each.end(closedException()));
    threads.shutdown();
  }
}
