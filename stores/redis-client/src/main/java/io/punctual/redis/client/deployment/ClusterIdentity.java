package io.punctual.redis.client.deployment;

import io.punctual.internal.log.Logs;
import io.punctual.timer.DueTimer;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Recognizes the nodes of this client's Cluster by their ids. An address can belong to a node of a
 * different Cluster later, for example in Kubernetes, and that Cluster would accept the client's
 * requests.
 *
 * <p>If only a different Cluster answers for some time, and the URL names its address, it replaces
 * the former Cluster: a Cluster that was created anew has new ids. Thread-safe.
 */
final class ClusterIdentity {
  private static final Logger log = Logs.of(ClusterIdentity.class);

  /** How long only a different Cluster must answer before it replaces the former Cluster. */
  private static final long REPLACED_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final String cluster;
  private final Set<NodeAddress> seeds;
  private final DueTimer timer;
  private final Supplier<SlotMap> map;
  private boolean isForeign;
  private long foreignSinceNanos;

  /**
   * Creates an identity.
   *
   * @param cluster the name of the Cluster in the log
   * @param seeds the addresses in the URL
   * @param map returns the current map
   */
  ClusterIdentity(String cluster, Set<NodeAddress> seeds, DueTimer timer, Supplier<SlotMap> map) {
    this.cluster = cluster;
    this.seeds = seeds;
    this.timer = timer;
    this.map = map;
  }

  /** Returns the id that the node at this address must have; null if any node is accepted. */
  synchronized @Nullable String expected(NodeAddress address) {
    return mayBeReplaced(address) ? null : map.get().idOf(address);
  }

  private boolean mayBeReplaced(NodeAddress address) {
    return isForeign
        && seeds.contains(address)
        && timer.nanoTime() - foreignSinceNanos > REPLACED_NANOS;
  }

  /** Notes that a different node than before answered at this address. */
  synchronized void different(NodeAddress address) {
    if (!isForeign) {
      isForeign = true;
      foreignSinceNanos = timer.nanoTime();
      log.warn(
          "{} now belongs to a different node than before; {} is looked for at its other addresses",
          address,
          cluster);
    }
  }

  /** Returns whether to use a map, which the node at this address replied with. */
  synchronized boolean accepts(SlotMap found, NodeAddress from) {
    // A node with a known id was recognized when it was connected.
    if (expected(from) != null || !found.isOfOtherCluster(map.get())) {
      isForeign = false;
      return true;
    }
    if (mayBeReplaced(from)) {
      log.warn("{} was created anew: none of its nodes has the id of a former node", cluster);
      isForeign = false;
      return true;
    }
    different(from);
    return false;
  }
}
