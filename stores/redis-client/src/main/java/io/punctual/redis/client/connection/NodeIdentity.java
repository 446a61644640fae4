package io.punctual.redis.client.connection;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The id by which a new connection recognizes the node of a Cluster.
 *
 * @param expected returns the id that the node must have; null if every node is accepted
 * @param different runs if the node has a different id
 */
public record NodeIdentity(Supplier<@Nullable String> expected, Runnable different) {
  /** The identity of a server that is not a node of a Cluster: every server is accepted. */
  public static final NodeIdentity ANY = new NodeIdentity(() -> null, () -> {});
}
