package io.punctual.migration.redis;

import io.punctual.TimedQueue;
import io.punctual.migration.PayloadReader;
import java.util.Objects;

/**
 * Imports a topic of the layout of redis-delay-queue: the hash {@code {project}:Redis_Delay_Table}
 * has the payloads, the sorted set {@code {project}:RD_ZSET_BUCKET:} the due times in milliseconds,
 * and the list {@code {project}:RD_LIST_TOPIC:topic} the entries that are due. Each entry is named
 * {@code TOPIC:ID}; the message gets {@code ID} as its id. The detail {@code other topics} of the
 * report is the number of entries of other topics, which stay in the sorted set.
 *
 * @param <T> the payload's type
 */
public final class DelayTableImport<T> extends RedisImporter<T, DelayTableImport<T>> {
  private static final String SET = "RD_ZSET_BUCKET:";
  private static final String LIST = "RD_LIST_TOPIC:";

  private final String project;
  private final String topic;
  private String table = "Redis_Delay_Table";

  private DelayTableImport(
      String url, String project, String topic, TimedQueue<T> queue, PayloadReader<T> payloads) {
    super(url, queue, payloads);
    this.project = project;
    this.topic = topic;
  }

  /** A topic of a project. */
  public static final class Source {
    private final String url;
    private final String project;
    private final String topic;

    private Source(String url, String project, String topic) {
      this.url = Objects.requireNonNull(url, "url");
      if (project.isEmpty() || project.contains("{") || project.contains("}")) {
        throw new IllegalArgumentException(
            "The project must be the text between the braces of the keys, such as 'shop' for the"
                + " key {shop}:RD_ZSET_BUCKET:, but was '"
                + project
                + "'");
      }
      if (topic.isEmpty()) {
        throw new IllegalArgumentException("The topic must not be empty");
      }
      this.project = project;
      this.topic = topic;
    }

    /** Returns an import into this queue, which keeps the bytes of each payload. */
    public DelayTableImport<byte[]> to(TimedQueue<byte[]> queue) {
      return to(queue, payload -> payload);
    }

    /** Returns an import into this queue, which converts each payload with this reader. */
    public <T> DelayTableImport<T> to(TimedQueue<T> queue, PayloadReader<T> payloads) {
      return new DelayTableImport<>(url, project, topic, queue, payloads);
    }
  }

  /**
   * Names a topic.
   *
   * @param url a URL as for the Redis store, also {@code redis-sentinel:} and {@code
   *     redis-cluster:}
   * @param project the name of the project, without braces
   * @throws IllegalArgumentException if the project or the topic is empty, or the project has a
   *     brace
   */
  public static Source from(String url, String project, String topic) {
    return new Source(url, project, topic);
  }

  /** Sets the name of the hash, without the project; {@code Redis_Delay_Table} by default. */
  public DelayTableImport<T> table(String name) {
    table = Objects.requireNonNull(name, "name");
    return this;
  }

  @Override
  protected DelayTableImport<T> self() {
    return this;
  }

  @Override
  ImportKeys keys(RedisCalls redis) {
    String prefix = "{" + project + "}:";
    String list = prefix + LIST + topic;
    return new ImportKeys(list, prefix + SET, list, prefix + table, topic + ":");
  }

  @Override
  EntryReader reader(RedisCalls redis) {
    return new DelayTableReader(topic);
  }

  @Override
  ScoreUnit unit() {
    return ScoreUnit.MILLISECONDS;
  }
}
