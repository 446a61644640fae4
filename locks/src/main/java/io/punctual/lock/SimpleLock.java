package io.punctual.lock;

import io.lettuce.core.protocol.CommandType;
import io.punctual.PunctualException;
import io.punctual.lock.internal.client.ClientCard;
import io.punctual.lock.internal.client.LockClient;
import io.punctual.lock.internal.client.LockFailures;
import io.punctual.lock.internal.client.LockServer;
import io.punctual.lock.internal.hold.LockLease;
import io.punctual.lock.internal.hold.LockSession;
import io.punctual.lock.internal.protocol.LockKeys;
import io.punctual.lock.internal.protocol.LockOptions;
import io.punctual.lock.internal.protocol.LockReplyReader;
import io.punctual.lock.internal.protocol.LockScripts;
import io.punctual.redis.client.connection.RedisReply;
import io.punctual.redis.client.request.Request;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * The plain recipe for a lock on Redis: {@code SET key token NX PX lease}, and a delete that
 * compares the token. A simple lock does not wait, is not renewed, has no fencing token and reports
 * no loss; a {@linkplain RedisLocks#mutex mutex} offers all four. Immutable and safe for use by
 * many threads.
 */
public final class SimpleLock {
  private final LockClient client;
  private final ClientCard card;
  private final LockKeys keys;

  SimpleLock(LockSession session, LockKeys keys) {
    this.client = session.client();
    this.card = session.watchdog().card();
    this.keys = keys;
  }

  /** Returns the name. */
  public String name() {
    return keys.name();
  }

  /**
   * Acquires the lock if it is free; otherwise returns empty.
   *
   * @param lease 10 milliseconds to 30 days
   * @throws PunctualException if the request fails; if the request may have arrived, the lock may
   *     be taken until its lease ends
   */
  public Optional<SimpleHandle> tryAcquire(Duration lease) {
    long millis = LockOptions.ownLease(lease);
    String token = client.ids().next("s", millis);
    long until = LockLease.until(client.nanoTime(), millis);
    CompletableFuture<RedisReply> asked =
        client
            .deployment()
            .link(keys.held())
            .send(
                Request.of(
                    CommandType.SET,
                    new String(keys.held(), java.nio.charset.StandardCharsets.UTF_8),
                    token,
                    "NX",
                    "PX",
                    Long.toString(millis)));
    try {
      boolean got = asked.join().values().get(0) != null;
      if (got) {
        card.show();
      }
      return got ? Optional.of(new SimpleHandle(this, token, until)) : Optional.empty();
    } catch (CompletionException e) {
      delete(token);
      throw LockFailures.explain(client, "Lock '" + name() + "' was not acquired", e);
    }
  }

  private CompletableFuture<Boolean> delete(String token) {
    return client
        .run(LockScripts.DELETE, List.of(keys.held()), List.of(LockServer.bytes(token)))
        .thenApply(answer -> new LockReplyReader(answer).number() == 1);
  }

  boolean release(String token) {
    return LockFailures.join(
        client, delete(token), "Lock '" + name() + "' was perhaps not released");
  }

  long nanoTime() {
    return client.nanoTime();
  }
}
