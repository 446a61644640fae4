package io.punctual.lock;

import io.punctual.redis.client.Failures;
import io.punctual.redis.client.RedisCallException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Divides what is to be asked into what one script can be asked: a bucket's, up to a limit. */
final class Batches {
  private static final int MOST = 100;

  /** What all locks of a script have in common. */
  private record Key(int bucket, boolean shared, boolean durable) {}

  private Batches() {}

  /**
   * Whether a script was refused that was about several, so that it may be the fault of one: a key
   * that holds something else, say. The others are not to suffer.
   */
  static boolean isOneToBlame(List<?> batch, Throwable failure) {
    return batch.size() > 1 && Failures.unwrap(failure) instanceof RedisCallException.Refused;
  }

  static <T> Collection<List<T>> of(
      Collection<T> all, Function<T, LockKeys> place, Function<T, LockOptions> terms) {
    Map<Key, List<T>> open = new HashMap<>();
    List<List<T>> batches = new ArrayList<>();
    for (T one : all) {
      LockKeys where = place.apply(one);
      Key key = new Key(where.bucket(), where.kind().isShared(), terms.apply(one).isDurable());
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
