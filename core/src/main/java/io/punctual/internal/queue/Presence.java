package io.punctual.internal.queue;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.Worker;
import io.punctual.WorkerInfo;
import io.punctual.internal.delivery.Consumers;
import io.punctual.internal.log.Logs;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.ProcessInfo;
import io.punctual.internal.runtime.StoreCall;
import io.punctual.internal.runtime.StoreFailures;
import io.punctual.spi.Announcement;
import io.punctual.spi.Capability;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import io.punctual.timer.Timeout;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Lists the workers of this client in the store while they run, so that every process can see them.
 * Renews the list at an interval; the store forgets a list that was not renewed for three
 * intervals. If the store lacks {@link Capability#WORKERS}, a client lists its own workers only.
 * Thread-safe.
 */
public final class Presence implements Consumers.WorkerWatch {
  static final Duration INTERVAL = Duration.ofSeconds(10);
  private static final Duration KEEP = INTERVAL.multipliedBy(3);

  /**
   * The time from a change to its announcement. It lets workers that start together share a
   * request.
   */
  private static final Duration SOON = Duration.ofMillis(100);

  /**
   * The pause before a new attempt to announce the workers, while an earlier request is unanswered.
   */
  private static final Duration BUSY = Duration.ofSeconds(1);

  /** How long a closing client waits for the removal of its list. */
  private static final Duration CLOSE = Duration.ofSeconds(1);

  private static final Logger log = Logs.of("io.punctual.store");

  private final Store store;
  private final Environment env;
  private final String client;

  @GuardedBy("this") private final Map<Worker, Instant> workers = new LinkedHashMap<>();

  /** The time of the next announcement on the timer's clock, or null if none is planned. */
  @GuardedBy("this") private @Nullable Long nextNanos;

  @GuardedBy("this") private boolean isListed;

  @GuardedBy("this") private boolean isFailing;

  @GuardedBy("this") private boolean isCutReported;

  /**
   * Completes at the end of the last request. Requests run in sequence, so that the last request
   * determines the list in the store.
   */
  @GuardedBy("this") private CompletableFuture<@Nullable Void> last = CompletableFuture.completedFuture(null);

  Presence(Store store, Environment env, String client) {
    this.store = store;
    this.env = env;
    this.client = client;
  }

  @Override
  public void started(Worker worker) {
    synchronized (this) {
      workers.put(worker, env.clock().instant());
    }
    plan(SOON);
  }

  @Override
  public void ended(Worker worker) {
    synchronized (this) {
      workers.remove(worker);
    }
    plan(SOON);
  }

  /** Plans an announcement after this time, unless an earlier announcement is planned. */
  private void plan(Duration delay) {
    long at = env.nanoTime() + delay.toNanos();
    synchronized (this) {
      if (!isSupported() || (nextNanos != null && nextNanos - at <= 0)) {
        return;
      }
      nextNanos = at;
    }
    try {
      env.timer().schedule(delay.toNanos(), () -> fire(at));
    } catch (RejectedExecutionException timerClosed) {
      // The client is closed, and close() removes the list.
    }
  }

  private boolean isSupported() {
    return store.capabilities().contains(Capability.WORKERS);
  }

  /**
   * Announces the workers, or tries again later if an earlier request is unanswered. Does nothing
   * if the announcement that was planned for this time has been moved or dropped.
   */
  private void fire(long at) {
    boolean isBusy;
    synchronized (this) {
      if (nextNanos == null || nextNanos != at) {
        return;
      }
      nextNanos = null;
      isBusy = !last.isDone();
      if (!isBusy) {
        last = announce();
      }
      if (!isBusy && workers.isEmpty()) {
        return;
      }
    }
    plan(isBusy ? BUSY : INTERVAL);
  }

  @GuardedBy("this") private CompletableFuture<@Nullable Void> announce() {
    if (workers.isEmpty() && !isListed) {
      return CompletableFuture.completedFuture(null);
    }
    isListed = !workers.isEmpty();
    String text = isListed ? WorkerText.of(ProcessInfo.current(), workers) : "";
    reportCut(WorkerText.count(text));
    return StoreCall.stage(() -> store.announce(client, text, KEEP).thenApply(done -> true))
        .<@Nullable Void>handle(
            (done, failure) -> {
              answered(failure);
              return null;
            })
        .toCompletableFuture();
  }

  @GuardedBy("this") private void reportCut(int listed) {
    if (listed < workers.size() && !isCutReported) {
      isCutReported = true;
      log.warn(
          "{}: the list of workers has {} of the {} workers of this process, because the list is"
              + " too long",
          store.describe(),
          listed,
          workers.size());
    }
  }

  /**
   * Logs the first of consecutive failures. Ignores requests that were not sent, because the client
   * logs outages elsewhere.
   */
  private void answered(@Nullable Throwable failure) {
    if (failure != null && StoreFailures.unwrap(failure) instanceof Partition.NotSentException) {
      return;
    }
    boolean isFirst;
    synchronized (this) {
      isFirst = failure != null && !isFailing;
      isFailing = failure != null;
    }
    if (isFirst) {
      log.info(
          "{}: the list of workers lacks the workers of this process; deliveries are not affected",
          store.describe(),
          failure);
    }
  }

  /** Removes the list of this client; completes when the store has answered, or after a second. */
  CompletableFuture<@Nullable Void> close() {
    CompletableFuture<@Nullable Void> removed;
    synchronized (this) {
      workers.clear();
      nextNanos = null;
      last = last.thenCompose(done -> removeList());
      removed = last.copy();
    }
    if (!removed.isDone()) {
      Timeout over = env.orNow(CLOSE, () -> removed.complete(null));
      CompletableFuture<?> unused = removed.whenComplete((done, failure) -> over.cancel());
    }
    return removed;
  }

  private synchronized CompletableFuture<@Nullable Void> removeList() {
    return announce();
  }

  /**
   * Lists the workers of all processes, or of this client only if the store lacks {@link
   * Capability#WORKERS}.
   */
  public CompletionStage<List<WorkerInfo>> all() {
    return isSupported()
        ? store.announcements().thenApply(Presence::workers)
        : CompletableFuture.completedStage(workers(List.of(own())));
  }

  /**
   * Returns the clients that can hold leases. If the store can't list the workers now, returns this
   * client only.
   */
  CompletionStage<LeaseHolders> leaseHolders() {
    return isSupported()
        ? store.announcements().exceptionally(failure -> List.of()).thenApply(this::leaseHolders)
        : CompletableFuture.completedStage(leaseHolders(List.of()));
  }

  private LeaseHolders leaseHolders(List<Announcement> announcements) {
    Map<String, List<WorkerInfo>> workers = new HashMap<>();
    announcements.forEach(each -> workers.put(each.client(), WorkerText.parse(each)));
    workers.put(client, WorkerText.parse(own()));
    return new LeaseHolders(client, ProcessInfo.current(), workers);
  }

  private Announcement own() {
    synchronized (this) {
      String text = WorkerText.of(ProcessInfo.current(), workers);
      return new Announcement(client, text, env.clock().instant().toEpochMilli());
    }
  }

  private static List<WorkerInfo> workers(List<Announcement> announcements) {
    return announcements.stream()
        .flatMap(each -> WorkerText.parse(each).stream())
        .sorted(
            Comparator.comparing(WorkerInfo::queue)
                .thenComparing(WorkerInfo::host)
                .thenComparing(WorkerInfo::pid)
                .thenComparing(WorkerInfo::startedAt))
        .toList();
  }
}
