package io.punctual.server.jwt;

import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys of an issuer, as its address lists them (JWKS). They are fetched from the configured
 * address only, without redirects, and at most once a minute: at the start, every ten minutes while
 * tokens arrive, and when a token names an unknown key. A failed fetch keeps the keys. Safe for use
 * by many threads.
 */
final class IssuerKeys {
  private static final Logger LOG = LoggerFactory.getLogger(IssuerKeys.class);
  private static final long MINUTE = Duration.ofMinutes(1).toNanos();
  private static final long REFRESH = Duration.ofMinutes(10).toNanos();
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final int LARGEST = 1 << 18;

  private final URI address;
  private final HttpClient client =
      HttpClient.newBuilder()
          .followRedirects(HttpClient.Redirect.NEVER)
          .connectTimeout(PATIENCE)
          .build();
  private volatile List<JWK> keys = List.of();
  private long lastFetch;
  private @Nullable CompletableFuture<@Nullable Void> first;

  IssuerKeys(URI address) {
    this.address = address;
  }

  /** Fetches the keys for the first time, and waits for them for some seconds. */
  void awaitFirst() {
    CompletableFuture<@Nullable Void> fetched;
    synchronized (this) {
      fetched = first == null ? fetch() : first;
      first = fetched;
    }
    try {
      fetched.get(2 * PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("The keys of {} are not there yet", address);
    }
  }

  /** Returns the keys that are known. */
  List<JWK> known() {
    refreshAfter(REFRESH);
    return keys;
  }

  /** Asks for new keys, since a token names an unknown one. */
  void refresh() {
    refreshAfter(MINUTE);
  }

  private synchronized void refreshAfter(long nanos) {
    if (System.nanoTime() - lastFetch >= nanos) {
      CompletableFuture<@Nullable Void> unused = fetch();
    }
  }

  private synchronized CompletableFuture<@Nullable Void> fetch() {
    lastFetch = System.nanoTime();
    HttpRequest request = HttpRequest.newBuilder(address).timeout(PATIENCE).build();
    return client
        .sendAsync(request, IssuerKeys::limited)
        .orTimeout(2 * PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
        .handle(
            (answer, failure) -> {
              if (failure == null) {
                use(answer);
              } else {
                LOG.warn("The keys of {} can't be fetched", address, failure);
              }
              return null;
            });
  }

  private static HttpResponse.BodySubscriber<String> limited(HttpResponse.ResponseInfo info) {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    return HttpResponse.BodySubscribers.mapping(
        HttpResponse.BodySubscribers.ofByteArrayConsumer(
            part -> {
              byte[] bytes = part.orElse(new byte[0]);
              if (body.size() + bytes.length > LARGEST) {
                throw new IllegalStateException("The answer exceeds " + LARGEST + " bytes");
              }
              body.write(bytes, 0, bytes.length);
            }),
        end -> body.toString(StandardCharsets.UTF_8));
  }

  private void use(HttpResponse<String> answer) {
    try {
      if (answer.statusCode() != 200) {
        throw new ParseException("the status is " + answer.statusCode(), 0);
      }
      keys = JWKSet.parse(answer.body()).getKeys();
    } catch (ParseException e) {
      LOG.warn("The keys of {} can't be used: {}", address, e.getMessage());
    }
  }
}
