package io.punctual.lock;

import io.punctual.redis.client.request.Failures;
import io.punctual.redis.client.request.RedisCallException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Divides requests for locks into batches, each of which is sent as one script. The locks of a
 * batch have the same {@link Key}.
 */
final class RequestBatches {
  private static final int MOST = 100;

  /** The properties that all locks of a batch share. */
  private record Key(int bucket, boolean shared, boolean durable) {}

  private RequestBatches() {}

  /**
   * Returns whether the server refused a batch of several locks. A single lock may be the cause,
   * for example if its key has a wrong type. So the caller sends each request again, alone.
   */
  static boolean isOneToBlame(List<?> batch, Throwable failure) {
    return batch.size() > 1 && Failures.unwrap(failure) instanceof RedisCallException.Refused;
  }

  static <T> Collection<List<T>> of(
      Collection<T> all, Function<T, LockKeys> keys, Function<T, LockOptions> options) {
    Map<Key, List<T>> open = new HashMap<>();
    List<List<T>> batches = new ArrayList<>();
    for (T one : all) {
      LockKeys where = keys.apply(one);
      Key key = new Key(where.bucket(), where.kind().isShared(), options.apply(one).isDurable());
      List<T> batch = open.get(key);
      if (batch == null || batch.size() == MOST) {
        batch = new ArrayList<>();
        batches.add(batch);
        open.put(key, batch);
      }
      batch.add(one);
    }
    return batches;
  }
}
