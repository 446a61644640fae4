package io.punctual.kafka;

import io.punctual.BatchHandler;
import io.punctual.Delivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * The handler of a bridge: sends the records of a batch, then waits for their confirmations. {@link
 * BatchOutcome} settles the messages. Thread-safe.
 */
final class BatchSender implements BatchHandler<byte[]> {
  /**
   * How much longer the handler waits for a confirmation than the producer may take to deliver a
   * record.
   */
  private static final Duration EXTRA = Duration.ofSeconds(5);

  /** The shortest time of a batch in an outage, so that an outage causes no busy loop. */
  private static final long OUTAGE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final ProducerHolder producers;
  private final Records records;
  private final Duration limit;
  private final OutageLog outages;
  private volatile boolean available = true;

  BatchSender(
      String queue, Map<String, Object> settings, Records records, Duration confirmTimeout) {
    this.records = records;
    limit = confirmTimeout.plus(EXTRA);
    producers = new ProducerHolder(settings);
    outages = new OutageLog(queue);
  }

  boolean isAvailable() {
    return available;
  }

  void close() {
    producers.close();
  }

  /** A delivery with the future of its confirmation, or with the reason why it was not sent. */
  private record Sent(
      Delivery<byte[]> delivery,
      String topic,
      @Nullable Future<RecordMetadata> future,
      @Nullable Throwable failure) {}

  @Override
  public void handle(List<Delivery<byte[]>> deliveries) throws InterruptedException {
    long beganNanos = System.nanoTime();
    BatchOutcome outcome = new BatchOutcome();
    Producer<byte[], byte[]> producer = producers.get();
    List<Sent> sent = send(producer, deliveries);
    // The limit counts from the last send, because sends to missing topics can take longer than the
    // limit.
    boolean interrupted = await(sent, System.nanoTime() + limit.toNanos(), outcome);
    outcome.sortOut();
    if (outcome.isBroken()) {
      producers.replace(producer);
    }
    available = !outcome.isAway();
    outages.note(outcome);
    if (outcome.isAway() && !interrupted) {
      interrupted = isInterruptedWithin(OUTAGE_NANOS - (System.nanoTime() - beganNanos));
    }
    try {
      outcome.settle();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Sends the records in the order of the deliveries. A batch waits for a topic only once: after a
   * wait without success, the further records of the topic are not sent.
   */
  private List<Sent> send(
      @Nullable Producer<byte[], byte[]> producer, List<Delivery<byte[]>> deliveries) {
    List<Sent> sent = new ArrayList<>(deliveries.size());
    Map<String, Throwable> failedTopics = new HashMap<>();
    for (Delivery<byte[]> delivery : deliveries) {
      try {
        ProducerRecord<byte[], byte[]> out = records.of(delivery);
        sent.add(send(producer, delivery, out, failedTopics));
      } catch (RefusedException e) {
        sent.add(new Sent(delivery, "", null, e));
      }
    }
    return sent;
  }

  private static Sent send(
      @Nullable Producer<byte[], byte[]> producer,
      Delivery<byte[]> delivery,
      ProducerRecord<byte[], byte[]> out,
      Map<String, Throwable> failedTopics) {
    String topic = out.topic();
    Throwable failed =
        producer == null
            ? new KafkaException("The producer can't be created; see the log")
            : failedTopics.get(topic);
    if (producer == null || failed != null) {
      return new Sent(delivery, topic, null, failed);
    }
    try {
      Future<RecordMetadata> future = producer.send(out);
      Throwable failure = future.isDone() ? failureOf(future) : null;
      if (failure != null && Verdict.isOfTopic(failure)) {
        failedTopics.put(topic, failure);
      }
      return new Sent(delivery, topic, future, null);
    } catch (InterruptedException | RuntimeException e) {
      // Kafka's own exception for an interrupt sets the interrupt flag of the thread.
      if (!Verdict.isOfUser(e)) {
        failedTopics.put(topic, e);
      }
      return new Sent(delivery, topic, null, e);
    }
  }

  /** Waits for the confirmations. Returns whether the thread was interrupted. */
  private static boolean await(List<Sent> all, long endNanos, BatchOutcome outcome)
      throws InterruptedException {
    boolean interrupted = Thread.interrupted();
    for (Sent sent : all) {
      Throwable failure;
      try {
        failure = failure(sent, interrupted ? 0 : endNanos - System.nanoTime());
      } catch (InterruptedException e) {
        interrupted = true;
        failure = failure(sent, 0);
      }
      outcome.add(sent.delivery, sent.topic, failure);
    }
    return interrupted;
  }

  /**
   * Waits up to this time for the confirmation of a record. Returns why Kafka did not confirm it,
   * or null if it did.
   */
  private static @Nullable Throwable failure(Sent sent, long nanos) throws InterruptedException {
    Future<RecordMetadata> future = sent.future;
    if (future == null) {
      return sent.failure;
    }
    try {
      RecordMetadata unused = future.get(Math.max(0, nanos), TimeUnit.NANOSECONDS);
      return null;
    } catch (ExecutionException e) {
      return e.getCause() == null ? e : e.getCause();
    } catch (TimeoutException e) {
      return e;
    }
  }

  /** Returns the failure of a future that is done, or null if it succeeded. */
  private static @Nullable Throwable failureOf(Future<RecordMetadata> done)
      throws InterruptedException {
    try {
      RecordMetadata unused = done.get();
      return null;
    } catch (ExecutionException e) {
      return e.getCause() == null ? e : e.getCause();
    }
  }

  private static boolean isInterruptedWithin(long nanos) {
    try {
      TimeUnit.NANOSECONDS.sleep(nanos);
      return false;
    } catch (InterruptedException e) {
      return true;
    }
  }
}
