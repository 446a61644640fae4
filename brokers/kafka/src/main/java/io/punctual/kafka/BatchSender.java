package io.punctual.kafka;

import io.punctual.BatchHandler;
import io.punctual.Delivery;
import io.punctual.kafka.Topics.Finding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
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
   * record. A producer that exceeds this time is broken.
   */
  private static final Duration EXTRA = Duration.ofSeconds(5);

  /** The shortest time of a batch in an outage, so that an outage causes no busy loop. */
  private static final long OUTAGE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How long records wait for their confirmation before Kafka is asked for their leaders. */
  private static final long LEADERS_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final ProducerHolder producers;
  private final Topics topics;
  private final Records records;
  private final Duration limit;
  private final OutageLog outages;
  private volatile boolean available = true;

  BatchSender(
      String queue, Map<String, Object> settings, Records records, Duration confirmTimeout) {
    this.records = records;
    limit = confirmTimeout.plus(EXTRA);
    producers = new ProducerHolder(settings);
    topics = topics(settings, producers);
    outages = new OutageLog(queue);
  }

  private static Topics topics(Map<String, Object> settings, ProducerHolder producers) {
    try {
      return new Topics(settings);
    } catch (RuntimeException | Error e) {
      producers.close();
      throw e;
    }
  }

  boolean isAvailable() {
    return available;
  }

  void close() {
    topics.close();
    producers.close();
  }

  /** A delivery with the future of its confirmation, or with the reason why it was not sent. */
  private record Sent(
      Delivery<byte[]> delivery,
      String topic,
      byte @Nullable [] key,
      @Nullable Future<RecordMetadata> future,
      @Nullable Throwable failure) {
    boolean isOpen() {
      return future != null && !future.isDone();
    }
  }

  /** A delivery and its record, or the reason why it has none. */
  private record Prepared(
      Delivery<byte[]> delivery,
      @Nullable ProducerRecord<byte[], byte[]> record,
      @Nullable RefusedException failure) {}

  @Override
  public void handle(List<Delivery<byte[]>> deliveries) throws InterruptedException {
    long beganNanos = System.nanoTime();
    BatchOutcome outcome = new BatchOutcome();
    Producer<byte[], byte[]> producer = producers.get();
    List<Sent> sent = send(producer, deliveries, outcome);
    // The limit counts from the last send, because a send can wait for the metadata of its topic.
    boolean interrupted = await(producer, sent, System.nanoTime() + limit.toNanos(), outcome);
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
   * Sends the records in the order of the deliveries. Messages whose topic is looked up are
   * deferred, without a wait.
   */
  private List<Sent> send(
      @Nullable Producer<byte[], byte[]> producer,
      List<Delivery<byte[]>> deliveries,
      BatchOutcome outcome) {
    List<Prepared> all = deliveries.stream().map(this::prepare).toList();
    Map<String, Finding> findings = find(producer, topicsOf(all));
    List<Sent> sent = new ArrayList<>(deliveries.size());
    Map<String, Throwable> failedTopics = new HashMap<>();
    for (Prepared one : all) {
      if (one.record == null) {
        sent.add(new Sent(one.delivery, "", null, null, one.failure));
        continue;
      }
      Finding finding = findings.getOrDefault(one.record.topic(), Finding.READY);
      Duration pause = finding.pause(one.record.key());
      if (pause != null) {
        outcome.defer(one.delivery, pause);
      } else if (finding.failure() != null) {
        sent.add(new Sent(one.delivery, one.record.topic(), null, null, finding.failure()));
      } else {
        sent.add(send(producer, one.delivery, one.record, failedTopics));
      }
    }
    return sent;
  }

  private Prepared prepare(Delivery<byte[]> delivery) {
    try {
      return new Prepared(delivery, records.of(delivery), null);
    } catch (RefusedException e) {
      return new Prepared(delivery, null, e);
    }
  }

  private static Set<String> topicsOf(List<Prepared> all) {
    Set<String> names = new HashSet<>();
    for (Prepared one : all) {
      if (one.record != null) {
        names.add(one.record.topic());
      }
    }
    return names;
  }

  private Map<String, Finding> find(
      @Nullable Producer<byte[], byte[]> producer, Set<String> names) {
    if (producer == null) {
      return Map.of();
    }
    try {
      return topics.find(names, producer);
    } catch (InterruptedException e) {
      // The wait for the confirmations notices the interrupt.
      Thread.currentThread().interrupt();
      return Map.of();
    }
  }

  private Sent send(
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
      return new Sent(delivery, topic, null, null, failed);
    }
    try {
      Future<RecordMetadata> future = producer.send(out);
      Throwable failure = future.isDone() ? failureOf(future) : null;
      if (failure != null && Verdict.isOfTopic(failure)) {
        failedTopics.put(topic, failure);
        topics.forget(topic);
      }
      return new Sent(delivery, topic, out.key(), future, null);
    } catch (InterruptedException | RuntimeException | Error e) {
      // Kafka's own exception for an interrupt sets the interrupt flag of the thread.
      if (!Verdict.isOfUser(e)) {
        failedTopics.put(topic, e);
        topics.forget(topic);
      }
      return new Sent(delivery, topic, null, null, e);
    }
  }

  /** Waits for the confirmations. Returns whether the thread was interrupted. */
  private boolean await(
      @Nullable Producer<byte[], byte[]> producer,
      List<Sent> all,
      long endNanos,
      BatchOutcome outcome)
      throws InterruptedException {
    boolean interrupted = Thread.interrupted();
    if (!interrupted) {
      interrupted = deferUnled(producer, all, endNanos, outcome);
    }
    for (Sent sent : all) {
      if (outcome.isDeferred(sent.delivery)) {
        continue;
      }
      Throwable failure;
      try {
        failure = failure(sent, 0);
      } catch (InterruptedException e) {
        interrupted = true;
        failure = failure(sent, 0);
      }
      if (interrupted && failure instanceof TimeoutException) {
        failure = new InterruptedException("The wait for the confirmation was interrupted");
      }
      if (failure != null && Verdict.isOfTopic(failure)) {
        topics.forget(sent.topic);
      }
      outcome.add(sent.delivery, sent.topic, failure);
    }
    return interrupted;
  }

  /**
   * Waits until no record waits for its confirmation, or until the end. Meanwhile asks Kafka for
   * the leaders of the partitions again and again, and defers records without a leader, which would
   * hold up the records of the next batch. Kafka may get such a record nevertheless. Returns
   * whether the thread was interrupted.
   */
  private boolean deferUnled(
      @Nullable Producer<byte[], byte[]> producer,
      List<Sent> all,
      long endNanos,
      BatchOutcome outcome) {
    long checkNanos = System.nanoTime() + LEADERS_NANOS;
    try {
      for (Sent sent : all) {
        while (sent.isOpen() && !outcome.isDeferred(sent.delivery)) {
          long now = System.nanoTime();
          if (now - endNanos >= 0) {
            return false;
          }
          if (now - checkNanos >= 0) {
            List<Sent> open = all.stream().filter(Sent::isOpen).toList();
            open.forEach(one -> topics.forget(one.topic));
            Set<String> names = open.stream().map(Sent::topic).collect(Collectors.toSet());
            Map<String, Finding> found = find(producer, names);
            for (Sent one : open) {
              Duration pause = found.getOrDefault(one.topic, Finding.READY).pause(one.key);
              if (pause != null) {
                outcome.defer(one.delivery, pause);
              }
            }
            checkNanos = System.nanoTime() + LEADERS_NANOS;
            continue;
          }
          Throwable unused = failure(sent, Math.min(endNanos - now, checkNanos - now));
        }
      }
      return false;
    } catch (InterruptedException e) {
      return true;
    }
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
