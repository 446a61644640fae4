package io.punctual.redis.client;

import io.punctual.PunctualException;
import io.punctual.StoreUnavailableException;
import io.punctual.timer.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
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
  private final Supplier<Set<NodeAddress>> primaries;
  private final Function<NodeAddress, CompletableFuture<Answer>> ping;
  private final Consumer<NodeAddress> checker;

  /** The check of each primary, which may be over. A primary that leaves loses its check. */
  private final Map<NodeAddress, Check> checks = new HashMap<>();

  /**
   * Creates one.
   *
   * @param primaries returns the nodes that serve slots; none once the store is closed
   * @param ping completes when a node answers, and fails if it does not
   * @param checker checks a node, and throws if it must not be used; may block
   */
  PrimaryChecks(
      Timer timer,
      Supplier<Set<NodeAddress>> primaries,
      Function<NodeAddress, CompletableFuture<Answer>> ping,
      Consumer<NodeAddress> checker) {
    this.timer = timer;
    this.primaries = primaries;
    this.ping = ping;
    this.checker = checker;
  }

  /** Notes that a primary has passed its check. */
  synchronized void passed(NodeAddress primary) {
    checks.put(primary, new Check(primary));
  }

  /** Schedules a check of each primary that has none. Call it after each change of the map. */
  void update() {
    List<Check> missing = new ArrayList<>();
    synchronized (this) {
      // The current map, because callers with an older and a newer map may overtake each other.
      Set<NodeAddress> current = primaries.get();
      checks.keySet().retainAll(current);
      for (NodeAddress primary : current) {
        checks.computeIfAbsent(
            primary,
            node -> {
              Check check = new Check(node);
              missing.add(check);
              return check;
            });
      }
    }
    missing.forEach(Check::later);
  }

  /** Returns whether a check goes on. A primary that left is checked again once it returns. */
  private synchronized boolean isWanted(Check check) {
    if (!primaries.get().contains(check.primary)) {
      checks.remove(check.primary, check);
    }
    return checks.get(check.primary) == check;
  }

  /** The check of a primary, which is attempted until the primary answers. */
  private final class Check {
    private final NodeAddress primary;

    Check(NodeAddress primary) {
      this.primary = primary;
    }

    void later() {
      try {
        timer.schedule(BETWEEN_ATTEMPTS, this::attempt);
      } catch (RejectedExecutionException timerClosed) {
        log.debug("The timer is closed, and with it the store", timerClosed);
      }
    }

    private void attempt() {
      if (!isWanted(this)) {
        return;
      }
      ping.apply(primary)
          .whenComplete(
              (answer, failure) -> {
                if (failure == null) {
                  start();
                } else {
                  later();
                }
              });
    }

    /** The check blocks, so it needs a thread that serves no connection. */
    private void start() {
      Thread thread = new Thread(this::run, "punctual-redis-check");
      thread.setDaemon(true);
      thread.start();
    }

    private void run() {
      try {
        checker.accept(primary);
      } catch (StoreUnavailableException away) {
        later();
      } catch (PunctualException unfit) {
        if (isWanted(this)) {
          log.error(
              "{}. The store was opened before this node became a primary and still uses it",
              unfit.getMessage());
        }
      }
    }
  }
}
