package io.punctual.spring;

import io.punctual.Codec;
import io.punctual.Due;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.TimedQueue;
import io.punctual.spring.ChangeLog.Change;
import io.punctual.spring.ChangeLog.Kind;
import io.punctual.spring.ChangeLog.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * A queue whose changes belong to the transaction of the calling thread. The following describes
 * {@link TransactionMode#BEFORE_COMMIT}, the default.
 *
 * <p>With an SQL store on the {@code DataSource} of the transaction, the changes are stored inside
 * the transaction itself, just before its commit: they take effect if and when it commits. A change
 * in a {@code beforeCommit} callback is stored at once, also in the transaction. With other stores,
 * and in transactions that are read-only or on a different {@code DataSource}, a transaction cannot
 * contain the changes. Then these rules apply:
 *
 * <ul>
 *   <li>Schedules with {@link IfPresent#KEEP} and {@link IfPresent#REJECT} are sent just before the
 *       commit, many in one call. If a call fails, the transaction rolls back, and the stored
 *       messages with generated ids are cancelled.
 *   <li>If the commit itself fails afterwards, the stored messages stay, because the database may
 *       have committed in spite of the failure. Messages with given ids always stay, because a
 *       different transaction may rely on the same id.
 *   <li>Cancels, reschedules and schedules that may replace a message are sent after the commit, in
 *       their order. Later schedules of the same ids are sent with them. If a queue is first
 *       changed in a {@code beforeCommit} callback or in a JPA flush at the commit, this change is
 *       also sent after the commit. If a call to the store then fails, the call that committed
 *       throws, although the transaction is committed. If the process ends before these calls, the
 *       changes are lost. If the outcome of the commit is unknown, the changes are not sent, and a
 *       WARN names them.
 *   <li>Without a transaction, also in a method with {@code SUPPORTS}, {@code NOT_SUPPORTED} or
 *       {@code NEVER}, every change is sent at once.
 * </ul>
 *
 * <p>In short, if the transaction cannot contain the changes: a schedule that was sent before a
 * successful commit is not lost, but a message can be delivered although its transaction rolled
 * back. Let the handler check whether the rows of the transaction exist.
 *
 * <p>A delay counts from the moment at which the store receives the schedule. A rollback to a
 * savepoint drops the changes that were made after the savepoint. Reactive transactions do not
 * belong to a thread and are not supported: a call on a non-blocking thread of Reactor throws
 * {@link IllegalStateException}. {@link PunctualQueues#transactional} creates instances. Safe for
 * use by many threads.
 *
 * @param <T> the payload's type
 */
public final class TransactionalQueue<T> {
  private static final Logger log = LoggerFactory.getLogger("io.punctual.spring.transaction");
  private static final @Nullable Class<?> REACTOR_THREAD = reactorThread();

  private final TimedQueue<T> queue;
  private final Codec<T> codec;
  private final TransactionMode mode;
  private final @Nullable PunctualTransactions transactions;
  private final AtomicBoolean announcedInside = new AtomicBoolean();
  private final AtomicBoolean announcedOutside = new AtomicBoolean();

  /**
   * Creates a queue.
   *
   * @param codec the codec of the queue
   * @param transactions the transactions on the database of the store; null if the store has no
   *     access to the transactions of the application
   */
  TransactionalQueue(
      TimedQueue<T> queue,
      Codec<T> codec,
      TransactionMode mode,
      @Nullable PunctualTransactions transactions) {
    this.queue = queue;
    this.codec = codec;
    this.mode = mode;
    this.transactions = transactions;
  }

  private static @Nullable Class<?> reactorThread() {
    String name = "reactor.core.scheduler.NonBlocking";
    ClassLoader loader = TransactionalQueue.class.getClassLoader();
    return ClassUtils.isPresent(name, loader) ? ClassUtils.resolveClassName(name, loader) : null;
  }

  /** Schedules a payload, and returns the generated id; a negative delay means now. */
  public String schedule(T payload, Duration delay) {
    return schedule(Message.of(payload).dueIn(delay));
  }

  /** Schedules a payload, and returns the generated id; a past instant means now. */
  public String schedule(T payload, Instant dueAt) {
    return schedule(Message.of(payload).dueAt(dueAt));
  }

  /** Schedules a message with {@link IfPresent#KEEP}, and returns its id. */
  public String schedule(Message<T> message) {
    return schedule(message, IfPresent.KEEP);
  }

  /**
   * Schedules a message, and returns its id. A message that is not valid, or whose payload can't be
   * encoded, fails at once; the payload is encoded again when the change is sent.
   *
   * @param ifPresent what happens if the queue has a message with the same id. If the transaction
   *     cannot contain the change, a schedule with {@link IfPresent#REPLACE} or {@link
   *     IfPresent#EARLIEST} is sent after the commit, because a rollback could not restore the
   *     replaced message
   */
  public String schedule(Message<T> message, IfPresent ifPresent) {
    boolean generated = message.id().isEmpty();
    Message<T> named = generated ? message.id(UUID.randomUUID().toString()) : message;
    String id = named.id().orElseThrow();
    change(
        new Change<>(
            Kind.SCHEDULE,
            id,
            calls -> calls.schedule(List.of(named), ifPresent),
            new Schedule<>(named, ifPresent, generated)));
    return id;
  }

  /**
   * Cancels a message by its id, and drops earlier schedules of the same id in this transaction
   * that were not sent yet. If the transaction cannot contain the change, the cancel is sent after
   * the commit.
   */
  public void cancel(String id) {
    change(new Change<>(Kind.CANCEL, id, calls -> calls.cancel(id), null));
  }

  /**
   * Gives a waiting message a new due time. If the transaction cannot contain the change, the
   * change is sent after the commit. Until then, a message that this transaction scheduled keeps
   * its first due time.
   */
  public void reschedule(String id, Due due) {
    change(new Change<>(Kind.RESCHEDULE, id, calls -> calls.reschedule(id, due), null));
  }

  private void change(Change<T> change) {
    PendingChanges<T> changes = changes();
    if (changes == null) {
      change.send().accept(ChangeCalls.of(queue));
      return;
    }
    if (change.schedule() != null) {
      check(change.message());
    }
    changes.add(change);
  }

  /**
   * Refuses a message that is not valid, as the queue would do after the commit, where the message
   * would be lost. Only the client knows its limit of a payload.
   */
  private void check(Message<T> message) {
    Map<String, String> headers = new HashMap<>(message.headers());
    byte[] unused = codec.encode(message.payload(), headers);
    Message<byte[]> rest = Message.of(new byte[0]).due(message.due()).headers(headers);
    rest = message.id().map(rest::id).orElse(rest);
    Message.check(message.notAfter().map(rest::notAfter).orElse(rest));
  }

  /**
   * Returns whether the calling thread has a transaction.
   *
   * @throws IllegalStateException on a non-blocking thread of Reactor
   */
  static boolean isInTransaction() {
    if (REACTOR_THREAD != null && REACTOR_THREAD.isInstance(Thread.currentThread())) {
      throw new IllegalStateException(
          "A TransactionalQueue or PunctualTemplate blocks, and sees no reactive transaction; use"
              + " TimedQueue.async().schedule after the commit, or a PlatformTransactionManager");
    }
    return TransactionSynchronizationManager.isSynchronizationActive()
        && TransactionSynchronizationManager.isActualTransactionActive();
  }

  /**
   * Logs once for each queue whether its changes are a part of transactions, and once that they are
   * not.
   */
  void announce(boolean inside) {
    if (!(inside ? announcedInside : announcedOutside).compareAndSet(false, true)) {
      return;
    }
    if (inside) {
      log.info("Changes of queue '{}' are a part of the transactions that make them", queue.name());
    } else {
      log.info(
          "The store takes no part in a transaction that changes queue '{}', so that the changes"
              + " are sent {} its commit",
          queue.name(),
          mode == TransactionMode.BEFORE_COMMIT ? "before" : "after");
    }
  }

  /** Returns the changes of the thread's transaction, or null if changes are sent at once. */
  private @Nullable PendingChanges<T> changes() {
    if (mode == TransactionMode.NONE || !isInTransaction()) {
      return null;
    }
    PendingChanges<T> registered = registered();
    if (registered != null) {
      return registered;
    }
    PendingChanges<T> created = new PendingChanges<>(this, queue, mode, transactions);
    TransactionSynchronizationManager.registerSynchronization(created);
    TransactionSynchronizationManager.registerSynchronization(created.endOfCommit());
    created.joinIfCommitting();
    return created;
  }

  /**
   * Searches the synchronizations, which belong to the current transaction alone. A resource of the
   * thread would also be visible in a new transaction that a callback starts after the commit.
   */
  @SuppressWarnings("unchecked") // All changes of a queue have the payload type of the queue.
  private @Nullable PendingChanges<T> registered() {
    for (TransactionSynchronization each :
        TransactionSynchronizationManager.getSynchronizations()) {
      if (each instanceof PendingChanges<?> pending && pending.isOf(this)) {
        return (PendingChanges<T>) pending;
      }
    }
    return null;
  }
}
