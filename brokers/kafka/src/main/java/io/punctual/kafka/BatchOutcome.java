package io.punctual.kafka;

import io.punctual.Delivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Stream;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The results of the sends of a batch, and the settlement of its messages. For one thread. */
final class BatchOutcome {
  private static final Logger log = LoggerFactory.getLogger(BatchOutcome.class);

  private final List<Delivery<byte[]>> confirmed = new ArrayList<>();
  private final List<Delivery<byte[]>> away = new ArrayList<>();
  private final Map<Refusal, Refused> refused = new LinkedHashMap<>();
  private final List<Bystander> bystanders = new ArrayList<>();
  private final List<Delivery<byte[]>> spared = new ArrayList<>();
  private final Map<Delivery<byte[]>, Duration> deferred = new LinkedHashMap<>();
  private @Nullable Throwable outage;
  private boolean broken;

  /** Identifies refusals for the same reason, by their topic and the type of their failure. */
  private record Refusal(String topic, Class<?> reason) {}

  /** Messages that are refused for the same reason, and the first failure. */
  private record Refused(Throwable failure, List<Delivery<byte[]>> deliveries) {}

  /**
   * A message that may have failed only because Kafka refused a different record in the same
   * request. Kafka's client reports this case with a plain {@link KafkaException}.
   */
  private record Bystander(Delivery<byte[]> delivery, String topic, Throwable failure) {}

  /**
   * Adds the result of a send. Call {@link #sortOut} after all results.
   *
   * @param failure why Kafka did not confirm the record, or null if it did
   */
  void add(Delivery<byte[]> delivery, String topic, @Nullable Throwable failure) {
    if (failure == null) {
      confirmed.add(delivery);
      return;
    }
    Verdict verdict = Verdict.of(failure);
    if (verdict == Verdict.REFUSED) {
      refused
          .computeIfAbsent(
              new Refusal(topic, failure.getClass()),
              refusal -> new Refused(failure, new ArrayList<>()))
          .deliveries
          .add(delivery);
      return;
    }
    if (failure.getClass() == KafkaException.class) {
      bystanders.add(new Bystander(delivery, topic, failure));
      return;
    }
    away(delivery, failure, verdict == Verdict.BROKEN);
  }

  /** Adds a message that returns to the queue for this time, as its topic is not ready. */
  void defer(Delivery<byte[]> delivery, Duration pause) {
    deferred.put(delivery, pause);
  }

  boolean isDeferred(Delivery<byte[]> delivery) {
    return deferred.containsKey(delivery);
  }

  private void away(Delivery<byte[]> delivery, Throwable failure, boolean fatal) {
    away.add(delivery);
    outage = outage == null ? failure : outage;
    broken |= fatal;
  }

  /**
   * Separates the messages that failed because of refused records from the messages that failed in
   * an outage.
   */
  void sortOut() {
    Set<String> invalid = new HashSet<>();
    refused.forEach(
        (refusal, messages) -> {
          if (messages.failure instanceof InvalidRecordException) {
            invalid.add(refusal.topic);
          }
        });
    for (Bystander one : bystanders) {
      if (invalid.contains(one.topic)) {
        spared.add(one.delivery);
      } else {
        away(one.delivery, one.failure, true);
      }
    }
    bystanders.clear();
  }

  /** Whether Kafka did not confirm a record, for a reason that does not lie in the record. */
  boolean isAway() {
    return !away.isEmpty();
  }

  int awayCount() {
    return away.size();
  }

  int size() {
    return confirmed.size()
        + away.size()
        + spared.size()
        + refused.values().stream().mapToInt(one -> one.deliveries.size()).sum();
  }

  /** Returns the first failure that does not lie in a record, or null if there is none. */
  @Nullable Throwable outage() {
    return outage;
  }

  /** Whether a new producer is needed. */
  boolean isBroken() {
    return broken;
  }

  /**
   * Acks the confirmed messages, and waits for the answers of the store. So if the process dies
   * later, these messages are not sent again. Messages without a confirmation return to the queue.
   * If Kafka refused messages, throws the first reason: the worker then applies the retry policy to
   * the messages that were refused for this reason. Messages that were refused for other reasons
   * return to the queue, and fail with their own reasons in later batches. Messages that failed
   * only because of a refused record return to the queue, too.
   *
   * @throws RefusedException if Kafka refused messages
   */
  void settle() {
    Stream<Delivery<byte[]>> later =
        refused.values().stream().skip(1).flatMap(one -> one.deliveries.stream());
    List<CompletableFuture<?>> settled = new ArrayList<>();
    Stream.of(away.stream(), spared.stream(), later)
        .flatMap(all -> all)
        .forEach(one -> start(one, each -> each.async().release(), settled));
    deferred.forEach((one, pause) -> start(one, each -> each.async().defer(pause), settled));
    confirmed.forEach(one -> start(one, each -> each.async().ack(), settled));
    settled.forEach(BatchOutcome::join);
    if (!refused.isEmpty()) {
      Map.Entry<Refusal, Refused> first = refused.entrySet().iterator().next();
      throw exception(first.getKey(), first.getValue());
    }
  }

  /**
   * Starts a settlement. A failure concerns one message only: a function of the bridge has settled
   * the message, or the next occurrence of a recurring message can't be computed. The worker
   * settles such a message at the end of the batch if it is still open.
   */
  private static void start(
      Delivery<byte[]> delivery,
      Function<Delivery<byte[]>, CompletionStage<?>> settlement,
      List<CompletableFuture<?>> started) {
    try {
      started.add(settlement.apply(delivery).toCompletableFuture());
    } catch (RuntimeException e) {
      log.warn(
          "Message '{}' of queue '{}' can't be settled after its send",
          delivery.id(),
          delivery.queue(),
          e);
    }
  }

  /** Waits for a settlement. If it fails, the message may be delivered again after its lease. */
  private static void join(CompletableFuture<?> settlement) {
    try {
      settlement.join();
    } catch (RuntimeException e) {
      log.warn("A settlement failed; its message is delivered again when its lease ends", e);
    }
  }

  private static RefusedException exception(Refusal refusal, Refused refused) {
    if (refused.failure instanceof RefusedException known) {
      return known;
    }
    // The client reports a missing topic as a time-out with this cause.
    Throwable cause = refused.failure.getCause();
    Class<?> type = (cause == null ? refused.failure : cause).getClass();
    int count = refused.deliveries.size();
    return new RefusedException(
        String.format(
            Locale.ROOT,
            "Kafka refuses a record for topic '%s': %s: %s%s",
            refusal.topic,
            type.getSimpleName(),
            refused.failure.getMessage(),
            count == 1 ? "" : " (the first of " + count + " such records in the batch)"),
        refused.failure);
  }
}
