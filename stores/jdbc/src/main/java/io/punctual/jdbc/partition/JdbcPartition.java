package io.punctual.jdbc.partition;

import io.punctual.DeleteQueueOutcome;
import io.punctual.PauseNote;
import io.punctual.QueueLimits;
import io.punctual.State;
import io.punctual.Transaction;
import io.punctual.embedded.EngineTime;
import io.punctual.embedded.WakeUps;
import io.punctual.internal.log.Logs;
import io.punctual.jdbc.sql.Dialect;
import io.punctual.jdbc.sql.Hints;
import io.punctual.jdbc.sql.Notification;
import io.punctual.jdbc.sql.Work;
import io.punctual.spi.Call;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.EntryQuery;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.PartitionCounts;
import io.punctual.spi.Registration;
import io.punctual.spi.Reply;
import io.punctual.spi.Sessions;
import io.punctual.spi.WakeUp;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The single partition of a queue in the tables. Calls run one after another on the threads of the
 * store. On some databases, the claims of workers run beside them. Look-ups run at the same time on
 * other threads. Safe for use by many threads.
 */
public final class JdbcPartition implements Partition {
  private static final Logger log = Logs.of(JdbcPartition.class);

  /** How long a pause waits for claims that may have begun before it. */
  private static final long LONGEST_CLAIM_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final String queue;
  private final StoreParts parts;
  private final StoreThreads threads;
  private final Duty duty;
  private final FinishedIdCleanup cleanup;
  private final CallSequence operations;

  /**
   * The claims of workers; the same object as {@link #operations} if these claims do not run beside
   * operations.
   */
  private final CallSequence claims;

  private final Enlisting enlisting;
  private final QueueChanges changes;
  private final SharedCounts counts;
  private final WakeUps wakeUps = new WakeUps();
  private final KnownTimes known = new KnownTimes(System::nanoTime);
  private final Function<Transaction, JoinedConnection> connections;

  /**
   * Creates the partition of a queue.
   *
   * @param others the notifications between clients, or null if there are none
   * @param connections returns the connection of the application's transaction, to which the store
   *     reports failures
   */
  public JdbcPartition(
      String queue,
      StoreParts parts,
      StoreThreads threads,
      @Nullable Hints others,
      Function<Transaction, JoinedConnection> connections) {
    this.connections = connections;
    this.queue = queue;
    this.parts = parts;
    this.threads = threads;
    duty =
        new Duty(
            queue,
            wakeUps,
            others,
            System::nanoTime,
            threads::after,
            bound -> ThreadLocalRandom.current().nextLong(bound + 1));
    cleanup = new FinishedIdCleanup(queue, parts);
    operations = sequence();
    claims = runsClaimsBeside(parts.dialect()) ? sequence() : operations;
    enlisting = new Enlisting(queue, parts, threads);
    changes = new QueueChanges(queue, parts, threads);
    counts = new SharedCounts(this::count, System::nanoTime);
  }

  /**
   * Returns whether claims run beside operations. They can't if a claim locks the queue. On a
   * database whose lock waits have no short bound, they would slow operations down: each operation
   * on a row that a claim has locked would have to be repeated.
   */
  private static boolean runsClaimsBeside(Dialect dialect) {
    return dialect.claimQueue().isEmpty() && dialect.boundsLockWaits();
  }

  private CallSequence sequence() {
    JdbcCalls calls = new JdbcCalls(queue, parts, cleanup);
    return new CallSequence(calls, threads, duty, this::changed, this::forget);
  }

  @Override
  public String queue() {
    return queue;
  }

  @Override
  public int index() {
    return 0;
  }

  @Override
  public boolean prefersBatching() {
    return true;
  }

  @Override
  public @Nullable Sessions claimSessions() {
    return claims == operations ? null : claims;
  }

  @Override
  public CompletionStage<@Nullable Void> openSession(String session, @Nullable String replaces) {
    return operations.openSession(session, replaces);
  }

  @Override
  public CompletionStage<Reply> call(Call call) {
    return operations.call(call);
  }

  @Override
  public CompletionStage<@Nullable Void> closeSession(String session) {
    return operations.closeSession(session);
  }

  /** Deletes expired ids behind the reply of the current call, so that the caller need not wait. */
  private void forget() {
    cleanup.submitIfDue(operations::execute);
  }

  /** Passes a committed change of messages on to the next claims. */
  private void changed(Earliest earliest, EngineTime now) {
    changed(earliest);
    duty.changed(earliest.millis(), now);
  }

  private void changed(Earliest earliest) {
    operations.changed(earliest);
    claims.changed(earliest);
    known.changed(earliest);
  }

  /** Receives a notification of a client, which may be this client. */
  public void notified(Notification notification) {
    String client = notification.client();
    long sent = notification.sentMicros();
    long until = new EngineTime(sent).until(notification.time());
    switch (notification.kind()) {
      case ON_DUTY -> duty.takenBy(client, notification.time());
      case NO_ROOM -> duty.noRoomAt(client, until, sent);
      case CHANGED -> {
        boolean isKnown = notification.time() != Long.MIN_VALUE;
        changed(isKnown ? Earliest.waiting(notification.time()) : Earliest.UNKNOWN);
        duty.changedBy(client, until, sent);
      }
    }
  }

  /** Forgets what other clients have notified, because notifications may have been lost. */
  public void forgetOthers() {
    duty.forgetOthers();
  }

  @Override
  public void handOver() {
    duty.handOver();
  }

  @Override
  public List<Outcome> applyIn(Transaction transaction, List<Operation> operations) {
    JoinedConnection connection = connections.apply(transaction);
    threads.requireOpen();
    // The call reads the database's clock at its start, and can take seconds. A hint that comes too
    // early costs little.
    long began = System.nanoTime();
    Enlisting.Enlisted done = enlisting.apply(connection, operations);
    Earliest earliest = done.applied().earliest();
    boolean remembers = operations.stream().anyMatch(FinishedIdCleanup::isRemembering);
    if (!earliest.equals(Earliest.NONE) || remembers) {
      transaction.afterCommit(
          () -> {
            long passed = TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - began);
            changed(earliest, new EngineTime(done.now().micros() + passed));
            cleanup.executed(operations);
            forget();
          });
    }
    return done.applied().outcomes();
  }

  @Override
  public CompletionStage<Optional<Entry>> find(String id) {
    return look(
        connection ->
            LookUps.find(connection, parts.dialect(), parts.queues().find(connection, queue), id));
  }

  @Override
  public CompletionStage<List<Entry>> find(Collection<String> ids) {
    List<byte[]> sorted = Messages.sortedBytes(ids);
    return look(
        connection ->
            LookUps.find(
                connection, parts.dialect(), parts.queues().find(connection, queue), sorted));
  }

  private <T> CompletionStage<T> look(Work<T> work) {
    return threads.lookUp(() -> parts.transactions().run(work));
  }

  @Override
  public CompletionStage<EntryPage> browse(EntryQuery query, @Nullable String cursor, int limit) {
    return threads.lookUp(() -> LookUps.browse(parts, queue, query, cursor, limit));
  }

  @Override
  public CompletionStage<PartitionCounts> counts() {
    return counts.get();
  }

  @Override
  public CompletionStage<PartitionCounts> countsNow() {
    counts.forget();
    return counts.get();
  }

  private CompletionStage<PartitionCounts> count() {
    return look(
        connection ->
            LookUps.counts(connection, parts.dialect(), parts.queues().find(connection, queue)));
  }

  @Override
  public CompletionStage<long[]> forecast(long fromMillis, long widthMillis, int buckets) {
    return threads.lookUp(() -> LookUps.forecast(parts, queue, fromMillis, widthMillis, buckets));
  }

  @Override
  public CompletionStage<@Nullable Void> pause(boolean paused, PauseNote note) {
    return forgetCounts(changes.pause(paused, note))
        .thenCompose(
            row ->
                behindCalls(
                    () -> {
                      if (row.isPresent() && !paused) {
                        hintNext();
                      }
                    }))
        .thenApply(done -> null);
  }

  @Override
  public CompletionStage<@Nullable Void> limits(QueueLimits limits) {
    return forgetCounts(changes.limit(limits))
        .thenCompose(
            exists ->
                behindCalls(
                    () -> {
                      if (exists) {
                        hintNext();
                      }
                    }))
        .thenApply(done -> null);
  }

  /**
   * Runs an action after all claims of this client that may have begun before a change of the
   * queue. The stage completes even if the action fails, because the change has been committed, and
   * it does not wait long for claims, because they may wait for a slow database.
   */
  private CompletionStage<Boolean> behindCalls(Runnable action) {
    CompletableFuture<Boolean> done =
        operations
            .behind(() -> true)
            .thenCompose(
                nothing ->
                    claims.behind(
                        () -> {
                          action.run();
                          return true;
                        }))
            .exceptionally(
                failure -> {
                  log.debug("Queue '{}': no hint after a change of the queue", queue, failure);
                  return false;
                })
            .toCompletableFuture();
    threads.after(LONGEST_CLAIM_NANOS, () -> threads.control(() -> done.complete(false)));
    return done;
  }

  /**
   * Sends a hint after a pause has ended or the limits have changed. The time of the next message
   * is unknown, because the replies of earlier claims do not have it.
   */
  private void hintNext() {
    changed(Earliest.UNKNOWN, new EngineTime(0));
  }

  @Override
  public CompletionStage<Long> purge(Set<State> states) {
    Set<State> purged = Set.copyOf(states);
    return forgetCounts(threads.inSteps(new Purging(queue, parts, purged)::step, 0));
  }

  SharedCounts keptCounts() {
    return counts;
  }

  /** Forgets the kept counts at the end of a change, before the caller is notified. */
  private <T> CompletionStage<T> forgetCounts(CompletionStage<T> change) {
    return change.whenComplete((done, failure) -> counts.forget());
  }

  @Override
  public Registration onWakeUp(WakeUp listener) {
    Registration registration = wakeUps.add(listener, this);
    return () -> {
      registration.close();
      if (wakeUps.isEmpty()) {
        duty.stopped();
      }
    };
  }

  /** Deletes the queue if it has no messages. */
  public CompletionStage<DeleteQueueOutcome> delete() {
    return forgetCounts(changes.delete())
        .thenCompose(
            done ->
                operations
                    .deleted(done.id())
                    .thenCompose(nothing -> claims.deleted(done.id()))
                    .handle((nothing, closed) -> done.outcome()));
  }

  /** Notes how many clients have workers of each queue. */
  public void sharedBy(Map<String, Integer> clients) {
    duty.setClients(clients.getOrDefault(queue, 0));
  }

  /** Returns the time in microseconds until the next message of each partition can be claimed. */
  public static CompletionStage<long[]> untilNext(
      List<JdbcPartition> partitions, StoreParts parts, StoreThreads threads) {
    List<UntilNext.Asked> asked = partitions.stream().map(JdbcPartition::asked).toList();
    return threads.stage(threads, () -> UntilNext.of(asked, parts));
  }

  private UntilNext.Asked asked() {
    return new UntilNext.Asked(queue, known, duty, this::changed);
  }
}
