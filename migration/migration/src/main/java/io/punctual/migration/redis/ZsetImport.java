package io.punctual.migration.redis;

import io.punctual.TimedQueue;
import io.punctual.migration.PayloadReader;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Imports a delay queue that an application has built on a sorted set, whose scores are due times.
 * The members are payloads, or ids of payloads in a hash. A list of entries that are due, and that
 * no consumer has taken yet, can be imported, too.
 *
 * <pre>{@code
 * ImportReport report =
 *     ZsetImport.from("redis://localhost:6379", "delay:wait:orders", ScoreUnit.MILLISECONDS)
 *         .to(punctual.queue("orders", codec), codec::decode)
 *         .ready("delay:active:orders")
 *         .id(IdSource.field("orderId"))
 *         .run();
 * }</pre>
 *
 * @param <T> the payload's type
 */
public final class ZsetImport<T> extends RedisImporter<T, ZsetImport<T>> {
  private final String set;
  private final ScoreUnit unit;
  private @Nullable String ready;
  private @Nullable String jobs;
  private @Nullable IdSource id;

  private ZsetImport(
      String url, String set, ScoreUnit unit, TimedQueue<T> queue, PayloadReader<T> payloads) {
    super(url, queue, payloads);
    this.set = set;
    this.unit = unit;
  }

  /** A sorted set of entries. */
  public static final class Source {
    private final String url;
    private final String key;
    private final ScoreUnit unit;

    private Source(String url, String key, ScoreUnit unit) {
      this.url = Objects.requireNonNull(url, "url");
      this.key = Objects.requireNonNull(key, "key");
      this.unit = Objects.requireNonNull(unit, "unit");
    }

    /** Returns an import into this queue, which keeps the bytes of each payload. */
    public ZsetImport<byte[]> to(TimedQueue<byte[]> queue) {
      return to(queue, payload -> payload);
    }

    /** Returns an import into this queue, which converts each payload with this reader. */
    public <T> ZsetImport<T> to(TimedQueue<T> queue, PayloadReader<T> payloads) {
      return new ZsetImport<>(url, key, unit, queue, payloads);
    }
  }

  /**
   * Names a sorted set in a Redis deployment.
   *
   * @param url a URL as for the Redis store, also {@code redis-sentinel:} and {@code
   *     redis-cluster:}
   * @param key the key of the sorted set
   * @param unit the unit of the scores
   */
  public static Source from(String url, String key, ScoreUnit unit) {
    return new Source(url, key, unit);
  }

  /**
   * Sets the list to which the old queue moves due entries. The elements of the list have the same
   * form as the members of the sorted set, and become messages that are due now. By default, no
   * list is imported.
   */
  public ZsetImport<T> ready(String key) {
    ready = Objects.requireNonNull(key, "key");
    return this;
  }

  /** Sets the hash of payloads, whose fields are the members of the sorted set. */
  public ZsetImport<T> jobs(String key) {
    jobs = Objects.requireNonNull(key, "key");
    return this;
  }

  /**
   * Sets the source of the ids. The default is the member of the sorted set if there is a hash of
   * payloads, and otherwise a {@linkplain IdSource#hash() hash} of the member.
   */
  public ZsetImport<T> id(IdSource id) {
    this.id = Objects.requireNonNull(id, "id");
    return this;
  }

  @Override
  protected ZsetImport<T> self() {
    return this;
  }

  @Override
  ImportKeys keys(RedisCalls redis) {
    return new ImportKeys(set, set, ready, jobs, "");
  }

  @Override
  EntryReader reader(RedisCalls redis) {
    return new MemberReader(ids(), jobs != null);
  }

  private IdSource ids() {
    IdSource chosen = jobs == null ? IdSource.hash() : IdSource.member();
    return id == null ? chosen : id;
  }

  @Override
  String idOptions() {
    return "ids by " + ids();
  }

  @Override
  ScoreUnit unit() {
    return unit;
  }
}
