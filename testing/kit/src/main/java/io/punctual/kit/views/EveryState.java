package io.punctual.kit.views;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.PauseNote;
import io.punctual.Punctual;
import io.punctual.QueueLimits;
import io.punctual.Recurrence;
import io.punctual.TimedQueue;
import io.punctual.memory.MemoryStore;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * A store in memory whose queue {@value #QUEUE} has a message in every state, at a fixed time, and
 * the JSON by which every program shows it. The test of a program reads the store by a client of
 * its own, and compares what the program shows with {@link #queue} and {@link #messages}, after
 * {@link #normal}. {@link #close} ends the client that holds the leases.
 */
public final class EveryState implements AutoCloseable {
  /** The name of the queue. */
  public static final String QUEUE = "every-state";

  private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
  private static final Duration HOUR = Duration.ofHours(1);

  private final MemoryStore store = MemoryStore.builder().clock(InstantSource.fixed(NOW)).build();
  private final Punctual filler = Punctual.builder().store(store).build();
  private final TimedQueue<byte[]> queue = filler.queue(QUEUE, Codec.bytes());

  /** Creates the store, and fills it. */
  public EveryState() {
    schedule(
        message("json", "{\"n\": 1.10,\n\"list\": [1, null, \"ä\"]}")
            .headers(Map.of("z", "1", "tenant", "acme"))
            .notAfter(NOW.plus(HOUR.multipliedBy(2)))
            .dueIn(HOUR));
    schedule(message("text", "hello, \"world\"").dueIn(HOUR));
    schedule(Message.of(new byte[] {(byte) 0xff, 0, 1}).id("bytes").dueIn(HOUR));
    schedule(message("recurring", "null").recurring(Recurrence.every(HOUR)).dueIn(HOUR));
    Delivery<byte[]> unusedLease = claimed(message("leased", "1"));
    Delivery<byte[]> unusedToo = claimed(message("cancelled", "2"));
    Object running = queue.cancel("cancelled");
    settled(claimed(message("failed", "3")).retry(HOUR, "no card"));
    settled(claimed(message("dead", "4")).bury("no use"));
    settled(claimed(message("finished", "5").rememberFor(HOUR)).ack());
    schedule(message("ready", "6"));
    queue.setLimits(QueueLimits.none().rate(100, Duration.ofMillis(1500), 10).concurrency(5));
    queue.pause(new PauseNote("the bank moves", "ann"));
    settled(running);
  }

  private static Message<byte[]> message(String id, String payload) {
    return Message.of(payload.getBytes(UTF_8)).id(id);
  }

  private void schedule(Message<byte[]> message) {
    settled(queue.schedule(message));
  }

  private Delivery<byte[]> claimed(Message<byte[]> message) {
    schedule(message);
    return queue.claim(1, ClaimOptions.DEFAULT.lease(HOUR)).get(0);
  }

  private static void settled(Object outcome) {
    Objects.requireNonNull(outcome, "outcome");
  }

  /** Returns the store, for a client that reads it. */
  public MemoryStore store() {
    return store;
  }

  /** Returns the JSON of the queue. */
  public static String queue() {
    return lines()[0];
  }

  /** Returns the JSON of each message by its id. */
  public static Map<String, String> messages() {
    Map<String, String> messages = new LinkedHashMap<>();
    String[] lines = lines();
    for (int i = 1; i < lines.length; i++) {
      messages.put(lines[i].split("\"", 5)[3], lines[i]);
    }
    return messages;
  }

  private static String[] lines() {
    try (InputStream in = EveryState.class.getResourceAsStream("every-state.ndjson")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), UTF_8).split("\n", -1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns JSON without the session and without times by the client's clock. */
  public static String normal(String json) {
    return json.strip()
        .replaceAll("\"session\":\"[^\"]+\"", "\"session\":\"…\"")
        .replaceAll("\"at\":\"[^\"]+\"", "\"at\":\"…\"");
  }

  @Override
  public void close() {
    filler.close(Duration.ZERO);
  }
}
