package io.punctual.migration.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.PunctualException;
import io.punctual.TimedQueue;
import io.punctual.migration.PayloadReader;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;

/**
 * Imports a queue of Rqueue: the scheduled messages, and the messages that are due and that no
 * listener has taken. A message keeps its id.
 *
 * <p>These messages stay in Rqueue: deleted messages, which Rqueue only flags, under the detail
 * {@code deleted} of the report; periodic messages, under {@code periodic}; and messages that a
 * listener has taken, under {@code running}. If the listener does not finish a message, Rqueue
 * returns the message to its list after the visibility time-out; a later run then finds it.
 *
 * @param <T> the payload's type
 */
public final class RqueueImport<T> extends RedisImporter<T, RqueueImport<T>> {
  private static final String PREFIX = "__rq::";
  private static final String VERSION_KEY = "__rq::version";
  private static final int NEWEST = 3;

  private final String name;
  private OptionalInt version = OptionalInt.empty();
  private String priority = "";
  private boolean unwrap = true;
  private boolean clusterMode = true;

  private RqueueImport(String url, String name, TimedQueue<T> queue, PayloadReader<T> payloads) {
    super(url, queue, payloads);
    this.name = name;
  }

  /** A queue of Rqueue. */
  public static final class Source {
    private final String url;
    private final String name;

    private Source(String url, String name) {
      this.url = Objects.requireNonNull(url, "url");
      this.name = Objects.requireNonNull(name, "name");
    }

    /** Returns an import into this queue, which keeps the bytes of each payload. */
    public RqueueImport<byte[]> to(TimedQueue<byte[]> queue) {
      return to(queue, payload -> payload);
    }

    /** Returns an import into this queue, which converts each payload with this reader. */
    public <T> RqueueImport<T> to(TimedQueue<T> queue, PayloadReader<T> payloads) {
      return new RqueueImport<>(url, name, queue, payloads);
    }
  }

  /**
   * Names a queue.
   *
   * @param url a URL as for the Redis store, also {@code redis-sentinel:} and {@code
   *     redis-cluster:}
   * @param name the name of the queue in Rqueue
   */
  public static Source from(String url, String name) {
    return new Source(url, name);
  }

  /**
   * Sets the version of Rqueue's data, 1, 2 or 3: {@code rqueue.db.version}. The default is the
   * version that Rqueue has stored in the key {@code __rq::version}.
   */
  public RqueueImport<T> dataVersion(int version) {
    if (version < 1 || version > NEWEST) {
      throw new IllegalArgumentException("dataVersion must be 1 to 3, but was " + version);
    }
    this.version = OptionalInt.of(version);
    return this;
  }

  /** Selects the part of the queue with this priority, such as {@code high}. */
  public RqueueImport<T> priority(String name) {
    priority = Objects.requireNonNull(name, "name");
    return this;
  }

  /**
   * Sets whether to remove the envelope of Rqueue's default message converter, which has the
   * payload and the name of its class; true by default. If true, an entry without the envelope
   * stays in Rqueue, and the report lists it.
   */
  public RqueueImport<T> unwrap(boolean unwrap) {
    this.unwrap = unwrap;
    return this;
  }

  /** Sets whether the keys have hash tags: {@code rqueue.cluster.mode}; true by default. */
  public RqueueImport<T> clusterMode(boolean clusterMode) {
    this.clusterMode = clusterMode;
    return this;
  }

  @Override
  protected RqueueImport<T> self() {
    return this;
  }

  @Override
  ImportKeys keys(RedisCalls redis) {
    int known = version(redis);
    String list = key(known, "", "queue");
    return new ImportKeys(list, key(known, "rqueue-delay::", "d-queue"), list, null, "");
  }

  private String processing(RedisCalls redis) {
    return key(version(redis), "rqueue-processing::", "p-queue");
  }

  private String key(int known, String oldPrefix, String newName) {
    String suffix = priority.isEmpty() ? "" : "_" + priority;
    if (known == 1) {
      return oldPrefix + name + suffix;
    }
    boolean tag = clusterMode && !(name.contains("{") && name.contains("}"));
    String type = known == NEWEST ? newName + "-v2" : newName;
    return PREFIX + type + "::" + (tag ? "{" + name + "}" : name) + suffix;
  }

  private int version(RedisCalls redis) {
    if (version.isEmpty()) {
      byte[] stored = redis.values(List.of(VERSION_KEY)).get(0);
      String text = stored == null ? "" : new String(stored, UTF_8);
      if (!text.matches("[1-3]")) {
        throw new PunctualException(
            "The key "
                + VERSION_KEY
                + " does not name the version of Rqueue's data; set the data version, 1, 2 or 3",
            null);
      }
      version = OptionalInt.of(Integer.parseInt(text));
    }
    return version.orElseThrow();
  }

  @Override
  EntryReader reader(RedisCalls redis) {
    return new RqueueReader(redis, unwrap);
  }

  @Override
  ScoreUnit unit() {
    return ScoreUnit.MILLISECONDS;
  }

  @Override
  Map<String, Long> others(RedisCalls redis) {
    return Map.of("running", redis.size("ZCARD", processing(redis)));
  }
}
