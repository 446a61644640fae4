package io.punctual.lock.internal.hold;

import io.punctual.lock.internal.client.LockClient;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** An open client, and the locks that it holds. Thread-safe. */
public final class LockSession implements AutoCloseable {
  private static final long CLOSE_MILLIS = 2_000;

  private final LockClient client;
  private final Watchdog watchdog;

  /**
   * Creates a session, which holds no locks.
   *
   * @param name the name of this process; may be empty
   */
  public LockSession(LockClient client, String name) {
    this.client = client;
    this.watchdog = new Watchdog(client, name);
  }

  public LockClient client() {
    return client;
  }

  /** Returns the watchdog of the locks that the client holds. */
  public Watchdog watchdog() {
    return watchdog;
  }

  /**
   * Ends all waits, releases all locks, and closes the connections. Waits up to two seconds for the
   * replies; a lock without a reply ends with its lease.
   */
  @Override
  public void close() {
    if (!client.beginClose()) {
      return;
    }
    // The end of a wait for several locks releases the locks that it has already.
    Set<Hold> held = new LinkedHashSet<>(watchdog.holds());
    client.waits().close();
    watchdog.card().close();
    held.addAll(watchdog.holds());
    CompletableFuture<?>[] back =
        held.stream().map(Hold::giveBack).toArray(CompletableFuture[]::new);
    try {
      CompletableFuture.allOf(back).get(CLOSE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      // The events of these locks report the failure.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      client.disconnect();
    }
  }
}
