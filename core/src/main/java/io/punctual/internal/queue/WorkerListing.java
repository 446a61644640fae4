package io.punctual.internal.queue;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.AnnouncedWorker;
import io.punctual.PauseWorkerOutcome;
import io.punctual.WorkerAnnouncement;
import io.punctual.WorkerInfo;
import io.punctual.internal.delivery.Announced;
import io.punctual.internal.delivery.Claimants;
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
import java.util.Optional;
import java.util.OptionalLong;
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
public final class WorkerListing implements Consumers.WorkerWatch {
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

  /**
   * The time from a claim to the announcement of its claimant. Most messages are settled by then.
   */
  private static final Duration HELD = Duration.ofSeconds(2);

  /** How long a closing client waits for the removal of its list. */
  private static final Duration CLOSE = Duration.ofSeconds(1);

  /**
   * Limits the announcements of a process to about 100 KB a second, however often workers change.
   */
  private static final long NANOS_PER_CHARACTER = 10_000;

  private static final Logger log = Logs.of("io.punctual.store");

  private final Store store;
  private final Environment env;
  private final String client;
  private final OperatorPauses pauses;
  private final Claimants claimants;

  @GuardedBy("this") private final Map<Announced, ListedWorker.Own> workers = new LinkedHashMap<>();

  /** The number of the next worker. */
  @GuardedBy("this") private long number = 1;

  @GuardedBy("this") private boolean isClosed;

  /** The earliest time of the next announcement on the timer's clock. */
  @GuardedBy("this") private long earliestNanos;

  /** The time of the next announcement on the timer's clock, or null if none is planned. */
  @GuardedBy("this") private @Nullable Long nextNanos;

  @GuardedBy("this") private boolean isListed;

  /** Whether the last announcement left out claimants, because their claims were young. */
  @GuardedBy("this") private boolean hasYoungClaims;

  @GuardedBy("this") private boolean isFailing;

  @GuardedBy("this") private boolean isCutReported;

  /**
   * Completes at the end of the last request. Requests run in sequence, so that the last request
   * determines the list in the store.
   */
  @GuardedBy("this") private CompletableFuture<@Nullable Void> last = CompletableFuture.completedFuture(null);

  WorkerListing(Store store, Environment env, String client, Claimants claimants) {
    this.store = store;
    this.env = env;
    this.client = client;
    this.claimants = claimants;
    this.earliestNanos = env.nanoTime();
    this.pauses = new OperatorPauses(store, env, client, () -> plan(SOON));
  }

  @Override
  public void started(Announced worker) {
    String unused = add(worker);
  }

  /** Adds a worker to the list, unless the client is closed; returns its id. */
  private String add(Announced worker) {
    long added;
    synchronized (this) {
      added = number++;
      if (!isClosed) {
        workers.put(worker, new ListedWorker.Own(worker, env.clock().instant(), added));
      }
    }
    plan(SOON);
    return ListedWorker.id(client, Long.toString(added));
  }

  /** Plans an announcement that names the claimants of the messages that are held then. */
  void held() {
    plan(HELD);
  }

  /** Lists a worker that is not a worker of this client, until it is closed. */
  public AnnouncedWorker announce(WorkerAnnouncement announcement) {
    ForeignWorker worker = new ForeignWorker(announcement, env, this);
    worker.id(add(worker));
    return worker;
  }

  /** Asks a worker of any client to pause or to resume. */
  public CompletionStage<PauseWorkerOutcome> pause(String id, boolean paused) {
    Optional<ListedWorker.Own> own =
        listed().stream()
            .filter(each -> id.equals(ListedWorker.id(client, Long.toString(each.number()))))
            .findFirst();
    if (own.isPresent()) {
      pauses.obey(own.get().worker(), paused);
      return CompletableFuture.completedStage(PauseWorkerOutcome.REQUESTED);
    }
    if (!isSupported()) {
      return CompletableFuture.completedStage(PauseWorkerOutcome.NOT_FOUND);
    }
    return store.announcements().thenCompose(all -> pause(all, id, paused));
  }

  private CompletionStage<PauseWorkerOutcome> pause(
      List<Announcement> announcements, String id, boolean paused) {
    if (workers(announcements).stream().noneMatch(each -> each.id().equals(id))) {
      return CompletableFuture.completedStage(PauseWorkerOutcome.NOT_FOUND);
    }
    OptionalLong asked = ListedWorker.number(id);
    return asked.isEmpty()
        ? CompletableFuture.completedStage(PauseWorkerOutcome.NOT_SUPPORTED)
        : pauses.ask(ListedWorker.client(id), asked.getAsLong(), paused);
  }

  private synchronized List<ListedWorker.Own> listed() {
    return List.copyOf(workers.values());
  }

  @Override
  public void ended(Announced worker) {
    synchronized (this) {
      if (workers.remove(worker) == null) {
        return;
      }
    }
    plan(SOON);
  }

  /** Plans an announcement after this time, unless an earlier announcement is planned. */
  private void plan(Duration delay) {
    long now = env.nanoTime();
    long at;
    synchronized (this) {
      at = now + Math.max(delay.toNanos(), earliestNanos - now);
      if (isClosed || !isSupported() || (nextNanos != null && nextNanos - at <= 0)) {
        return;
      }
      nextNanos = at;
    }
    try {
      env.timer().schedule(at - now, () -> fire(at));
    } catch (RejectedExecutionException timerClosed) {
      // The client is closed, and close() removes the list.
    } catch (Error e) {
      synchronized (this) {
        if (nextNanos != null && nextNanos == at) {
          nextNanos = null; // the next change plans an announcement again
        }
      }
      throw e;
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
    Duration interval;
    synchronized (this) {
      if (nextNanos == null || nextNanos != at) {
        return;
      }
      nextNanos = null;
      isBusy = !last.isDone();
      if (!isBusy) {
        last = announce();
      }
      interval = hasYoungClaims ? HELD : INTERVAL;
      if (!isBusy && workers.isEmpty() && claimants.isEmpty()) {
        return;
      }
    }
    if (!isBusy) {
      pauses.read(listed());
    }
    plan(isBusy ? BUSY : interval);
  }

  @GuardedBy("this") private CompletableFuture<@Nullable Void> announce() {
    long now = env.nanoTime();
    List<Claimants.Claim> held = isClosed ? List.of() : claimants.open(now);
    if (workers.isEmpty() && held.isEmpty() && !isListed) {
      return CompletableFuture.completedFuture(null);
    }
    isListed = !workers.isEmpty() || !held.isEmpty();
    WorkerText text =
        isListed
            ? WorkerText.of(ProcessInfo.current(), held, workers.values(), now)
            : WorkerText.NONE;
    hasYoungClaims = ClaimantText.leavesOutYoung(held, now);
    earliestNanos = now + text.text().length() * NANOS_PER_CHARACTER;
    reportCut(text);
    return StoreCall.stage(() -> store.announce(client, text.text(), KEEP).thenApply(done -> true))
        .<@Nullable Void>handle(
            (done, failure) -> {
              answered(failure);
              return null;
            })
        .toCompletableFuture();
  }

  @GuardedBy("this") private void reportCut(WorkerText text) {
    if (text.figures() < workers.size() && !isCutReported) {
      isCutReported = true;
      log.warn(
          "{}: the list of workers has {} of the {} workers of this process, and the figures of {},"
              + " because the list is too long",
          store.describe(),
          text.workers(),
          workers.size(),
          text.figures());
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
      isClosed = true;
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
        ? store.announcements().thenApply(WorkerListing::workers)
        : CompletableFuture.completedStage(sorted(ownWithFigures()));
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
    Map<String, LeaseHolders.Client> clients = new HashMap<>();
    announcements.forEach(
        each ->
            WorkerText.process(each)
                .ifPresent(
                    process ->
                        clients.put(
                            each.client(),
                            LeaseHolders.Client.of(
                                process, WorkerText.parse(each), WorkerText.claimants(each)))));
    clients.put(client, new LeaseHolders.Client(ProcessInfo.current(), own(), claimants::of));
    return new LeaseHolders(clients);
  }

  private synchronized List<WorkerInfo> own() {
    ProcessInfo here = ProcessInfo.current();
    Instant now = env.clock().instant();
    return workers.values().stream()
        .<WorkerInfo>map(each -> each.listed(client, here, now))
        .toList();
  }

  private synchronized List<WorkerInfo> ownWithFigures() {
    ProcessInfo here = ProcessInfo.current();
    Instant now = env.clock().instant();
    long nanos = env.nanoTime();
    return workers.values().stream()
        .<WorkerInfo>map(each -> each.listed(client, here, now).withFigures(each.figures(nanos)))
        .toList();
  }

  private static List<WorkerInfo> workers(List<Announcement> announcements) {
    return sorted(announcements.stream().flatMap(each -> WorkerText.parse(each).stream()).toList());
  }

  private static List<WorkerInfo> sorted(List<WorkerInfo> workers) {
    return workers.stream()
        .sorted(
            Comparator.comparing(WorkerInfo::queue)
                .thenComparing(WorkerInfo::host)
                .thenComparing(WorkerInfo::pid)
                .thenComparing(WorkerInfo::startedAt))
        .toList();
  }
}
