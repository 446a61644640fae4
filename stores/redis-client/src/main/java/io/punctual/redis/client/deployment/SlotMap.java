package io.punctual.redis.client.deployment;

import io.lettuce.core.cluster.SlotHash;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The map from the slots of a Cluster to the primaries that serve them, as far as this client
 * knows. Immutable.
 */
final class SlotMap {
  static final SlotMap EMPTY = new SlotMap(new NodeAddress[SlotHash.SLOT_COUNT], Map.of());

  private final @Nullable NodeAddress[] nodes;

  /** The ids of the primaries and replicas. A node keeps its id when its address changes. */
  private final Map<NodeAddress, String> ids;

  private SlotMap(@Nullable NodeAddress[] nodes, Map<NodeAddress, String> ids) {
    this.nodes = nodes;
    this.ids = ids;
  }

  /**
   * Parses a node's reply to CLUSTER SLOTS. A primary without a host has the host of the asked
   * node.
   */
  static SlotMap parse(List<@Nullable Object> ranges, NodeAddress asked) {
    @Nullable NodeAddress[] nodes = new NodeAddress[SlotHash.SLOT_COUNT];
    Map<NodeAddress, String> ids = new HashMap<>();
    for (Object range : ranges) {
      if (range instanceof List<?> parts
          && parts.size() > 2
          && parts.get(0) instanceof Long from
          && parts.get(1) instanceof Long to
          && parts.get(2) instanceof List<?> primary) {
        Arrays.fill(nodes, from.intValue(), to.intValue() + 1, address(primary, asked));
        parts.stream().skip(2).forEach(node -> addId(ids, node, asked));
      }
    }
    return new SlotMap(nodes, Map.copyOf(ids));
  }

  private static void addId(Map<NodeAddress, String> ids, Object node, NodeAddress asked) {
    if (node instanceof List<?> parts
        && parts.size() > 2
        && parts.get(2) instanceof byte[] id
        && id.length > 0) {
      ids.put(address(parts, asked), new String(id, StandardCharsets.UTF_8));
    }
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
    return new SlotMap(changed, ids);
  }

  /** Returns the id of the node at this address, or null if it is not known. */
  @Nullable String idOf(NodeAddress node) {
    return ids.get(node);
  }

  /** Returns whether both maps have ids of nodes, but no id in common. */
  boolean isOfOtherCluster(SlotMap other) {
    return !ids.isEmpty()
        && !other.ids.isEmpty()
        && Collections.disjoint(ids.values(), other.ids.values());
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
