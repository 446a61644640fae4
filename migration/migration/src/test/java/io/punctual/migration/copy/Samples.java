package io.punctual.migration.copy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Punctual;
import io.punctual.State;
import io.punctual.TimedQueue;
import io.punctual.migration.message.MessageImage;
import io.punctual.migration.message.PartitionWriter;
import io.punctual.migration.message.QueueReader;
import io.punctual.migration.message.Requests;
import io.punctual.spi.Content;
import io.punctual.spi.Entry;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/**
 * Messages in many states and of many sizes, and a comparison of messages that does not use the
 * code under test.
 */
public final class Samples {
  private static final long HOUR = 3_600_000;
  private static final List<String> PREFIXES = List.of("order-", "größe-", "注文-", "\uD83D\uDE80-");

  private Samples() {}

  /**
   * Stores messages with random contents, times, attempts and failures; one in twelve is a dead
   * letter.
   *
   * @param largest the largest payload in bytes; all but one of 500 payloads have 200 bytes at most
   */
  public static void fill(Store store, String queue, int messages, int largest, long seed) {
    fill(store, queue, messages, largest, seed, System.currentTimeMillis());
  }

  public static void fill(
      Store store, String queue, int messages, int largest, long seed, long now) {
    Random random = new Random(seed);
    List<Partition> partitions = Requests.answer("The queue", () -> store.partitions(queue));
    List<PartitionWriter> writers = partitions.stream().map(PartitionWriter::new).toList();
    for (int i = 0; i < messages; i++) {
      MessageImage message = message(random, i, now, largest);
      writers.get(Partition.indexOf(message.id(), writers.size())).add(message);
    }
    writers.forEach(PartitionWriter::finish);
  }

  /** Remembers ids of finished messages; the store forgets them about an hour after {@code now}. */
  static void remember(Store store, String queue, int ids, long now) {
    List<Partition> partitions = Requests.answer("The queue", () -> store.partitions(queue));
    List<PartitionWriter> writers = partitions.stream().map(PartitionWriter::new).toList();
    for (int i = 0; i < ids; i++) {
      MessageImage done =
          new MessageImage("done-" + i, now + HOUR + i, 0, new byte[0], 0, null, new byte[0]);
      writers.get(Partition.indexOf(done.id(), writers.size())).add(done);
    }
    writers.forEach(PartitionWriter::finish);
  }

  private static MessageImage message(Random random, int i, long now, int largest) {
    String id = PREFIXES.get(i % PREFIXES.size()) + i;
    long due = now + (long) ((random.nextDouble() - 0.3) * 100 * HOUR);
    int attempts = i % 3 == 0 ? 1 + random.nextInt(5) : 0;
    boolean isDead = i % 12 < 3 && attempts > 0;
    byte[] history = attempts == 0 ? new byte[0] : bytes(random, random.nextInt(300));
    int size = i % 500 == 7 ? largest : random.nextInt(Math.min(largest, 200) + 1);
    long notAfter = i % 5 == 0 ? due + 1000 * HOUR : Content.ALWAYS;
    long created = i % 7 == 0 ? Content.UNKNOWN : due - random.nextInt(1_000_000);
    Content content = new Content(bytes(random, size), headers(random, i), notAfter, created);
    long diedAt = isDead ? due + random.nextInt(10_000) : 0;
    return new MessageImage(id, due, attempts, history, diedAt, content, new byte[0]);
  }

  private static Map<String, String> headers(Random random, int i) {
    Map<String, String> headers = new LinkedHashMap<>();
    for (int k = 0; k < i % 4; k++) {
      headers.put("header-" + random.nextInt(100), "wert-ü-" + random.nextInt());
    }
    return headers;
  }

  private static byte[] bytes(Random random, int size) {
    byte[] bytes = new byte[size];
    random.nextBytes(bytes);
    return bytes;
  }

  /**
   * Schedules messages with the public API, and processes some of them. Then {@code each} messages
   * are ready, as many wait after a failure, as many are dead letters, and as many are leased.
   */
  public static void use(Store store, String queue, int each, Duration lease) {
    // The client is not closed, because its close() also closes the store.
    Punctual punctual = Punctual.builder().store(store).build();
    TimedQueue<String> used = punctual.queue(queue, Codec.string());
    for (int i = 0; i < 4 * each; i++) {
      used.schedule("payload " + i, Duration.ZERO);
    }
    List<Delivery<String>> claimed = new ArrayList<>();
    while (claimed.size() < 3 * each) {
      claimed.addAll(
          used.claim(
              3 * each - claimed.size(),
              ClaimOptions.DEFAULT.lease(lease).maxWait(Duration.ofMinutes(1))));
    }
    for (int i = 0; i < 2 * each; i++) {
      if (i < each) {
        claimed.get(i).retry(Duration.ofHours(1), "no luck " + i);
      } else {
        claimed.get(i).bury("given up: " + i);
      }
    }
  }

  /**
   * Returns all messages of a queue by id. While nobody claims messages, the pages list each
   * message.
   */
  public static Map<String, Entry> all(Store store, String queue) {
    Map<String, Entry> all = new HashMap<>();
    new QueueReader(store, queue, true).forEach(entry -> all.put(entry.id(), entry), () -> {});
    return all;
  }

  /** The parts of a message, in types that compare their contents. */
  record Parts(
      String id,
      State state,
      long dueMillis,
      int attempts,
      ByteBuffer history,
      long diedAtMillis,
      ByteBuffer payload,
      Map<String, String> headers,
      long notAfterMillis,
      long createdMillis) {
    static Parts of(Entry entry) {
      Content content = Objects.requireNonNullElse(entry.content(), text(""));
      // Scheduled, ready and leased messages count as equal: time makes a scheduled message ready,
      // and a copy has no leases.
      return new Parts(
          entry.id(),
          entry.state() == State.DEAD || entry.state() == State.FINISHED
              ? entry.state()
              : State.READY,
          entry.dueMillis(),
          entry.attempts(),
          ByteBuffer.wrap(entry.history()),
          entry.diedAtMillis(),
          ByteBuffer.wrap(content.payload()),
          content.headers(),
          content.notAfterMillis(),
          content.createdMillis());
    }
  }

  public static void expectSame(Map<String, Entry> end, Map<String, Entry> original) {
    assertThat(end).containsOnlyKeys(original.keySet());
    original.forEach((id, entry) -> assertThat(Parts.of(end.get(id))).isEqualTo(Parts.of(entry)));
  }

  public static Content text(String text) {
    return Content.of(text.getBytes(UTF_8));
  }
}
