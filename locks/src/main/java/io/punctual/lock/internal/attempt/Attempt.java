package io.punctual.lock.internal.attempt;

import io.punctual.PunctualException;
import io.punctual.lock.internal.client.FailureTracker;
import io.punctual.lock.internal.client.LockClient;
import io.punctual.lock.internal.client.LockFailures;
import io.punctual.lock.internal.hold.Grant;
import io.punctual.lock.internal.hold.LockLease;
import io.punctual.lock.internal.hold.ReleaseRequest;
import io.punctual.lock.internal.hold.ServerHold;
import io.punctual.lock.internal.protocol.HandleIds;
import io.punctual.lock.internal.protocol.LockKeys;
import io.punctual.lock.internal.protocol.LockOptions;
import io.punctual.lock.internal.protocol.ServerHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The constant parts of an attempt to acquire a lock on one server. Immutable.
 *
 * @param attempts the attempts of the client
 * @param handle the handle that will hold the lock
 * @param waitNanos how long the attempt waits: 0 does not wait, {@link LockOptions#FOREVER} waits
 *     without end
 * @param startNanos when the attempt began
 */
record Attempt(Attempts attempts, ServerHandle handle, long waitNanos, long startNanos) {

  /** How long an attempt that waits without end tolerates failures of the server. */
  private static final long LONGEST_FAILURE_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** Creates an attempt that begins now; bucket.lua defines the modes. */
  static Attempt begin(
      Attempts attempts, LockKeys keys, LockOptions options, String mode, long waitNanos) {
    ServerHandle handle = newHandle(attempts, keys, options, mode);
    return new Attempt(attempts, handle, waitNanos, attempts.client().nanoTime());
  }

  private static ServerHandle newHandle(
      Attempts attempts, LockKeys keys, LockOptions options, String mode) {
    String id = attempts.client().ids().next(mode, options.leaseMillis());
    return new ServerHandle(keys, options, id);
  }

  /** Returns the same attempt with a new handle, because a different client has the same id. */
  Attempt withNewId() {
    client().ids().renew(handle.id());
    String mode = HandleIds.mode(handle.id());
    ServerHandle fresh = newHandle(attempts, keys(), handle.options(), mode);
    return new Attempt(attempts, fresh, waitNanos, startNanos);
  }

  LockClient client() {
    return attempts.client();
  }

  LockKeys keys() {
    return handle.keys();
  }

  boolean waits() {
    return waitNanos > 0;
  }

  long nanoTime() {
    return client().nanoTime();
  }

  long elapsedNanos() {
    return nanoTime() - startNanos;
  }

  boolean isTimeOver() {
    return waits() && elapsedNanos() >= waitNanos;
  }

  /** Returns the reason why the attempt sends no further request; null if it may send one. */
  @Nullable PunctualException whyHopeless(FailureTracker failures) {
    if (client().isClosed()) {
      return LockFailures.closed();
    }
    Throwable failure = failures.failure();
    boolean isTooLong =
        waitNanos == LockOptions.FOREVER
            && failures.hasLasted(LONGEST_FAILURE_NANOS, startNanos, client().nanoTime());
    return failure != null && isTooLong ? explain(failure) : null;
  }

  PunctualException explain(Throwable cause) {
    return LockFailures.explain(client(), "Lock '" + keys().name() + "' was not acquired", cause);
  }

  ServerHold hold(
      GrantConfirmation.Certain certain, @Nullable Cohort cohort, BooleanSupplier refuse) {
    Grant grant = new Grant(handle, certain.token(), client().nanoTime(), attempts, cohort, refuse);
    return new ServerHold(attempts.watchdog(), grant, new LockLease(certain.untilNanos()));
  }

  /** Counts an acquisition, and reports it to the listeners. */
  void countAcquired(ServerHold hold) {
    client().events().acquired(keys().kind(), keys().name(), hold.token(), elapsedNanos());
  }

  /** Counts an attempt that ended without the lock, and reports it to the listeners. */
  void countNotAcquired() {
    client().events().notAcquired(keys().kind(), keys().name(), elapsedNanos());
  }

  /**
   * Removes the handle from the server.
   *
   * @param refuse whether the server must refuse the handle later, because a request with it may
   *     still arrive
   */
  void giveUp(boolean refuse) {
    CompletableFuture<?> unused = ReleaseRequest.send(client(), attempts, handle, 0, refuse);
  }
}
