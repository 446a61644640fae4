package io.punctual.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The names of a partition's keys. All of them have the same hash tag, so that they belong to the
 * same slot of a Cluster. The parts of the tag contain no brace and no colon. The static methods
 * return keys that belong to no partition.
 */
final class PartitionKeys {
  /**
   * The names of the partition's keys without the hash tag, in the order that partition.lua
   * expects.
   */
  static final List<String> NAMES =
      List.of(
          "scheduled",
          "leased",
          "leases",
          "dead",
          "messages",
          "retries",
          "meta",
          "spared",
          "waiting",
          "done");

  private final String tag;
  private final List<byte[]> partition;
  private final List<byte[]> untilNext;

  PartitionKeys(String namespace, String queue, int index) {
    tag = "{" + namespace + ":" + queue + ":" + index + "}:";
    partition = NAMES.stream().map(this::key).toList();
    untilNext = Stream.of("scheduled", "leased", "meta", "waiting").map(this::key).toList();
  }

  private byte[] key(String name) {
    return (tag + name).getBytes(UTF_8);
  }

  /** Returns the partition's keys in the order that partition.lua expects. */
  List<byte[]> partition() {
    return partition;
  }

  /** Returns the key of the retries: attempts, due time and history of a message, by its id. */
  byte[] retries() {
    return partition.get(NAMES.indexOf("retries"));
  }

  /** Returns the key of the dead letters and their times of death. */
  byte[] dead() {
    return partition.get(NAMES.indexOf("dead"));
  }

  /** Returns a partition's keys for untilnext.lua. */
  List<byte[]> untilNext() {
    return untilNext;
  }

  /** Returns the keys of the partition and of one or two sessions, for session.lua and open.lua. */
  List<byte[]> withSessions(String session, @Nullable String other) {
    List<byte[]> keys = new ArrayList<>(partition.size() + 2);
    keys.addAll(partition);
    keys.add(key("session:" + session));
    if (other != null) {
      keys.add(key("session:" + other));
    }
    return keys;
  }

  String session(String session) {
    return tag + "session:" + session;
  }

  String meta() {
    return tag + "meta";
  }

  /**
   * Returns the channel for the wake-up hints to a client.
   *
   * @param client the client, as waiting.lua names it
   */
  String channel(String client) {
    return tag + "waiting:" + client;
  }

  /** Returns the keys of announce.lua. */
  static List<byte[]> announcements(String namespace) {
    return Stream.of("ends", "texts")
        .map(name -> ("{" + namespace + ":workers}:" + name).getBytes(UTF_8))
        .toList();
  }

  static String queues(String namespace) {
    return namespace + ":queues";
  }
}
