package io.punctual.internal.runtime;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.StoreRefusedException;
import io.punctual.StoreStatus;
import io.punctual.event.Event;
import io.punctual.internal.log.Logs;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Reports outages of the store to the log and to observers, over all partitions of a client: a
 * warning when an outage begins or becomes a refusal of calls, and a line when the outage ends.
 *
 * <p>Calls that fail for less than a second are no outage, because a fail-over, or a move of a
 * partition between the servers of a cluster, looks the same. A refusal, for example of a wrong
 * password, is reported at once, because a person has to fix the cause. Thread-safe.
 */
public final class StoreHealth {
  static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * If a failing partition has no further failure for this time, it counts as a partition without
   * calls, and no longer belongs to the outage.
   */
  static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(2);

  /** If a recovering partition has no further failure for this time, it counts as answering. */
  static final long RECOVERING_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final Logger log = Logs.of("io.punctual.store");

  /**
   * The worst condition that was reported in the current outage. The constants are in the order of
   * severity.
   */
  private enum Reported {
    NOTHING,
    SILENCE,
    REFUSAL
  }

  /** The failures of one partition since its last reply. */
  private record Failing(String queue, long sinceNanos, long latestNanos, Throwable latest) {}

  private final String store;
  private final Environment env;
  private final Map<Object, Failing> failing = new ConcurrentHashMap<>();

  @GuardedBy("this") private Reported reported = Reported.NOTHING;

  /** The time of the first failure of the current outage, on the timer's clock. */
  @GuardedBy("this") private long sinceNanos;

  /**
   * The last partition that failed in the current outage and has answered since; null if there is
   * none, or if it has failed again. The field holds only one partition, so that a long outage
   * needs no more memory.
   */
  @GuardedBy("this") private @Nullable Object recovered;

  /** Whether {@link #dropIdle} is scheduled. */
  @GuardedBy("this") private boolean dropScheduled;

  /** The status as last reported. */
  private volatile StoreStatus status;

  public StoreHealth(String store, Environment env) {
    this.store = store;
    this.env = env;
    this.status = new StoreStatus(true, env.clock().instant(), Optional.empty());
  }

  /** Returns whether the store answers, and the time of the last change. */
  public StoreStatus status() {
    return status;
  }

  /** Records that the store could not be opened, and reports the outage without a grace period. */
  public void unopened(Object store, Throwable failure) {
    Failing state;
    synchronized (this) {
      long now = env.nanoTime();
      begins(now);
      Failing before = failing.get(store);
      state = new Failing("", before == null ? now : before.sinceNanos(), now, failure);
      failing.put(store, state);
      env.lastFailure().failed(failure);
      if (reported != Reported.NOTHING) {
        status = new StoreStatus(false, status.since(), Optional.of(failure));
      }
    }
    boolean refused = failure instanceof StoreRefusedException;
    report(store, state, refused ? Reported.REFUSAL : Reported.SILENCE);
  }

  /** Records that the store is open; all earlier failures were failures to open it. */
  public void opened() {
    Duration silence;
    synchronized (this) {
      failing.clear();
      nameFailure();
      recovered = null;
      if (status.reachable()) {
        return;
      }
      silence = ended();
    }
    reportRecovery("", silence);
  }

  /** Returns whether an answer of the partition would change the state of the outage. */
  public boolean isTroubled(Object partition) {
    return failing.isEmpty() ? !status.reachable() : failing.containsKey(partition);
  }

  /** Records the time of a failure if it may be the first failure of an outage. */
  @GuardedBy("this") private void begins(long nowNanos) {
    if (failing.isEmpty() && status.reachable()) {
      sinceNanos = nowNanos;
    }
  }

  public void failed(Object partition, String queue, Throwable failure) {
    long now = env.nanoTime();
    Failing before = failing.get(partition);
    Failing state = new Failing(queue, before == null ? now : before.sinceNanos(), now, failure);
    boolean first;
    synchronized (this) {
      begins(now);
      if (partition.equals(recovered)) {
        recovered = null;
      }
      first = failing.put(partition, state) == null;
      env.lastFailure().failed(failure);
    }
    if (StoreFailures.isRefusal(failure)) {
      report(partition, state, Reported.REFUSAL);
    } else if (now - state.sinceNanos() >= GRACE_NANOS) {
      report(partition, state, Reported.SILENCE);
    } else if (first) {
      checkAfterGrace(partition, state.sinceNanos());
    }
  }

  private void checkAfterGrace(Object partition, long since) {
    schedule(GRACE_NANOS, () -> check(partition, since));
  }

  private void schedule(long nanos, Runnable task) {
    try {
      env.timer().schedule(nanos, task);
    } catch (RejectedExecutionException timerClosed) {
      log.debug("The client is closed, so that a failure of {} is not reported", store);
    }
  }

  private void check(Object partition, long since) {
    Failing state = failing.get(partition);
    if (state != null && state.sinceNanos() == since) {
      report(partition, state, Reported.SILENCE);
    }
  }

  private void report(Object partition, Failing state, Reported level) {
    boolean startsDropping;
    Throwable failure = StoreFailures.forReport(state.latest());
    synchronized (this) {
      // A reply may have ended the failures of the partition meanwhile, or the outage was reported
      // before.
      if (!failing.containsKey(partition) || reported.compareTo(level) >= 0) {
        return;
      }
      startsDropping = !dropScheduled;
      dropScheduled = true;
      Instant since = status.reachable() ? env.clock().instant() : status.since();
      status = new StoreStatus(false, since, Optional.of(failure));
      reported = level;
    }
    String what = level == Reported.REFUSAL ? "refuses calls" : "does not answer";
    log.warn("{} {}; the client keeps trying: {}", store, what, failure.toString());
    env.events().publish(() -> new Event.StoreTrouble(state.queue(), failure));
    if (startsDropping) {
      schedule(IDLE_NANOS, this::dropIdle);
    }
  }

  public void answered(Object partition, String queue) {
    Duration silence;
    synchronized (this) {
      boolean wasFailing = failing.remove(partition) != null;
      if (!failing.isEmpty()) {
        if (wasFailing) {
          recovered = partition;
          nameFailure();
        }
        return;
      }
      nameFailure();
      recovered = null;
      if (status.reachable()) {
        return;
      }
      silence = ended();
    }
    reportRecovery(queue, silence);
  }

  /**
   * Records an answer which is no proof that the partition executes calls, for example because it
   * changed nothing. After {@link #RECOVERING_NANOS} without a further failure of the partition,
   * the answer counts, so that calls which fail again and again are one outage.
   */
  public void recovering(Object partition, String queue) {
    Failing state = failing.get(partition); // Null if the partition was idle for long.
    schedule(
        RECOVERING_NANOS,
        () -> {
          if (Objects.equals(state, failing.get(partition))) {
            answered(partition, queue);
          }
        });
  }

  /** Keeps the latest failure of the partitions that fail still, for the exceptions of callers. */
  @GuardedBy("this") private void nameFailure() {
    failing.values().stream()
        .reduce((one, two) -> one.latestNanos() - two.latestNanos() > 0 ? one : two)
        .ifPresentOrElse(
            last -> env.lastFailure().failed(last.latest()), env.lastFailure()::answered);
  }

  /** Records that the store answers again; returns the length of the outage. */
  @GuardedBy("this") private Duration ended() {
    reported = Reported.NOTHING;
    status = new StoreStatus(true, env.clock().instant(), status.lastFailure());
    return Duration.ofNanos(env.nanoTime() - sinceNanos);
  }

  /**
   * Forgets the failing partitions that had no further failure for {@link #IDLE_NANOS}: they may
   * never answer, and an outage that never ends would hide the next outage. If {@link #recovered}
   * is not null, the outage ends when the last failing partition is forgotten. Otherwise the store
   * stays unreachable until its next answer, and its next failure is reported again.
   */
  private void dropIdle() {
    @Nullable Failing last;
    Duration silence;
    synchronized (this) {
      if (reported == Reported.NOTHING) {
        dropScheduled = false;
        return;
      }
      long now = env.nanoTime();
      Predicate<Failing> isIdle = each -> now - each.latestNanos() >= IDLE_NANOS;
      last = failing.values().stream().filter(isIdle).findFirst().orElse(null);
      failing.values().removeIf(isIdle);
      nameFailure();
      if (last == null || !failing.isEmpty()) {
        schedule(IDLE_NANOS, this::dropIdle);
        return;
      }
      dropScheduled = false;
      if (recovered == null) {
        reported = Reported.NOTHING;
        log.debug("{} has no more calls that fail; whether it answers again is unknown", store);
        return;
      }
      recovered = null;
      silence = ended();
    }
    reportRecovery(last.queue(), silence);
  }

  private void reportRecovery(String queue, Duration silence) {
    log.info("{} answers again after {} ms", store, silence.toMillis());
    env.events().publish(() -> new Event.StoreRecovered(queue, silence));
  }
}
