package io.punctual.server.jwt;

import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import io.punctual.server.config.AccessConfig.Issuer;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys of an issuer, as its address lists them (JWKS). They are fetched from the configured
 * address only, without redirects, and at most once a minute: at the start, every ten minutes while
 * tokens arrive, and when a token names an unknown key. A failed fetch keeps the keys. Whether an
 * unknown key may only be missing here is said by {@link #mayLack}. Safe for use by many threads.
 */
final class IssuerKeys {
  private static final Logger LOG = LoggerFactory.getLogger(IssuerKeys.class);
  private static final long MINUTE = Duration.ofMinutes(1).toNanos();
  private static final long REFRESH = Duration.ofMinutes(10).toNanos();
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final int LARGEST = 1 << 18;

  /** Random ids of keys must neither fill the memory, nor all be taken for new keys. */
  static final int MOST_ASKED = 100;

  private final URI address;
  private final InstantSource clock;
  private final LongSupplier nanoTime;
  private final HttpClient client =
      HttpClient.newBuilder()
          .followRedirects(HttpClient.Redirect.NEVER)
          .connectTimeout(PATIENCE)
          .build();
  private volatile List<JWK> keys = List.of();
  private long lastFetch;
  private boolean isPending;
  private boolean hasFailed;

  /** When the fetch of the keys began. */
  private Instant fetchedAt = Instant.MIN;

  /** The unknown keys that tokens have named since the last fetch began. */
  private Set<String> asked = new HashSet<>();

  /** The keys that were asked for before the last fetch, which did not bring them. */
  private Set<String> absent = Set.of();

  private @Nullable CompletableFuture<@Nullable Void> first;

  IssuerKeys(URI address, InstantSource clock, LongSupplier nanoTime) {
    this.address = address;
    this.clock = clock;
    this.nanoTime = nanoTime;
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

  /**
   * Asks for new keys, since a token names an unknown one, and returns whether the issuer may have
   * the key nevertheless: the keys are being fetched or have changed meanwhile, the last fetch
   * failed, or the token may be newer than the keys. The next fetch decides about the last.
   *
   * @param seen the keys among which it is not
   * @param id the id of the key, or an empty text
   * @param issued when the token was issued, by its own account
   */
  @SuppressWarnings("ReferenceEquality") // Each fetch makes another list.
  synchronized boolean mayLack(List<JWK> seen, String id, @Nullable Instant issued) {
    boolean isAsked = asked.contains(id) || (asked.size() < MOST_ASKED && asked.add(id));
    refreshAfter(MINUTE);
    return isPending
        || hasFailed
        || keys != seen
        || (isAsked
            && !absent.contains(id)
            && issued != null
            && issued.plus(Issuer.SKEW).isAfter(fetchedAt));
  }

  private synchronized void refreshAfter(long nanos) {
    if (nanoTime.getAsLong() - lastFetch >= nanos) {
      CompletableFuture<@Nullable Void> unused = fetch();
    }
  }

  private synchronized CompletableFuture<@Nullable Void> fetch() {
    lastFetch = nanoTime.getAsLong();
    isPending = true;
    Instant begin = clock.instant();
    Set<String> wanted = asked;
    asked = new HashSet<>();
    HttpRequest request = HttpRequest.newBuilder(address).timeout(PATIENCE).build();
    return client
        .sendAsync(request, IssuerKeys::limited)
        .orTimeout(2 * PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
        .handle(
            (answer, failure) -> {
              if (failure != null) {
                LOG.warn("The keys of {} can't be fetched", address, failure);
              }
              end(failure == null ? keysIn(answer) : null, begin, wanted);
              return null;
            });
  }

  private synchronized void end(@Nullable List<JWK> fetched, Instant begin, Set<String> wanted) {
    isPending = false;
    hasFailed = fetched == null;
    if (fetched != null) {
      keys = fetched;
      fetchedAt = begin;
      absent = wanted;
    }
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

  private @Nullable List<JWK> keysIn(HttpResponse<String> answer) {
    try {
      if (answer.statusCode() != 200) {
        throw new ParseException("the status is " + answer.statusCode(), 0);
      }
      return JWKSet.parse(answer.body()).getKeys();
    } catch (ParseException | RuntimeException e) {
      LOG.warn("The keys of {} can't be used: {}", address, e.getMessage());
      return null;
    }
  }
}
