package io.punctual.redis.client.deployment;

import io.punctual.redis.client.connection.RedisReply;
import io.punctual.timer.DueTimer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Schedules a {@link LateCheck} of each primary of a Cluster that did not reply when the store was
 * opened, or that became a primary later. A node that loses its slots and becomes a primary again
 * is checked again. Thread-safe.
 */
final class PrimaryChecks {
  private final DueTimer timer;
  private final Supplier<Set<NodeAddress>> primaries;
  private final Function<NodeAddress, CompletableFuture<RedisReply>> ping;
  private final Consumer<NodeAddress> checker;

  /**
   * The check of each primary, running or done. A node that is no longer a primary loses its check.
   */
  private final Map<NodeAddress, LateCheck> checks = new HashMap<>();

  /**
   * Creates the checks.
   *
   * @param primaries returns the nodes that serve slots; none once the store is closed
   * @param ping completes when a node answers, and fails if it does not
   * @param checker checks a node, and throws if it must not be used; may block
   */
  PrimaryChecks(
      DueTimer timer,
      Supplier<Set<NodeAddress>> primaries,
      Function<NodeAddress, CompletableFuture<RedisReply>> ping,
      Consumer<NodeAddress> checker) {
    this.timer = timer;
    this.primaries = primaries;
    this.ping = ping;
    this.checker = checker;
  }

  synchronized void passed(NodeAddress primary) {
    checks.put(primary, newCheck(primary));
  }

  /** Schedules the missing checks of primaries. Called after each fetch of the map. */
  void update() {
    List<LateCheck> missing = new ArrayList<>();
    synchronized (this) {
      // The primaries are read here, under the lock: primaries that were read before the lock may
      // be older than the primaries of a parallel call.
      Set<NodeAddress> current = primaries.get();
      checks.keySet().retainAll(current);
      for (NodeAddress primary : current) {
        checks.computeIfAbsent(
            primary,
            node -> {
              LateCheck check = newCheck(node);
              missing.add(check);
              return check;
            });
      }
    }
    missing.forEach(LateCheck::later);
  }

  /**
   * Returns whether a check is still needed. If the node is no longer a primary, its check is
   * forgotten: the node is checked again when it becomes a primary again.
   */
  private synchronized boolean isWanted(NodeAddress primary, LateCheck check) {
    if (!primaries.get().contains(primary)) {
      checks.remove(primary, check);
    }
    return checks.get(primary) == check;
  }

  private LateCheck newCheck(NodeAddress primary) {
    return new LateCheck(
        timer,
        check -> isWanted(primary, check),
        () -> ping.apply(primary),
        () -> checker.accept(primary));
  }
}
