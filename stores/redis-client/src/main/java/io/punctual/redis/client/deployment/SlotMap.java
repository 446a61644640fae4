package io.punctual.redis.client.deployment;

import io.lettuce.core.cluster.SlotHash;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The map from the slots of a Cluster to the primaries that serve them, as far as this client
 * knows. Immutable.
 */
final class SlotMap {
  static final SlotMap EMPTY = new SlotMap(new NodeAddress[SlotHash.SLOT_COUNT]);

  private final @Nullable NodeAddress[] nodes;

  private SlotMap(@Nullable NodeAddress[] nodes) {
    this.nodes = nodes;
  }

  /**
   * Parses a node's reply to CLUSTER SLOTS. A primary without a host has the host of the asked
   * node.
   */
  static SlotMap parse(List<@Nullable Object> ranges, NodeAddress asked) {
    @Nullable NodeAddress[] nodes = new NodeAddress[SlotHash.SLOT_COUNT];
    for (Object range : ranges) {
      if (range instanceof List<?> parts
          && parts.size() > 2
          && parts.get(0) instanceof Long from
          && parts.get(1) instanceof Long to
          && parts.get(2) instanceof List<?> primary) {
        Arrays.fill(nodes, from.intValue(), to.intValue() + 1, address(primary, asked));
      }
    }
    return new SlotMap(nodes);
  }

  private static NodeAddress address(List<?> primary, NodeAddress asked) {
    String host =
        primary.get(0) instanceof byte[] name ? new String(name, StandardCharsets.UTF_8) : "";
    int port = primary.get(1) instanceof Long number ? number.intValue() : asked.port();
    return asked.named(host, port);
  }

  static int slotOf(byte[] key) {
    return SlotHash.getSlot(key);
  }

  @Nullable NodeAddress nodeOf(int slot) {
    return nodes[slot];
  }

  /** Returns a copy of this map in which the node serves the slot. */
  SlotMap with(int slot, NodeAddress node) {
    @Nullable NodeAddress[] changed = nodes.clone();
    changed[slot] = node;
    return new SlotMap(changed);
  }

  /** Returns all primaries that serve a slot. */
  Set<NodeAddress> primaries() {
    Set<NodeAddress> all = new LinkedHashSet<>();
    for (NodeAddress node : nodes) {
      if (node != null) {
        all.add(node);
      }
    }
    return all;
  }
}
