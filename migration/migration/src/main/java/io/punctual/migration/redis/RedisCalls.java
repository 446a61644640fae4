package io.punctual.migration.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.cluster.SlotHash;
import io.punctual.PunctualException;
import io.punctual.migration.internal.RedisStaging;
import io.punctual.redis.client.deployment.Deployment;
import io.punctual.redis.client.request.Script;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The calls of an importer to the Redis of the old queue. Not thread-safe. */
final class RedisCalls {
  private static final Script VALUE = plain("value");
  private static final Script SIZE = plain("size");

  private final Deployment deployment;

  RedisCalls(Deployment deployment) {
    this.deployment = deployment;
  }

  /** Returns a script that does not check which importer owns the source. */
  static Script plain(String file) {
    return Script.of(RedisCalls.class::getResourceAsStream, file);
  }

  /** Returns a script that first checks that this importer owns the source. */
  static Script owned(String file) {
    return RedisStaging.ownedScript(RedisCalls.class, file);
  }

  /** Returns the arguments of a script that reads a part of a key. */
  static List<byte[]> page(long offset, int max) {
    return List.of(
        RedisStaging.bytes(offset),
        RedisStaging.bytes(max),
        RedisStaging.bytes(RedisStaging.BATCH_BYTES));
  }

  List<@Nullable Object> run(Script script, List<byte[]> keys, List<byte[]> argv) {
    return RedisStaging.await(deployment.run(script, keys, argv));
  }

  /** Reads strings; null for an absent key. The keys may be on different servers. */
  List<byte @Nullable []> values(List<String> keys) {
    var replies =
        keys.stream()
            .map(key -> deployment.run(VALUE, List.of(key.getBytes(UTF_8)), List.of()))
            .toList();
    List<byte @Nullable []> values = new ArrayList<>(keys.size());
    for (var reply : replies) {
      List<@Nullable Object> found = RedisStaging.await(reply);
      values.add(!found.isEmpty() && found.get(0) instanceof byte[] value ? value : null);
    }
    return values;
  }

  /** Returns the size of a sorted set or of a list; the command is ZCARD or LLEN. */
  long size(String command, String key) {
    List<@Nullable Object> reply =
        run(SIZE, List.of(key.getBytes(UTF_8)), List.of(command.getBytes(UTF_8)));
    return reply.get(0) instanceof Long number ? number : 0;
  }

  /**
   * Checks that a script may use the keys together.
   *
   * @throws PunctualException if they are in different slots of a Cluster
   */
  void requireOneSlot(List<String> keys) {
    if (deployment.isOneServer()) {
      return;
    }
    long slots = keys.stream().mapToInt(SlotHash::getSlot).distinct().count();
    if (slots > 1) {
      throw new PunctualException(
          "The keys "
              + keys
              + " are in different slots of the Cluster, so no step can move an entry from one to"
              + " another; the importer needs keys with a common hash tag",
          null);
    }
  }
}
