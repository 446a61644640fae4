package io.punctual.internal.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.Durability;
import io.punctual.internal.runtime.BlockingGuard;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.StoreFailures;
import io.punctual.internal.runtime.StoreHealth;
import io.punctual.spi.Call;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import io.punctual.spi.Sessions;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A client's ordered conversation with one partition, in which no operation takes effect twice,
 * however often calls and replies are lost. {@link SessionState} decides, {@link SessionIo} calls
 * the partition, and this class runs the state's timers and callbacks.
 *
 * <p>The lock guards the state. Only the thread in {@link #pumping} sends numbered calls, without
 * the lock. So calls leave in the order of their numbers, and a reply that arrives during its own
 * call causes no recursion. Callbacks run without the lock, and usually after the next call has
 * left; {@link #notifyBeforeNextCall} can run them before. Thread-safe.
 */
public final class PartitionSession {
  /** The longest time that deferrable settlements wait for other operations. */
  private static final long LINGER_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final Partition partition;
  private final Environment env;
  private final SessionIo io;
  private final Delayed delayed;
  private final ReentrantLock lock = new ReentrantLock();

  /** The callbacks, which are collected under the lock and run without the lock. */
  private final Notices notices;

  @GuardedBy("lock") private SessionState state;

  @GuardedBy("lock") private final DeadlineSweep deadlines;

  private final SessionRecovery recovery;

  @SuppressWarnings("GuardedBy") // The change runs under the lock.
  private final Consumer<SessionState> endOverdue = this::endOverdue;

  /** The thread that is sending calls; null if no thread is. Written under the lock. */
  private volatile @Nullable Thread pumping;

  /**
   * Creates a session.
   *
   * @param sessions executes the calls: the partition itself, or its {@link
   *     Partition#claimSessions}
   * @param client the prefix of the ids of its sessions, which no other object uses
   * @param onStalePartitionCount runs when the partition reports a different number of partitions
   */
  public PartitionSession(
      Partition partition,
      Sessions sessions,
      Environment env,
      StoreHealth health,
      String client,
      Runnable onStalePartitionCount) {
    this.partition = partition;
    this.env = env;
    this.delayed = new Delayed(env);
    this.io = new SessionIo(sessions, env, this, onStalePartitionCount);
    this.notices = new Notices(partition.queue());
    this.state =
        new SessionState(
            partition, env, client, notices, new PartitionHealth(health, partition), io);
    this.deadlines = new DeadlineSweep(env, notices, () -> change(endOverdue));
    this.recovery = new SessionRecovery(partition.queue(), env, notices, this::pump);
  }

  /** Returns the partition, for requests that use no session. */
  public Partition partition() {
    return partition;
  }

  /** Submits an operation. The callback may run before this method returns. */
  public void submit(
      Operation operation, @Nullable Durability durability, OperationCallback callback) {
    submit(List.of(operation), durability, List.of(callback));
  }

  /** Submits operations in this order, with a callback for each. */
  public void submit(
      List<? extends Operation> operations,
      @Nullable Durability durability,
      List<? extends OperationCallback> callbacks) {
    boolean unused = add(operations, durability, callbacks, 0);
    pumpChecked();
  }

  /** Submits settlements that may linger, because no caller waits for their outcomes. */
  public void submitDeferrable(
      List<? extends Operation.Settlement> settlements,
      @Nullable Durability durability,
      List<? extends OperationCallback> callbacks) {
    long nanos = partition.prefersBatching() ? LINGER_NANOS : 0;
    if (add(settlements, durability, callbacks, nanos)) {
      boolean unused = after(nanos, () -> change(changed -> changed.window().lingerEnded()));
    }
    pumpChecked();
  }

  /** Runs a submission after this time, or when this session closes; false if it has closed. */
  public boolean after(long nanos, Runnable submission) {
    return delayed.add(nanos, submission);
  }

  /** Adds operations to the window; returns whether a linger begins. */
  private boolean add(
      List<? extends Operation> operations,
      @Nullable Durability durability,
      List<? extends OperationCallback> callbacks,
      long lingerNanos) {
    long deadline = env.nanoTime() + env.operationTimeoutNanos();
    boolean lingers = false;
    StackRoom.require(); // also for the sending after it
    lock.lock();
    try {
      RuntimeException refusal = state.refusal(operations);
      for (int i = 0; i < operations.size(); i++) {
        OperationCallback callback = callbacks.get(i);
        if (refusal == null) {
          lingers |=
              state.add(
                  new Pending.OfOperation(operations.get(i), durability, callback, deadline),
                  lingerNanos);
        } else {
          notices.add(() -> callback.failed(refusal));
        }
      }
    } catch (Throwable e) {
      recovery.failed(e);
      throw e;
    } finally {
      lock.unlock();
      recovery.goOnLater();
    }
    return lingers;
  }

  /** Ends the linger of deferrable settlements: the next call to the store may have them. */
  public void flush() {
    change(changed -> changed.window().flush());
  }

  /** Changes the state under the lock, and then sends and notifies. */
  private void change(Consumer<SessionState> change) {
    lock.lock();
    try {
      change.accept(state);
    } catch (Throwable e) {
      recovery.failed(e);
    } finally {
      lock.unlock();
    }
    pump();
  }

  /** Changes the state under the lock. After an error, which the caller gets, recovers soon. */
  private <T> T locked(Function<SessionState, T> change) {
    lock.lock();
    try {
      return change.apply(state);
    } catch (Throwable e) {
      recovery.failed(e);
      throw e;
    } finally {
      lock.unlock();
      recovery.goOnLater();
    }
  }

  /** Claims messages. The callback may run before this method returns. */
  public void claim(Call.Claim claim, ClaimCallback callback) {
    StackRoom.require();
    boolean unused =
        locked(
            changed -> {
              changed.add(new Pending.OfClaim(claim, callback));
              return true;
            });
    pumpChecked();
  }

  /** Withdraws a claim that is in no call, and its callback; returns whether there was one. */
  public boolean withdraw(ClaimCallback callback) {
    return locked(changed -> changed.window().withdraw(callback));
  }

  /** Ends withdrawn operations, if they were certainly not sent. */
  public void endWithdrawn() {
    change(SessionState::endWithdrawn);
  }

  private void pump() {
    StackRoom.require();
    pumpChecked();
  }

  private void pumpChecked() {
    Notices.Taken taken = null;
    lock.lock();
    try {
      if (pumping == Thread.currentThread()) {
        return;
      }
      if (pumping == null) {
        sendAll();
      }
      deadlines.schedule(state);
      taken = notices.take();
    } catch (Throwable e) {
      recovery.failed(e);
    } finally {
      lock.unlock();
    }
    notify(taken);
    recovery.goOnLater();
  }

  private void notify(Notices.@Nullable Taken taken) {
    Throwable error = taken == null ? null : taken.runAll();
    if (error != null) {
      recovery.failed(error);
    }
  }

  /** Takes all steps that are possible now, or until an error. Unlocked during each step. */
  @GuardedBy("lock") private void sendAll() {
    pumping = Thread.currentThread();
    try {
      recover();
      for (SessionStep step = state.next(); step != null; ) {
        lock.unlock();
        try {
          io.take(step);
        } finally {
          lock.lock();
        }
        step = recovery.isNeeded() ? null : state.next();
      }
    } finally {
      pumping = null;
    }
  }

  /** Replaces the state if an error may have left it half changed. */
  @GuardedBy("lock") private void recover() {
    if (recovery.isNeeded()) {
      state = recovery.successor(state);
      recovery.salvage(state);
    }
  }

  /** Notes that a reply is lost, because an error struck before it was processed. */
  void failed(Throwable error) {
    recovery.failed(error);
    pump();
  }

  /** Runs a task for a reply, which arrived on the calling thread or on a thread of the store. */
  void arrived(Runnable task) {
    if (pumping == Thread.currentThread()) {
      task.run();
    } else {
      BlockingGuard.owned(task);
    }
  }

  void opened(SessionState of, String session, @Nullable Throwable error) {
    change(
        changed -> {
          if (of == changed && error == null) {
            changed.opened(session);
          } else if (of == changed) {
            changed.openFailed(StoreFailures.unwrap(Objects.requireNonNull(error)));
          }
        });
  }

  void ended(SessionState of, InFlightCall call, @Nullable Reply reply, @Nullable Throwable error) {
    lock.lock();
    try {
      if (of != state) {
        return;
      }
      // Operation callbacks often submit further operations at once, which can share the next call.
      // Claim callbacks process their messages first, so the next call does not wait for them.
      boolean hadOperations = call.hasOperations();
      state.ended(call, reply, error);
      if (hadOperations) {
        notifyBeforeNextCall();
      }
    } catch (Throwable e) {
      recovery.failed(e);
    } finally {
      lock.unlock();
    }
    pump();
  }

  @SuppressWarnings("GuardedBy") // The change runs under the lock.
  void confirmed(UnconfirmedCalls.Unconfirmed call, @Nullable String why) {
    change(
        changed -> {
          changed.confirmed(call, why);
          notifyBeforeNextCall();
        });
  }

  /**
   * If the partition prefers batching, runs the callbacks first, without the lock, so that the next
   * call has the operations that they submit.
   */
  @GuardedBy("lock") private void notifyBeforeNextCall() {
    if (!partition.prefersBatching()) {
      return;
    }
    Notices.Taken taken = notices.take();
    SendWindow window = state.window();
    window.notifying();
    lock.unlock();
    try {
      notify(taken);
    } finally {
      lock.lock();
      window.notified();
    }
  }

  /**
   * Hands all waiting operations, in their order, to the sessions of the queue's current
   * partitions. Later submissions follow them. Calls in flight end first. The result completes when
   * this session has no more operations and claims.
   *
   * @param there returns the new session for an id
   * @param why the exception with which claims fail
   */
  public CompletableFuture<@Nullable Void> moveTo(
      Function<String, PartitionSession> there, Partition.PartitionCountException why) {
    CompletableFuture<@Nullable Void> end = locked(changed -> changed.moveTo(there, why));
    pump();
    return end;
  }

  @GuardedBy("lock") private void endOverdue(SessionState changed) {
    changed.endOverdue(env.nanoTime());
  }

  /**
   * Refuses new operations and claims, and ends the claims that were not sent. Completes when the
   * other pending operations and claims have ended, or at the end of {@code time}; the remaining
   * operations and claims then end without an answer.
   */
  public CompletableFuture<@Nullable Void> close(Duration time) {
    Runnable giveUpInTime = () -> env.orNow(time, this::giveUpAll);
    CompletableFuture<@Nullable Void> end = locked(changed -> changed.close(giveUpInTime));
    delayed.close();
    pump();
    return end;
  }

  private void giveUpAll() {
    change(
        changed -> {
          SessionStep last = changed.giveUpAll();
          if (last != null) {
            notices.add(() -> io.take(last));
          }
        });
  }

  void pauseEnded() {
    change(SessionState::pauseEnded);
  }

  void handedOver() {
    change(SessionState::handedOver);
  }
}
