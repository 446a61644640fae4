package io.punctual.view;

import io.punctual.Codec;
import io.punctual.Counts;
import io.punctual.MessageQuery;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.QueueInfo;
import io.punctual.State;
import io.punctual.StoreRefusedException;
import io.punctual.StoreUnavailableException;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.WorkerInfo;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;

/**
 * What is known about a queue: the evidence of a {@link Diagnosis}. Immutable.
 *
 * @param queue the queue's name
 * @param partitions the number of partitions; 0 if the store did not answer
 * @param expectedPartitions the number that the application asks for, if it is known
 * @param counts the counts, or empty if the store did not answer
 * @param workers the workers of the queue, or empty if they are not known: the workers of a journal
 *     are known to their own process only
 * @param messages the first messages in each state but dead and finished
 * @param outage why the store did not answer
 * @param refusal why the store refuses changes
 * @param now the time of this machine
 */
public record Evidence(
    String queue,
    int partitions,
    OptionalInt expectedPartitions,
    Optional<Counts> counts,
    Optional<List<WorkerInfo>> workers,
    List<StoredMessage<?>> messages,
    Optional<PunctualException> outage,
    Optional<PunctualException> refusal,
    Instant now) {
  private static final int SAMPLE = 100;

  /** Copies the lists. */
  public Evidence {
    workers = workers.map(List::copyOf);
    messages = List.copyOf(messages);
  }

  /**
   * How to collect evidence.
   *
   * @param expectedPartitions the number of partitions that the application asks for, if it is
   *     known
   * @param knowsWorkers whether the client can list the workers of the queue
   * @param triesChange whether to find out if the store refuses changes, by the cancel of a message
   *     that does not exist
   */
  public record Plan(OptionalInt expectedPartitions, boolean knowsWorkers, boolean triesChange) {
    /** The plan for a store that every process can reach. */
    public static final Plan FULL = new Plan(OptionalInt.empty(), true, true);
  }

  /** Returns the evidence of a queue in a listing, without its messages. */
  public static Evidence of(QueueInfo queue, Optional<List<WorkerInfo>> workers, Instant now) {
    return new Evidence(
        queue.name(),
        queue.partitions(),
        OptionalInt.empty(),
        Optional.of(queue.counts()),
        workers.map(all -> of(queue.name(), all)),
        List.of(),
        Optional.empty(),
        Optional.empty(),
        now);
  }

  /** Returns this evidence with the first messages of the queue. */
  public Evidence withMessages(List<StoredMessage<?>> first) {
    return new Evidence(
        queue, partitions, expectedPartitions, counts, workers, first, outage, refusal, now);
  }

  private static List<WorkerInfo> of(String queue, List<WorkerInfo> workers) {
    return workers.stream().filter(worker -> worker.queue().equals(queue)).toList();
  }

  /** Returns the evidence of a store that does not answer. */
  public static Evidence ofOutage(String queue, PunctualException outage, Instant now) {
    return new Evidence(
        queue,
        0,
        OptionalInt.empty(),
        Optional.empty(),
        Optional.empty(),
        List.of(),
        Optional.of(outage),
        Optional.empty(),
        now);
  }

  /**
   * Asks the store about a queue that exists: a handful of requests. Does not fail if the store
   * does not answer.
   *
   * @param now the time of this machine
   */
  public static Evidence collect(Punctual punctual, String queue, Plan plan, Instant now) {
    try {
      TimedQueue<byte[]> opened = punctual.queue(queue, Codec.bytes());
      // The reads come after the change: they fail if the store is away, and does not refuse it.
      Optional<PunctualException> refusal = plan.triesChange() ? refusal(opened) : Optional.empty();
      return new Evidence(
          queue,
          opened.partitions(),
          plan.expectedPartitions(),
          Optional.of(opened.counts()),
          plan.knowsWorkers() ? Optional.of(of(queue, punctual.workers())) : Optional.empty(),
          messages(opened),
          Optional.empty(),
          refusal,
          now);
    } catch (StoreUnavailableException | StoreRefusedException e) {
      return ofOutage(queue, e, now);
    }
  }

  private static List<StoredMessage<?>> messages(TimedQueue<?> queue) {
    List<StoredMessage<?>> messages = new ArrayList<>();
    for (State state : List.of(State.SCHEDULED, State.READY, State.LEASED)) {
      MessageQuery query = MessageQuery.of(state).limit(SAMPLE).withoutPayloads();
      messages.addAll(queue.browse(query).items());
    }
    return messages;
  }

  /**
   * Returns why the store does not make changes, or empty if it makes them. Empty also if another
   * failure leaves that open, such as an answer that is late.
   */
  private static Optional<PunctualException> refusal(TimedQueue<?> queue) {
    try {
      Object unused = queue.cancel("doctor-" + UUID.randomUUID());
      return Optional.empty();
    } catch (StoreRefusedException | StoreUnavailableException e) {
      return Optional.of(e);
    } catch (PunctualException e) {
      return Optional.empty();
    }
  }
}
