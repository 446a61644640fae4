package io.punctual.benchmarks.memory;

import io.punctual.CancelOutcome;
import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.memory.MemoryStore;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * The processor time of calls for a given number of pending messages, with random ids and due
 * times. The benchmark schedules messages individually and cancels random pending messages. Then it
 * advances time until a few messages are due, and claims and acknowledges them.
 *
 * <p>For use by a single thread.
 */
final class CallCosts {
  private static final int PAYLOAD_BYTES = 100;
  private static final int FILL_BATCH = 1_000;
  private static final int CLAIM = 10;
  private static final int DUE_AT_ONCE = 20;
  private static final long FIRST_DUE_MILLIS = 600_000L;
  private static final int SPREAD_MILLIS = 3_600_000;
  private static final Duration LEASE = Duration.ofHours(2);

  private final Random random = new Random(1);
  private final byte[] payload = new byte[PAYLOAD_BYTES];
  private long shiftMillis;
  private int made;

  /**
   * The processor times in nanoseconds: of a schedule, of a cancel, and of the claim and ack of one
   * message. A claim takes several messages, and its time is divided among them.
   */
  record Costs(double schedule, double cancel, double claimAndAck) {
    String word() {
      return schedule + " " + cancel + " " + claimAndAck;
    }

    static Costs of(String word) {
      String[] parts = word.split(" ", 3);
      return new Costs(
          Double.parseDouble(parts[0]), Double.parseDouble(parts[1]), Double.parseDouble(parts[2]));
    }
  }

  /**
   * Measures {@code calls} schedules, {@code calls} cancels, and the claims and acks of about half
   * as many messages. {@code pending} must be at least {@code calls}.
   */
  Costs measure(int pending, int calls) {
    shiftMillis = 0;
    MemoryStore store =
        MemoryStore.builder().clock(() -> Instant.now().plusMillis(shiftMillis)).build();
    try (Punctual punctual = Punctual.builder().store(store).build()) {
      TimedQueue<byte[]> queue = punctual.queue("orders", Codec.bytes());
      List<String> ids = fill(queue, pending);
      System.gc();
      return new Costs(
          schedule(queue, ids, calls), cancel(queue, ids, calls), claim(queue, pending, calls / 2));
    }
  }

  private List<String> fill(TimedQueue<byte[]> queue, int count) {
    List<String> ids = new ArrayList<>(count);
    List<Message<byte[]>> batch = new ArrayList<>(FILL_BATCH);
    while (ids.size() < count) {
      batch.clear();
      for (int i = 0; i < FILL_BATCH; i++) {
        ids.add(id());
        batch.add(message(ids.get(ids.size() - 1)));
      }
      var unused = queue.scheduleAll(batch);
    }
    return ids;
  }

  private String id() {
    return Integer.toString(random.nextInt(), Character.MAX_RADIX) + "-" + made++;
  }

  private Message<byte[]> message(String id) {
    long dueIn = FIRST_DUE_MILLIS + random.nextInt(SPREAD_MILLIS);
    return Message.of(payload).id(id).dueIn(Duration.ofMillis(dueIn));
  }

  private double schedule(TimedQueue<byte[]> queue, List<String> ids, int calls) {
    List<Message<byte[]>> messages = new ArrayList<>(calls);
    for (int i = 0; i < calls; i++) {
      ids.add(id());
      messages.add(message(ids.get(ids.size() - 1)));
    }
    long start = cpuNanos();
    for (Message<byte[]> message : messages) {
      var unused = queue.schedule(message);
    }
    return (cpuNanos() - start) / (double) calls;
  }

  /**
   * Measures cancels. The ids are copies that no earlier call has used, because callers rarely hold
   * the queue's own id objects.
   */
  @SuppressWarnings("StringConstructor") // The strings must be equal, but not the same objects.
  private double cancel(TimedQueue<byte[]> queue, List<String> ids, int calls) {
    Collections.shuffle(ids, random);
    List<String> chosen = ids.subList(0, calls).stream().map(String::new).toList();
    long start = cpuNanos();
    for (String id : chosen) {
      if (queue.cancel(id) != CancelOutcome.CANCELLED) {
        throw new IllegalStateException(id + " was not there");
      }
    }
    return (cpuNanos() - start) / (double) calls;
  }

  private double claim(TimedQueue<byte[]> queue, int pending, int calls) {
    long step = Math.max(1, (long) SPREAD_MILLIS * DUE_AT_ONCE / pending);
    long nanos = 0;
    int claimed = 0;
    shiftMillis = FIRST_DUE_MILLIS;
    while (claimed < calls) {
      shiftMillis += step;
      long start = cpuNanos();
      List<Delivery<byte[]>> deliveries = queue.claim(CLAIM, ClaimOptions.DEFAULT.lease(LEASE));
      for (Delivery<byte[]> delivery : deliveries) {
        var unused = delivery.ack();
      }
      nanos += cpuNanos() - start;
      claimed += deliveries.size();
    }
    return nanos / (double) claimed;
  }

  private static long cpuNanos() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }
}
