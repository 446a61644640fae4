package io.punctual.lock.internal.client;

import io.punctual.lock.internal.protocol.LockKeys;
import io.punctual.lock.internal.protocol.ServerHandle;
import io.punctual.redis.client.request.Failures;
import io.punctual.redis.client.request.RedisCallException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Collects the requests of a millisecond, and divides them into batches, each of which is sent as
 * one script. The locks of a batch have the same {@link Key}. Thread-safe.
 *
 * @param <T> a request
 */
public final class RequestBatches<T> {
  private static final long MOMENT_NANOS = 1_000_000;
  private static final int MOST = 100;

  private final LockClient client;
  private final Function<T, ServerHandle> handle;
  private final Consumer<List<T>> send;
  private final BiConsumer<T, Throwable> notSent;
  private final Runnable sending = this::sendGathered;
  private List<T> gathered = List.of();

  /** The properties that all locks of a batch share. */
  private record Key(int bucket, boolean shared) {
    static Key of(ServerHandle handle) {
      LockKeys keys = handle.keys();
      return new Key(keys.bucket(), keys.isShared());
    }
  }

  /**
   * Creates batches.
   *
   * @param handle returns the handle of a request
   * @param send sends a batch
   * @param notSent is told of an error because of which a request may not have been sent
   */
  public RequestBatches(
      LockClient client,
      Function<T, ServerHandle> handle,
      Consumer<List<T>> send,
      BiConsumer<T, Throwable> notSent) {
    this.client = client;
    this.handle = handle;
    this.send = send;
    this.notSent = notSent;
  }

  /** Sends a request about a millisecond later, together with other requests. */
  public void add(T one) {
    boolean first;
    synchronized (this) {
      first = gathered.isEmpty();
      if (first) {
        gathered = new ArrayList<>();
      }
      gathered.add(one);
    }
    if (first && client.after(MOMENT_NANOS, sending) == null) {
      sendGathered(); // otherwise no later request would be sent
    }
  }

  private void sendGathered() {
    List<T> all;
    synchronized (this) {
      all = gathered;
      gathered = List.of(); // allocates nothing: an error here would end all sending
    }
    sendAll(all);
  }

  /** Sends these requests. An error in one batch concerns only the requests of this batch. */
  public void sendAll(Collection<T> all) {
    Collection<List<T>> batches;
    try {
      batches = divide(all);
    } catch (Throwable e) { // for example because memory is short
      notSent(all, e);
      return;
    }
    for (List<T> batch : batches) {
      try {
        send.accept(batch);
      } catch (Throwable e) {
        notSent(batch, e);
      }
    }
  }

  private void notSent(Collection<T> requests, Throwable error) {
    for (T one : requests) {
      try {
        notSent.accept(one, error);
      } catch (Throwable again) {
        // This one has told its caller, and the others must be told, too.
      }
    }
  }

  private Collection<List<T>> divide(Collection<T> all) {
    Map<Key, List<T>> open = new HashMap<>();
    List<List<T>> batches = new ArrayList<>();
    for (T one : all) {
      Key key = Key.of(handle.apply(one));
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

  /**
   * Returns whether the server refused a batch of several locks. A single lock may be the cause,
   * for example if its key has a wrong type. So the caller sends each request again, alone.
   */
  public static boolean isOneToBlame(List<?> batch, Throwable failure) {
    return batch.size() > 1 && Failures.unwrap(failure) instanceof RedisCallException.Refused;
  }
}
