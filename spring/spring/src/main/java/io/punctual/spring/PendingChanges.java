package io.punctual.spring;

import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.Transaction;
import io.punctual.spring.ChangeLog.Change;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

/**
 * Collects the changes of a queue in a transaction, and sends them before or after the commit. For
 * use by the transaction's thread.
 */
final class PendingChanges<T> implements TransactionSynchronization {
  private static final Logger log = LoggerFactory.getLogger("io.punctual.spring.transaction");

  private final TransactionalQueue<T> owner;
  private final TimedQueue<T> queue;
  private final ChangeCalls<T> plain;
  private final TransactionMode mode;
  private final @Nullable PunctualTransactions transactions;
  private final ChangeLog<T> changes = new ChangeLog<>();

  /** The generated ids of messages that may have been stored before the commit. */
  private final List<String> stored = new ArrayList<>();

  private Phase phase = Phase.OPEN;

  /**
   * The calls inside the transaction, from the {@code beforeCommit} callback until the {@code
   * beforeCompletion} callback; null if the store takes no part in the transaction.
   */
  private @Nullable ChangeCalls<T> joined;

  /**
   * Whether the database commits or rolls back now, in a transaction that contains changes of the
   * store.
   */
  private boolean inCommit;

  /**
   * Whether a failure before the commit makes the transaction roll back, so that the database
   * certainly does not commit.
   */
  private boolean commitPrevented;

  private enum Phase {
    /** Changes are collected. */
    OPEN,
    /**
     * The changes that can be sent before the commit were sent, and later such changes are sent at
     * once; other changes are still collected.
     */
    COMMITTING,
    /**
     * The commit is over, and the remaining changes are sent, or were sent. Later changes are sent
     * at once.
     */
    COMMITTED
  }

  PendingChanges(
      TransactionalQueue<T> owner,
      TimedQueue<T> queue,
      TransactionMode mode,
      @Nullable PunctualTransactions transactions) {
    this.owner = owner;
    this.queue = queue;
    this.plain = ChangeCalls.of(queue);
    this.mode = mode;
    this.transactions = transactions;
  }

  boolean isOf(TransactionalQueue<?> candidate) {
    return owner == candidate;
  }

  /**
   * Joins the transaction at once if its {@code beforeCommit} callbacks already run. Spring does
   * not call a callback that is registered at that time, so the changes would be sent after the
   * commit, outside the transaction. After the join, each change is written immediately.
   */
  void joinIfCommitting() {
    if (transactions != null && isBeforeCommit()) {
      boolean readOnly = TransactionSynchronizationManager.isCurrentTransactionReadOnly();
      joined = readOnly ? null : join();
      if (joined != null) {
        phase = Phase.COMMITTING;
      }
    }
  }

  /**
   * Returns whether this thread is in a {@code beforeCommit} callback. Reads the stack, because
   * Spring has no method that answers this question. If the callback has started a transaction of
   * its own, the answer is also true. This does no harm: the changes of the callback's transaction
   * are written before its commit begins.
   */
  private static boolean isBeforeCommit() {
    String caller = TransactionSynchronizationUtils.class.getName();
    return StackWalker.getInstance()
        .walk(
            frames ->
                frames.anyMatch(
                    frame ->
                        frame.getMethodName().equals("triggerBeforeCommit")
                            && frame.getClassName().equals(caller)));
  }

  /**
   * Adds a change.
   *
   * @throws IllegalStateException if the database commits now, for example in a JPA flush at the
   *     commit: the change would take effect outside the transaction
   */
  void add(Change<T> change) {
    if (inCommit) {
      throw new IllegalStateException(
          "Queue '"
              + queue.name()
              + "' was changed while the transaction commits. Change it before: in JPA, call"
              + " EntityManager.flush() at the end of the transaction, or change the queue outside"
              + " of entity callbacks");
    }
    if (phase == Phase.COMMITTED) {
      change.send().accept(plain);
      return;
    }
    changes.add(change);
    if (phase == Phase.COMMITTING) {
      sendBeforeCommit();
    }
  }

  /**
   * Runs these callbacks after those with a higher precedence, which can still change the queue
   * before the commit.
   */
  @Override
  public int getOrder() {
    return Ordered.LOWEST_PRECEDENCE;
  }

  @Override
  public void savepoint(Object savepoint) {
    changes.savepoint(savepoint);
  }

  @Override
  public void savepointRollback(Object savepoint) {
    changes.rollback(savepoint);
  }

  @Override
  public void beforeCommit(boolean readOnly) {
    phase = Phase.COMMITTING;
    try {
      joined = readOnly ? null : join();
      owner.announce(joined != null);
      sendBeforeCommit();
    } catch (RuntimeException | Error e) {
      preventCommit();
      throw e;
    }
  }

  /**
   * Returns an object whose calls change the queue inside the transaction, or null if the store
   * takes no part in the transaction.
   */
  private @Nullable ChangeCalls<T> join() {
    Transaction found = transactions == null ? null : transactions.find();
    return found == null ? null : ChangeCalls.of(queue.inTransaction(found));
  }

  /**
   * Sets {@link #commitPrevented} for the changes of all queues, because the failure of one queue
   * rolls back the whole transaction.
   */
  private static void preventCommit() {
    for (TransactionSynchronization each :
        TransactionSynchronizationManager.getSynchronizations()) {
      if (each instanceof PendingChanges<?> pending) {
        pending.commitPrevented = true;
      }
    }
  }

  private void sendBeforeCommit() {
    ChangeCalls<T> inside = joined;
    if (inside != null) {
      takeCalls().forEach(call -> send(call, inside));
    } else if (mode == TransactionMode.BEFORE_COMMIT) {
      batches(changes.takeEarly()).forEach(this::sendCancellable);
    }
  }

  /** Removes and returns all changes, divided into calls. */
  private List<List<Change<T>>> takeCalls() {
    List<List<Change<T>>> calls = new ArrayList<>(batches(changes.takeEarly()));
    changes.takeAll().forEach(change -> calls.add(List.of(change)));
    return calls;
  }

  /** Divides schedules into batches in their order; each batch is a call. */
  private static <T> List<List<Change<T>>> batches(List<Change<T>> early) {
    List<List<Change<T>>> batches = new ArrayList<>();
    int start = 0;
    for (int end = 1; end <= early.size(); end++) {
      if (end == early.size() || early.get(end).ifPresent() != early.get(start).ifPresent()) {
        batches.add(early.subList(start, end));
        start = end;
      }
    }
    return batches;
  }

  /**
   * Sends schedules before the commit, and remembers their generated ids for {@link #cancelStored}.
   * No other message has the same generated id, so a cancel is safe whether the message was stored
   * or not. A message with a given id is not cancelled, because a different transaction may rely on
   * it.
   */
  private void sendCancellable(List<Change<T>> batch) {
    boolean certainlyAbsent = false;
    try {
      send(batch, plain);
    } catch (StoreUnavailableException e) {
      // If the batch had several messages, the store may have stored some of them.
      certainlyAbsent = batch.size() == 1;
      throw e;
    } finally {
      if (!certainlyAbsent) {
        batch.stream().filter(Change::hasGeneratedId).map(Change::id).forEach(stored::add);
      }
    }
  }

  private static <T> void send(List<Change<T>> batch, ChangeCalls<T> calls) {
    if (batch.size() == 1) {
      batch.get(0).send().accept(calls);
    } else {
      calls.schedule(batch.stream().map(Change::message).toList(), batch.get(0).ifPresent());
    }
  }

  /** Ends the changes inside the transaction, because its commit or rollback follows. */
  @Override
  public void beforeCompletion() {
    inCommit = joined != null;
    joined = null;
  }

  /**
   * Returns a callback with the highest precedence, so that other callbacks after the commit can
   * add changes.
   */
  TransactionSynchronization endOfCommit() {
    return new TransactionSynchronization() {
      @Override
      public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
      }

      @Override
      public void afterCommit() {
        inCommit = false;
      }

      @Override
      public void afterCompletion(int status) {
        inCommit = false;
      }
    };
  }

  @Override
  public void afterCommit() {
    if (phase == Phase.OPEN && transactions != null && !changes.isEmpty()) {
      log.warn(
          "Queue '{}' was changed first while its transaction committed, so these changes follow"
              + " the commit, and are lost if the process ends now: {}. In JPA, call"
              + " EntityManager.flush() at the end of the transaction, or change the queue outside"
              + " of entity callbacks",
          queue.name(),
          changes.describe());
    }
    FailedChanges<T> failed = sendRest();
    if (!failed.isEmpty()) {
      throw failed.exception(queue.name());
    }
  }

  /**
   * Sends the changes that were not sent before the commit. Among them can be schedules that the
   * application made after the commit had begun.
   */
  private FailedChanges<T> sendRest() {
    phase = Phase.COMMITTED;
    FailedChanges<T> failed = new FailedChanges<>();
    for (List<Change<T>> call : takeCalls()) {
      failed.attempt(call, () -> send(call, plain));
    }
    return failed;
  }

  @Override
  public void afterCompletion(int status) {
    if (phase == Phase.COMMITTED) {
      return;
    }
    if (status == STATUS_COMMITTED) {
      sendRest().log(log, queue.name());
    } else if (commitPrevented) {
      cancelStored();
    } else if (status == STATUS_UNKNOWN) {
      logUnsent();
    } else if (!stored.isEmpty()) {
      log.debug(
          "The commit failed, perhaps after the database had committed; the messages in queue '{}'"
              + " stay: {}",
          queue.name(),
          stored);
    }
  }

  private void logUnsent() {
    if (!changes.isEmpty()) {
      log.warn(
          "The outcome of a transaction is unknown, so that these changes of queue '{}' were not"
              + " sent: {}. If the database committed, repeat them",
          queue.name(),
          changes.describe());
    }
  }

  /**
   * Cancels the stored messages without waiting, because the transaction still holds its connection
   * to the database.
   */
  private void cancelStored() {
    if (stored.isEmpty()) {
      return;
    }
    try {
      CompletionStage<?> unused =
          queue
              .async()
              .cancelAll(stored)
              .whenComplete(
                  (outcomes, failure) -> {
                    if (failure != null) {
                      logNotCancelled(failure);
                    }
                  });
    } catch (RuntimeException e) {
      logNotCancelled(e);
    }
  }

  private void logNotCancelled(Throwable failure) {
    log.warn(
        "The transaction was rolled back, but the cancel of its messages in queue '{}' failed;"
            + " those that are stored will be delivered: {}",
        queue.name(),
        stored,
        failure);
  }
}
