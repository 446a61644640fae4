package io.punctual.spring;

import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.PunctualException;
import io.punctual.ScheduleOutcome;
import io.punctual.Scheduled;
import io.punctual.TimedQueue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The changes of a queue in a transaction. For use by the transaction's thread. */
final class PendingChanges<T> implements TransactionSynchronization {
  private static final Logger log = LoggerFactory.getLogger("io.punctual.spring.transaction");

  private final Object key;
  private final TimedQueue<T> queue;
  private final TransactionMode mode;

  private final List<Early<T>> early = new ArrayList<>();
  private final List<Late> late = new ArrayList<>();
  private final Map<Object, Mark> savepoints = new HashMap<>();

  /** The messages that a rollback cancels. */
  private final List<String> stored = new ArrayList<>();

  private Phase phase = Phase.OPEN;

  /** The phases of the transaction's end. */
  private enum Phase {
    /** Changes are collected. */
    OPEN,
    /** The schedules are sent, and later ones are sent at once. */
    COMMITTING,
    /** Everything is sent, and later changes are sent at once. */
    COMMITTED
  }

  private record Early<T>(Message<T> message, IfPresent ifPresent, boolean generated) {
    String id() {
      return message.id().orElseThrow();
    }
  }

  private record Late(String id, Runnable change) {}

  private record Mark(int early, int late) {}

  PendingChanges(Object key, TimedQueue<T> queue, TransactionMode mode) {
    this.key = key;
    this.queue = queue;
    this.mode = mode;
  }

  void schedule(Message<T> message, IfPresent ifPresent, boolean generated) {
    Early<T> schedule = new Early<>(message, ifPresent, generated);
    if (!isEarly(schedule)) {
      afterCommit(schedule.id(), () -> queue.schedule(message, ifPresent));
    } else {
      early.add(schedule);
      if (phase != Phase.OPEN) {
        sendEarly();
      }
    }
  }

  /** A schedule behind a later change of the same id, such as its cancel, must follow it. */
  private boolean isEarly(Early<T> schedule) {
    boolean replaces =
        schedule.ifPresent() == IfPresent.REPLACE || schedule.ifPresent() == IfPresent.EARLIEST;
    return mode == TransactionMode.BEFORE_COMMIT
        && !replaces
        && late.stream().noneMatch(change -> change.id().equals(schedule.id()));
  }

  void afterCommit(String id, Runnable change) {
    if (phase == Phase.COMMITTED) {
      change.run();
    } else {
      late.add(new Late(id, change));
    }
  }

  /** Runs last, so that other code at the commit can still change the queue. */
  @Override
  public int getOrder() {
    return Ordered.LOWEST_PRECEDENCE;
  }

  @Override
  public void suspend() {
    Object unused = TransactionSynchronizationManager.unbindResource(key);
  }

  @Override
  public void resume() {
    TransactionSynchronizationManager.bindResource(key, this);
  }

  @Override
  public void savepoint(Object savepoint) {
    savepoints.put(savepoint, new Mark(early.size(), late.size()));
  }

  @Override
  public void savepointRollback(Object savepoint) {
    Mark mark = savepoints.getOrDefault(savepoint, new Mark(0, 0));
    early.subList(mark.early(), early.size()).clear();
    late.subList(mark.late(), late.size()).clear();
  }

  @Override
  public void beforeCommit(boolean readOnly) {
    phase = Phase.COMMITTING;
    sendEarly();
  }

  private void sendEarly() {
    List<Early<T>> all = List.copyOf(early);
    early.clear();
    for (IfPresent ifPresent : List.of(IfPresent.KEEP, IfPresent.REJECT)) {
      List<Early<T>> batch =
          all.stream().filter(schedule -> schedule.ifPresent() == ifPresent).toList();
      if (!batch.isEmpty()) {
        send(batch, ifPresent);
      }
    }
  }

  /**
   * A generated id is new, so that it can be cancelled whatever became of the call. A given id may
   * be that of an older message, which a cancel would lose.
   */
  private void send(List<Early<T>> batch, IfPresent ifPresent) {
    batch.stream().filter(Early::generated).map(Early::id).forEach(stored::add);
    List<Scheduled> results =
        queue.scheduleAll(batch.stream().map(Early::message).toList(), ifPresent);
    for (int i = 0; i < batch.size(); i++) {
      if (!batch.get(i).generated() && results.get(i).outcome() == ScheduleOutcome.STORED) {
        stored.add(batch.get(i).id());
      }
    }
  }

  @Override
  public void afterCommit() {
    List<Throwable> failures = sendRest();
    if (!failures.isEmpty()) {
      PunctualException thrown =
          new PunctualException(
              "The transaction is committed, but "
                  + failures.size()
                  + " changes of the queue '"
                  + queue.name()
                  + "' after it failed; repeat them",
              failures.get(0));
      failures.stream().skip(1).forEach(thrown::addSuppressed);
      throw thrown;
    }
  }

  /** Sends also the schedules of a transaction whose commit had begun when they were made. */
  private List<Throwable> sendRest() {
    phase = Phase.COMMITTED;
    List<Throwable> failures = new ArrayList<>();
    attempt(this::sendEarly, failures);
    for (Late change : List.copyOf(late)) {
      attempt(change.change(), failures);
    }
    late.clear();
    return failures;
  }

  private static void attempt(Runnable change, List<Throwable> failures) {
    try {
      change.run();
    } catch (RuntimeException e) {
      failures.add(e);
    }
  }

  @Override
  public void afterCompletion(int status) {
    Object unused = TransactionSynchronizationManager.unbindResourceIfPossible(key);
    if (status == STATUS_ROLLED_BACK && !stored.isEmpty()) {
      cancelStored();
    } else if (status == STATUS_COMMITTED && phase != Phase.COMMITTED) {
      sendRest()
          .forEach(
              failure ->
                  log.error(
                      "A change of queue '{}' after a commit failed; repeat it",
                      queue.name(),
                      failure));
    }
  }

  private void cancelStored() {
    try {
      Object unused = queue.cancelAll(stored);
    } catch (RuntimeException e) {
      log.warn(
          "The transaction was rolled back, but the cancel of its messages in queue '{}' failed;"
              + " they will be delivered: {}",
          queue.name(),
          stored,
          e);
    }
  }
}
