package io.punctual.view;

import io.punctual.Counts;
import io.punctual.PunctualException;
import io.punctual.State;
import io.punctual.StoreRefusedException;
import io.punctual.StoredMessage;
import io.punctual.WorkerInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The rules of a diagnosis, in order: the first that applies names the cause. */
final class Rules {

  /** A smaller difference between clocks has no effect that a user would see. */
  private static final Duration CLOCKS = Duration.ofSeconds(2);

  /** A worker renews its entry every 10 seconds, and disappears after 30. */
  private static final Duration LAST_SEEN = Duration.ofMinutes(1);

  private static final int MANY_FAILURES = 3;
  private static final String SET_CLOCKS =
      "set both clocks by a time server; messages are delivered by the store's clock";

  /** The words of databases and servers that accept no changes. */
  private static final Pattern READ_ONLY =
      Pattern.compile("\\bread[- _]?only\\b", Pattern.CASE_INSENSITIVE);

  private final Evidence evidence;
  private final Leases leases;

  Rules(Evidence evidence) {
    this.evidence = evidence;
    this.leases = new Leases(evidence);
  }

  Diagnosis diagnosis() {
    Counts counts = evidence.counts().orElse(null);
    if (counts == null) {
      return away();
    }
    Late late = new Late(counts);
    return Stream.<Supplier<Optional<Diagnosis>>>of(
            late::paused,
            late::readOnly,
            late::clockIsBehind,
            late::noWorker,
            late::workersPaused,
            late::poisonNow,
            late::limit,
            late::poisonByLeases,
            late::lostLeases,
            late::busyHandlers,
            late::clockOfWorkers,
            late::partitions,
            late::unknown,
            late::poisonByFailures)
        .flatMap(rule -> rule.get().stream())
        .findFirst()
        .orElseGet(late::onTime);
  }

  private Diagnosis away() {
    PunctualException outage = evidence.outage().orElse(null);
    String message = outage == null ? "no answer" : String.valueOf(outage.getMessage());
    if (READ_ONLY.matcher(message).find()) {
      return found(
          Cause.READ_ONLY,
          true,
          "The store can be read only: " + message,
          "end its read-only mode, or name the server that accepts changes");
    }
    return outage instanceof StoreRefusedException
        ? found(
            Cause.STORE_REFUSES,
            true,
            "The store refuses every request: " + message,
            "mend the cause that the message names, such as the password or the rights of the user")
        : found(
            Cause.STORE_AWAY,
            true,
            "The store does not answer: " + message,
            "start the store, or mend the way to it; the workers go on by themselves then");
  }

  private Diagnosis found(Cause cause, boolean late, String reason, String next) {
    return new Diagnosis(evidence.queue(), cause, late, reason, next);
  }

  /** The rules for a queue whose counts are known. */
  private final class Late {
    private final Counts counts;
    private final String name;
    private final boolean isLate;

    Late(Counts counts) {
      this.counts = counts;
      this.name = "Queue '" + evidence.queue() + "'";
      this.isLate =
          (counts.ready() > 0 && counts.overdue().compareTo(Leases.LATE) >= 0) || leases.areLeft();
    }

    private Optional<Diagnosis> here(Cause cause, String reason, String next) {
      return Optional.of(found(cause, isLate, reason + due(), next));
    }

    /** Returns the backlog as the end of a sentence. */
    private String due() {
      return isLate && counts.ready() > 0
          ? ", and "
              + number(counts.ready(), "message is", "messages are")
              + " due, the oldest for "
              + Values.words(counts.overdue())
          : "";
    }

    Optional<Diagnosis> paused() {
      if (!counts.paused()) {
        return Optional.empty();
      }
      String by = counts.pauseNote().by();
      String why = counts.pauseNote().reason();
      return here(
          Cause.PAUSED,
          name
              + " is paused"
              + (by.isEmpty() ? "" : " by " + by)
              + (why.isEmpty() ? "" : " (" + why + ")"),
          "resume it, for example by 'punctual resume " + evidence.queue() + "'");
    }

    /** A store that refuses this user may accept a worker's; listed workers show that it does. */
    Optional<Diagnosis> readOnly() {
      boolean hasWorkers = evidence.workers().filter(all -> !all.isEmpty()).isPresent();
      return evidence
          .refusal()
          .filter(refusal -> !hasWorkers)
          .flatMap(
              refusal ->
                  here(
                      Cause.READ_ONLY,
                      "The store answers reads and refuses changes: " + refusal.getMessage(),
                      "give the user of the workers the right to change the store, or end its"
                          + " read-only mode"));
    }

    Optional<Diagnosis> noWorker() {
      boolean isWaiting = counts.scheduled() + counts.ready() > 0 || leases.areLeft();
      if (!isWaiting || leases.areHeld()) {
        return Optional.empty();
      }
      if (evidence.workers().isPresent() && evidence.workers().get().isEmpty()) {
        return here(
            Cause.NO_WORKER,
            "No worker of any process has queue '" + evidence.queue() + "'",
            "start one, and compare the name of the queue in the worker and in the producer");
      }
      return evidence.workers().isEmpty() && isLate && !counts.limits().hasRate()
          ? here(
              Cause.NO_WORKER,
              "Nobody claims messages of queue '" + evidence.queue() + "'",
              "start a worker, or look whether it runs")
          : Optional.empty();
    }

    private List<WorkerInfo> workers() {
      return evidence.workers().orElse(List.of());
    }

    private List<WorkerInfo> active() {
      return workers().stream().filter(worker -> !worker.isPaused()).toList();
    }

    Optional<Diagnosis> workersPaused() {
      int all = workers().size();
      return all > 0 && active().isEmpty()
          ? here(
              Cause.WORKERS_PAUSED,
              (all == 1 ? "The only worker" : "All " + all + " workers")
                  + " of queue '"
                  + evidence.queue()
                  + (all == 1 ? "' is paused" : "' are paused"),
              "resume one, by Worker.resume in its process, or by 'punctual workers --resume NAME'"
                  + " if an operator has paused it")
          : Optional.empty();
    }

    Optional<Diagnosis> limit() {
      if (!isLate) {
        return Optional.empty();
      }
      if (counts.limits().hasConcurrency() && counts.leased() >= counts.limits().concurrency()) {
        return here(
            Cause.CONCURRENCY_LIMIT,
            name
                + " has a limit of "
                + number(counts.limits().concurrency(), "leased message", "leased messages")
                + ", which is reached",
            "raise it, for example by 'punctual limits "
                + evidence.queue()
                + " --concurrency N', or make the handlers faster");
      }
      return counts.limits().hasRate() && !isBusy() ? rateLimit() : Optional.empty();
    }

    private Optional<Diagnosis> rateLimit() {
      Optional<String> flow = new Flow(evidence).words(counts.limits(), counts.overdue());
      return here(
          Cause.RATE_LIMIT,
          name
              + " has the limit "
              + counts.limits()
              + ", which holds messages back"
              + flow.map("; "::concat).orElse(""),
          "raise it, for example by 'punctual limits "
              + evidence.queue()
              + " --rate N/s', or wait until the backlog is gone"
              + (flow.isEmpty()
                  ? ""
                  : "; if workers receive far fewer messages than it allows, look at their logs for"
                      + " another cause"));
    }

    private int capacity() {
      return active().stream().mapToInt(WorkerInfo::concurrency).sum();
    }

    private boolean isBusy() {
      return !active().isEmpty() && counts.leased() >= capacity();
    }

    Optional<Diagnosis> busyHandlers() {
      int workers = active().size();
      return isLate && isBusy()
          ? here(
              Cause.BUSY_HANDLERS,
              "All "
                  + number(capacity(), "handler", "handlers")
                  + " of "
                  + number(workers, "worker", "workers")
                  + " of queue '"
                  + evidence.queue()
                  + "' are busy",
              "raise the concurrency, start more workers, or make the handlers faster; a thread"
                  + " dump shows what they wait for")
          : Optional.empty();
    }

    /** A message that is not due, such as one that an operator has put off, does no harm now. */
    Optional<Diagnosis> poisonNow() {
      return poison().filter(found -> found.state() != State.SCHEDULED).flatMap(this::poison);
    }

    Optional<Diagnosis> poisonByLeases() {
      return poison().flatMap(this::poison);
    }

    /** A message that ends its process takes the leases of others with it, once each. */
    private Optional<StoredMessage<?>> poison() {
      List<StoredMessage<?>> lost = leases.lostMessages();
      return lost.isEmpty()
              || leases.lost(lost.get(0)) < 2
              || (lost.size() > 1 && leases.lost(lost.get(1)) > 1)
          ? Optional.empty()
          : Optional.of(lost.get(0));
    }

    private Optional<Diagnosis> poison(StoredMessage<?> poison) {
      return here(
          Cause.POISON_MESSAGE,
          "Message '"
              + poison.id()
              + "' was delivered "
              + number(poison.attempts(), "time", "times")
              + " without an end: it ends the processes of its workers, or its handler runs longer"
              + " than the lease",
          "look at the logs of the last worker and at the message, by 'punctual show "
              + evidence.queue()
              + " "
              + poison.id()
              + "'; 'punctual cancel' removes it");
    }

    Optional<Diagnosis> lostLeases() {
      List<StoredMessage<?>> lost = leases.lostMessages();
      return lost.size() > 1
          ? here(
              Cause.LOST_LEASES,
              "Workers lose their leases: "
                  + number(lost.size(), "message was", "messages were")
                  + " delivered again without an end of the attempt before",
              "look for workers that die or stand still for longer than the lease, and for handlers"
                  + " without renewal that run longer than the lease")
          : Optional.empty();
    }

    /** No worker can receive a message that is not due by the store's clock. */
    Optional<Diagnosis> clockIsBehind() {
      return evidence.messages().stream()
          .filter(message -> message.state() == State.SCHEDULED)
          .filter(message -> message.dueAt().isBefore(evidence.now().minus(CLOCKS)))
          .min(Comparator.comparing(StoredMessage::dueAt))
          .map(
              behind ->
                  found(
                      Cause.CLOCK,
                      true,
                      "The store's clock is at least "
                          + Values.words(Duration.between(behind.dueAt(), evidence.now()))
                          + " behind the clock of this machine: message '"
                          + behind.id()
                          + "' is due at "
                          + Values.instant(behind.dueAt())
                          + ", and not due by the store's clock",
                      SET_CLOCKS));
    }

    Optional<Diagnosis> clockOfWorkers() {
      return workers().stream()
          .map(WorkerInfo::lastSeenAt)
          .max(Comparator.naturalOrder())
          .filter(seen -> difference(seen).compareTo(LAST_SEEN) > 0)
          .flatMap(
              seen ->
                  here(
                      Cause.CLOCK,
                      "The store's clock is "
                          + Values.words(difference(seen))
                          + (seen.isAfter(evidence.now()) ? " ahead of" : " behind")
                          + " the clock of this machine",
                      SET_CLOCKS));
    }

    private Duration difference(Instant seen) {
      return Duration.between(seen, evidence.now()).abs();
    }

    Optional<Diagnosis> partitions() {
      return evidence.expectedPartitions().isPresent()
              && evidence.expectedPartitions().getAsInt() != evidence.partitions()
          ? here(
              Cause.PARTITIONS,
              name
                  + " has "
                  + number(evidence.partitions(), "partition", "partitions")
                  + ", not the "
                  + evidence.expectedPartitions().getAsInt()
                  + " that are asked for: the number is fixed when the queue is created",
              "empty and delete the queue, so that the next message creates it with the new number,"
                  + " or copy its messages to a new queue")
          : Optional.empty();
    }

    Optional<Diagnosis> poisonByFailures() {
      return evidence.messages().stream()
          .filter(message -> message.failures().size() >= MANY_FAILURES)
          .max(Comparator.comparingInt(StoredMessage::attempts))
          .flatMap(
              poison ->
                  here(
                      Cause.POISON_MESSAGE,
                      "Message '"
                          + poison.id()
                          + "' has failed "
                          + number(poison.attempts(), "time", "times")
                          + ", and is tried again",
                      "look at its failures by 'punctual show "
                          + evidence.queue()
                          + " "
                          + poison.id()
                          + "', and mend its handler; 'punctual cancel' removes it"));
    }

    Optional<Diagnosis> unknown() {
      return isLate
          ? here(
              Cause.UNKNOWN,
              name + " is late for a reason that the store does not know",
              "look at the logs of the workers: whether they reach the store, and whether their"
                  + " pool is full of other queues' messages")
          : Optional.empty();
    }

    Diagnosis onTime() {
      return found(Cause.NONE, false, name + " is on time", "");
    }
  }

  private static String number(long count, String one, String many) {
    return String.format(Locale.ROOT, "%,d ", count) + (count == 1 ? one : many);
  }
}
