package io.punctual.http.token;

import io.punctual.CancelOutcome;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.MessageQuery;
import io.punctual.Punctual;
import io.punctual.ScheduleOutcome;
import io.punctual.State;
import io.punctual.StoreUnavailableException;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.http.access.AccessToken;
import io.punctual.http.access.Caller;
import io.punctual.http.access.Grant;
import io.punctual.http.queue.Queues;
import io.punctual.http.route.Dispatch;
import io.punctual.http.text.BadInputException;
import io.punctual.timer.DueTimer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tokens that the API has made. Each is a message in a queue of the server, which is due when the
 * token ends; the store has digests only. Each process reads them every two seconds, so that a
 * token that another process has revoked ends soon. Safe for use by many threads.
 */
public final class StoredTokens implements AutoCloseable {
  /** The queue of the tokens. */
  public static final String QUEUE = Dispatch.OWN_QUEUES + "tokens";

  /** The largest number of tokens. */
  static final int MOST = 10_000;

  private static final Logger LOG = LoggerFactory.getLogger("io.punctual.http");
  private static final Duration PERIOD = Duration.ofSeconds(2);
  private static final Duration FOR_EVER = Duration.ofDays(36_500);
  private static final int PAGE = 1_000;
  private static final String NOBODY = "0".repeat(64);

  private final Queues queues;
  private final InstantSource clock;
  private final Consumer<Runnable> changes;
  private CompletionStage<?> last = CompletableFuture.completedFuture(null);
  private volatile @Nullable Map<String, TokenRecord> known;
  private volatile boolean failed;
  private volatile boolean closed;

  /**
   * Creates it; {@link #start} reads the tokens.
   *
   * @param changes runs a change of the tokens that are known
   */
  public StoredTokens(Punctual punctual, InstantSource clock, Consumer<Runnable> changes) {
    this.queues = new Queues(punctual);
    this.clock = clock;
    this.changes = changes;
  }

  /**
   * Reads the tokens now, and again and again until this is closed; the stage is the first read.
   */
  public CompletionStage<?> start(DueTimer timer) {
    return refresh().whenComplete((done, failure) -> again(timer));
  }

  private void again(DueTimer timer) {
    if (closed) {
      return;
    }
    try {
      timer.schedule(
          PERIOD,
          () -> {
            CompletionStage<?> unused = start(timer);
          });
    } catch (RejectedExecutionException e) {
      closed = true;
    }
  }

  /**
   * Returns the caller with a token, or null if no token is the same and valid.
   *
   * @param roles the rights by the names of roles
   * @throws StoreUnavailableException if the tokens could not be read yet
   */
  public @Nullable Caller find(String token, Map<String, Set<Grant>> roles) {
    Map<String, TokenRecord> all = known;
    if (all == null) {
      throw new StoreUnavailableException(
          "The store has not yet answered which tokens it has", null);
    }
    String id = AccessToken.idIn(token);
    TokenRecord record = id == null ? null : all.get(id);
    byte[] given = AccessToken.sha256(token).getBytes(StandardCharsets.US_ASCII);
    String wanted = record == null ? NOBODY : record.sha256();
    boolean isSame = MessageDigest.isEqual(given, wanted.getBytes(StandardCharsets.US_ASCII));
    if (record == null || !isSame || isOver(record)) {
      return null;
    }
    return new Caller(record.id(), record.grants(roles), record.expires());
  }

  private boolean isOver(TokenRecord record) {
    Instant expires = record.expires();
    return expires != null && !clock.instant().isBefore(expires);
  }

  /** Returns the tokens that are not over, sorted by their ids, as the store has them now. */
  CompletionStage<Collection<TokenRecord>> list() {
    return read()
        .thenApply(
            all -> {
              all.values().removeIf(this::isOver);
              return all.values();
            });
  }

  /** Stores a token, and returns whether its id was free. */
  CompletionStage<Boolean> add(TokenRecord record) {
    Instant expires = record.expires();
    Instant end = expires == null ? record.createdAt().plus(FOR_EVER) : expires;
    Message<byte[]> message = Message.of(record.toBytes()).id(record.id()).dueAt(end);
    return queues
        .open(QUEUE)
        .thenCompose(tokens -> tokens.async().schedule(message, IfPresent.REJECT))
        .thenCompose(
            stored -> refreshed().thenApply(done -> stored.outcome() != ScheduleOutcome.REJECTED));
  }

  /** Revokes a token, and returns whether it was there. */
  CompletionStage<Boolean> revoke(String id) {
    return queues
        .open(QUEUE)
        .thenCompose(tokens -> tokens.async().cancel(id))
        .thenCompose(outcome -> refreshed().thenApply(done -> outcome == CancelOutcome.CANCELLED));
  }

  /** Reads the tokens after a change; if the store is away then, the next read has the change. */
  private CompletionStage<?> refreshed() {
    return refresh().handle((done, failure) -> null);
  }

  /** Reads the tokens after the reads that run, so that an older read is never the last one. */
  private synchronized CompletionStage<?> refresh() {
    last = last.handle((done, failure) -> null).thenCompose(done -> read()).thenAccept(this::use);
    return last.whenComplete((done, failure) -> tell(failure));
  }

  private void use(Map<String, TokenRecord> read) {
    if (!read.equals(known)) {
      changes.accept(() -> known = read);
    }
  }

  private void tell(@Nullable Throwable failure) {
    if (failure != null && !failed && !closed) {
      LOG.warn("The tokens that the API has made can't be read now: {}", failure.toString());
    }
    failed = failure != null;
  }

  private CompletionStage<Map<String, TokenRecord>> read() {
    return queues
        .open(QUEUE)
        .thenCompose(tokens -> pages(tokens, new TreeMap<>(), MessageQuery.of(State.SCHEDULED)));
  }

  private static CompletionStage<Map<String, TokenRecord>> pages(
      TimedQueue<byte[]> tokens, Map<String, TokenRecord> found, MessageQuery query) {
    return tokens
        .async()
        .browse(query.limit(PAGE))
        .thenCompose(
            page -> {
              page.items().forEach(message -> add(message, found));
              return page.next().isPresent()
                  ? pages(tokens, found, query.after(page.next().get()))
                  : CompletableFuture.completedFuture(found);
            });
  }

  private static void add(StoredMessage<byte[]> message, Map<String, TokenRecord> found) {
    try {
      TokenRecord record = TokenRecord.parse(message.payloadBytes());
      found.put(record.id(), record);
    } catch (BadInputException e) {
      LOG.warn("The token {} in the store can't be read, and is not valid", message.id());
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}
