package io.punctual.redis.client.deployment;

import io.punctual.PunctualException;
import io.punctual.StoreUnavailableException;
import io.punctual.internal.log.Logs;
import io.punctual.timer.DueTimer;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The check of a primary that could not be checked when the store was opened, or that became a
 * primary later. It is repeated every second until the server can be checked, while the store
 * already uses the server. If the server fails the check, the log has an error. Thread-safe.
 */
final class LateCheck {
  private static final Logger log = Logs.of(LateCheck.class);
  private static final Duration BETWEEN_ATTEMPTS = Duration.ofSeconds(1);

  private final DueTimer timer;
  private final Predicate<LateCheck> wanted;
  private final Supplier<? extends CompletionStage<?>> ping;
  private final Runnable check;

  /**
   * Creates a check.
   *
   * @param wanted returns whether the check is still needed
   * @param ping completes when the server answers, and fails if it does not
   * @param check throws if the server must not be used; may block
   */
  LateCheck(
      DueTimer timer,
      Predicate<LateCheck> wanted,
      Supplier<? extends CompletionStage<?>> ping,
      Runnable check) {
    this.timer = timer;
    this.wanted = wanted;
    this.ping = ping;
    this.check = check;
  }

  /** Schedules the next attempt, a second from now. */
  void later() {
    try {
      timer.schedule(BETWEEN_ATTEMPTS, this::attempt);
    } catch (RejectedExecutionException timerClosed) {
      log.debug("The timer is closed, and with it the store", timerClosed);
    }
  }

  private void attempt() {
    if (!wanted.test(this)) {
      return;
    }
    try {
      ping.get().whenComplete((answer, failure) -> answered(failure));
    } catch (Throwable e) {
      answered(e);
    }
  }

  private void answered(@Nullable Throwable failure) {
    if (failure == null) {
      start();
    } else {
      later();
    }
  }

  /**
   * Runs the check on a separate thread, because the check blocks and must not block the threads of
   * connections.
   */
  private void start() {
    try {
      Thread thread = new Thread(this::run, "punctual-redis-check");
      thread.setDaemon(true);
      thread.start();
    } catch (Throwable noThread) {
      later();
    }
  }

  private void run() {
    try {
      check.run();
    } catch (StoreUnavailableException away) {
      later();
    } catch (PunctualException unfit) {
      if (wanted.test(this)) {
        log.error(
            "{}. The store was opened before this server became a primary and still uses it",
            unfit.getMessage());
      }
    } catch (Throwable e) {
      log.warn("The check of a server has failed, and is repeated", e);
      later();
    }
  }
}
