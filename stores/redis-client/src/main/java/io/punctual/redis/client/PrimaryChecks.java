package io.punctual.redis.client;

import io.punctual.PunctualException;
import io.punctual.StoreUnavailableException;
import io.punctual.timer.Timer;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks every primary of a Cluster once. A primary that was away when the store was opened, or
 * that joined or took over later, is checked as soon as it answers. The store works on meanwhile; a
 * primary that fails its check then is reported as an error in the log. Thread-safe.
 */
final class PrimaryChecks {
  private static final Logger log = LoggerFactory.getLogger(PrimaryChecks.class);
  private static final Duration BETWEEN_ATTEMPTS = Duration.ofSeconds(1);

  private final Timer timer;
  private final Predicate<NodeAddress> isPrimary;
  private final Function<NodeAddress, CompletableFuture<Answer>> ping;
  private final Consumer<NodeAddress> check;

  /** Checked primaries, and primaries with a scheduled check. */
  private final Set<NodeAddress> known = new HashSet<>();

  /**
   * Creates one.
   *
   * @param isPrimary whether a node still serves slots
   * @param ping completes when a node answers, and fails if it does not
   * @param check checks a node, and throws if it must not be used; may block
   */
  PrimaryChecks(
      Timer timer,
      Predicate<NodeAddress> isPrimary,
      Function<NodeAddress, CompletableFuture<Answer>> ping,
      Consumer<NodeAddress> check) {
    this.timer = timer;
    this.isPrimary = isPrimary;
    this.ping = ping;
    this.check = check;
  }

  /** Notes that a primary has passed its check. */
  synchronized void passed(NodeAddress primary) {
    known.add(primary);
  }

  /** Schedules a check of each primary that has not been checked. */
  void add(Set<NodeAddress> primaries) {
    synchronized (this) {
      known.retainAll(primaries);
    }
    for (NodeAddress primary : primaries) {
      boolean isNew;
      synchronized (this) {
        isNew = known.add(primary);
      }
      if (isNew) {
        later(primary);
      }
    }
  }

  private void later(NodeAddress primary) {
    try {
      timer.schedule(BETWEEN_ATTEMPTS, () -> attempt(primary));
    } catch (RejectedExecutionException timerClosed) {
      log.debug("The timer is closed, and with it the store", timerClosed);
    }
  }

  private void attempt(NodeAddress primary) {
    if (!isPrimary.test(primary)) {
      return;
    }
    ping.apply(primary)
        .whenComplete(
            (answer, failure) -> {
              if (failure == null) {
                start(primary);
              } else {
                later(primary);
              }
            });
  }

  /** The check blocks, so it needs a thread that serves no connection. */
  private void start(NodeAddress primary) {
    Thread thread = new Thread(() -> run(primary), "punctual-redis-check");
    thread.setDaemon(true);
    thread.start();
  }

  private void run(NodeAddress primary) {
    try {
      check.accept(primary);
    } catch (StoreUnavailableException away) {
      later(primary);
    } catch (PunctualException unfit) {
      if (isPrimary.test(primary)) {
        log.error(
            "{}. The store was opened before this node became a primary and still uses it",
            unfit.getMessage());
      }
    }
  }
}
