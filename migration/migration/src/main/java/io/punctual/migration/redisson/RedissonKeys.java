package io.punctual.migration.redisson;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.migration.internal.RedisStaging;

/**
 * The keys of a Redisson delayed queue, and of its import. Immutable.
 *
 * @param queue the name of the queue, which is the key of its ready list
 */
record RedissonKeys(String queue) {
  byte[] ready() {
    return queue.getBytes(UTF_8);
  }

  byte[] list() {
    return prefixed("redisson_delay_queue");
  }

  byte[] dues() {
    return prefixed("redisson_delay_queue_timeout");
  }

  byte[] channel() {
    return prefixed("redisson_delay_queue_channel");
  }

  byte[] staged() {
    return prefixed("punctual_import");
  }

  byte[] unscored() {
    return prefixed("punctual_import_unscored");
  }

  RedisStaging.Keys staging() {
    return new RedisStaging.Keys(
        prefixed("punctual_import_owner"),
        staged(),
        prefixed("punctual_import_marked"),
        prefixed("punctual_import_target"));
  }

  /**
   * Returns a key in Redisson's format: the queue's name is the hash tag, unless the name contains
   * an opening brace.
   */
  private byte[] prefixed(String prefix) {
    String key = queue.contains("{") ? prefix + ":" + queue : prefix + ":{" + queue + "}";
    return key.getBytes(UTF_8);
  }

  /** Returns whether all keys are in the same slot of a Cluster. */
  boolean isOneSlot() {
    String tag = tag(queue);
    return !tag.isEmpty() && tag.equals(tag(new String(list(), UTF_8)));
  }

  /** Returns the part of a key that determines its Cluster slot: the hash tag, or the whole key. */
  private static String tag(String key) {
    int open = key.indexOf('{');
    int close = key.indexOf('}', open + 1);
    return open >= 0 && close > open + 1 ? key.substring(open + 1, close) : key;
  }
}
