package io.punctual.internal;

import io.punctual.Codec;
import io.punctual.Durability;
import io.punctual.HandlerTimeoutException;
import io.punctual.PunctualException;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A worker: one {@link PartitionClaimer} for each partition brings messages, {@link HandlerRun}s
 * hand them to the handler, and permits bound how many at once. A permit is free again when its
 * handler returns; settlements that the store has not confirmed yet are bounded apart.
 *
 * <p>It ends in steps: no more claims; what no handler has started is given back; running handlers
 * get their grace, then an interrupt; and the end comes when the last one has ended and every
 * settlement has its answer, or a bounded time later.
 *
 * <p>Thread-safe. {@link #lock} is taken last, and never held while anything else is called.
 */
final class QueueWorker<T> implements Worker, Client.Closeable, Settling.SettlementWatch {
  private static final Logger log = LoggerFactory.getLogger(QueueWorker.class);
  private static final int UNCONFIRMED = 1000;
  private static final Duration AFTER_INTERRUPT = Duration.ofSeconds(2);
  private static final Duration FLUSH = Duration.ofSeconds(5);
  private static final Duration REFUSED_PAUSE = Duration.ofSeconds(1);

  /** A claim that waits for more permits wants this part of them, for so long. */
  private static final int PART = 2;

  private static final Duration LINGER = Duration.ofNanos(500_000);

  private final Client client;
  private final QueuePartitions partitions;
  private final WorkerOptions options;
  private final Intake<T> intake;
  private final HandlerCall<T> call;
  private final int batchSize;
  private final long leaseMillis;
  private final HandlerThreads threads;
  private volatile List<PartitionClaimer<T>> claimers = List.of();
  private final Set<HandlerRun<T>> runs = ConcurrentHashMap.newKeySet();
  private final StartWatch<T> startWatch;
  private final CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();

  private final ReentrantLock lock = new ReentrantLock();
  private final Permits<PartitionClaimer<T>> permits;
  private int running;
  private int unconfirmed;
  private boolean held;
  private boolean lingering;
  private boolean closing;
  private boolean flushing;

  QueueWorker(
      Client client,
      QueuePartitions partitions,
      Codec<T> codec,
      @Nullable Durability durability,
      WorkerOptions options,
      HandlerCall<T> call,
      int batchSize) {
    this.client = client;
    this.partitions = partitions;
    this.options = options;
    this.intake =
        new Intake<>(
            codec,
            options.retryPolicy(),
            new Settling(partitions.queue(), client.env(), partitions.log(), durability, this));
    this.call = call;
    this.batchSize = batchSize;
    this.leaseMillis = Checks.lease(options.lease());
    this.startWatch = new StartWatch<>(client.env(), partitions.log(), leaseMillis, runs);
    this.permits = new Permits<>(options.concurrency());
    this.threads =
        options
            .executor()
            .map(HandlerThreads::given)
            .orElseGet(
                () ->
                    HandlerThreads.create(
                        partitions.queue(), options.concurrency(), options.threads()));
  }

  void start() {
    client.add(this);
    startClaimers();
  }

  private void startClaimers() {
    List<PartitionClaimer<T>> before;
    List<PartitionClaimer<T>> now;
    lock.lock();
    try {
      before = claimers;
      now =
          partitions.all().stream()
              .map(partition -> new PartitionClaimer<>(this, partition, env()))
              .toList();
      claimers = now;
    } finally {
      lock.unlock();
    }
    before.forEach(PartitionClaimer::close);
    now.forEach(PartitionClaimer::start);
    if (isClosing()) {
      now.forEach(PartitionClaimer::close);
    }
  }

  @Override
  public void corrected(QueuePartitions those) {
    if (those == partitions) {
      startClaimers();
    }
  }

  Environment env() {
    return client.env();
  }

  WorkerOptions options() {
    return options;
  }

  Intake<T> intake() {
    return intake;
  }

  HandlerLog handlerLog() {
    return partitions.log();
  }

  HandlerCall<T> call() {
    return call;
  }

  long leaseMillis() {
    return leaseMillis;
  }

  @Override
  public String queue() {
    return partitions.queue();
  }

  @Override
  public int running() {
    lock.lock();
    try {
      return running;
    } finally {
      lock.unlock();
    }
  }

  /** How many a claim can use. */
  private int mostPermits() {
    return (Partition.MAX_PAGE + batchSize - 1) / batchSize;
  }

  int claimLimit(int granted) {
    return (int) Math.min(Partition.MAX_PAGE, (long) granted * batchSize);
  }

  /**
   * Takes permits for a claim; 0 if the claimer has to wait until it is run again.
   *
   * @param patient whether it rather waits a moment than have few: its messages are late already,
   *     and a claim takes its partition as long for one as for many
   */
  int takePermits(PartitionClaimer<T> claimer, boolean patient) {
    int least = patient ? Math.max(1, options.concurrency() / PART) : 1;
    int taken;
    lock.lock();
    try {
      taken = permits.take(claimer, least, mayClaim() ? mostPermits() : 0);
      if (patient && taken > 0) {
        permits.beginPatientClaim();
      }
    } finally {
      lock.unlock();
    }
    if (taken == 0) {
      linger();
    }
    return taken;
  }

  /** Lets those in line wait for more permits, but not for long. */
  private void linger() {
    lock.lock();
    try {
      if (lingering || closing || !mayClaim() || !permits.isAwaitingMore()) {
        return;
      }
      lingering = true;
    } finally {
      lock.unlock();
    }
    try {
      env().timer().schedule(LINGER, this::hurry);
    } catch (RejectedExecutionException timerClosed) {
      log.debug("The timer is closed, and with it the client", timerClosed);
    }
  }

  /** A claimer that is closed keeps nobody behind it waiting. */
  void leaveLine(PartitionClaimer<T> claimer) {
    lock.lock();
    try {
      permits.leave(claimer);
    } finally {
      lock.unlock();
    }
    nudge();
  }

  private void hurry() {
    lock.lock();
    try {
      lingering = false;
      permits.hurry();
    } finally {
      lock.unlock();
    }
    nudge();
  }

  private boolean mayClaim() {
    return unconfirmed < UNCONFIRMED && !held;
  }

  void returnPermits(int granted) {
    lock.lock();
    try {
      permits.giveBack(granted);
    } finally {
      lock.unlock();
    }
    nudge();
  }

  /** Lets partitions that wait for permits try again. */
  private void nudge() {
    for (Optional<PartitionClaimer<T>> turn = turn(); turn.isPresent(); turn = turn()) {
      turn.get().run();
    }
    linger();
  }

  private Optional<PartitionClaimer<T>> turn() {
    lock.lock();
    try {
      return mayClaim() ? permits.pollTurn() : Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  /** Hands claimed messages to handlers, as many calls as permits were taken at most. */
  void deliver(Reply.Claimed claimed, ClaimLease grant, int granted) {
    intake.received(claimed, grant);
    List<Reply.Leased> messages = claimed.messages();
    int needed = (messages.size() + batchSize - 1) / batchSize;
    int left = granted + takeFreePermits(needed - granted);
    for (int from = 0; from < messages.size(); from += batchSize) {
      List<Reply.Leased> batch =
          messages.subList(from, Math.min(messages.size(), from + batchSize));
      if (left > 0) {
        left--;
        execute(new HandlerRun<>(this, grant, batch));
      } else {
        batch.forEach(message -> intake.release(message, grant));
      }
    }
    if (left > 0) {
      returnPermits(left);
    }
  }

  /** Takes what is missing for a claim whose permits went to others meanwhile. */
  private int takeFreePermits(int most) {
    lock.lock();
    try {
      return permits.takeFree(Math.max(0, most));
    } finally {
      lock.unlock();
    }
  }

  private void execute(HandlerRun<T> run) {
    runs.add(run);
    if (isClosing()) {
      run.releaseIfWaiting();
      return;
    }
    try {
      threads.execute(run);
      startWatch.added();
    } catch (Throwable e) {
      holdOn(e);
      run.releaseIfWaiting();
    }
  }

  /** Claims nothing for a second, or it would claim and give back as fast as it can. */
  private void holdOn(Throwable refused) {
    lock.lock();
    try {
      if (held) {
        return;
      }
      held = true;
    } finally {
      lock.unlock();
    }
    handlerLog().executorRefuses(refused);
    env().timer().schedule(REFUSED_PAUSE, this::goOn);
  }

  private void goOn() {
    lock.lock();
    try {
      held = false;
    } finally {
      lock.unlock();
    }
    nudge();
  }

  /** Gives back what came after the end. */
  void giveBack(Reply.Claimed claimed, ClaimLease grant, int granted) {
    intake.releaseAll(claimed, grant);
    returnPermits(granted);
  }

  /** A patient claim holds its permits no more. */
  void endPatientClaim() {
    lock.lock();
    try {
      permits.endPatientClaim();
    } finally {
      lock.unlock();
    }
  }

  void claimEnded() {
    nudge();
    checkEnd();
  }

  void started() {
    lock.lock();
    try {
      running++;
    } finally {
      lock.unlock();
    }
  }

  void ended(HandlerRun<T> run, boolean wasRunning) {
    runs.remove(run);
    lock.lock();
    try {
      running -= wasRunning ? 1 : 0;
      permits.giveBack(1);
    } finally {
      lock.unlock();
    }
    if (isClosing()) {
      hurryAcks();
    }
    nudge();
    checkEnd();
  }

  LeaseKeeper<T> keeper(List<ClientDelivery<T>> deliveries, LeaseKeeper.Listener listener) {
    long timeout =
        options
            .handlerTimeout()
            .map(t -> TimeUnit.MILLISECONDS.toNanos(Math.max(1, t.toMillis())))
            .orElse(Long.MAX_VALUE);
    return new LeaseKeeper<>(env(), deliveries, leaseMillis, options.renew(), timeout, listener);
  }

  /** Cancels a stage on a handler's thread, since dependents of the stage are the user's code. */
  void cancel(CompletionStage<?> stage) {
    Runnable cancel =
        () -> {
          try {
            stage.toCompletableFuture().cancel(true);
          } catch (Throwable e) {
            log.debug("The stage of a handler of queue {} can't be cancelled", queue(), e);
          }
        };
    try {
      threads.execute(cancel);
    } catch (Throwable refused) {
      cancel.run();
    }
  }

  void ignoresTimeout(String id, Thread handler) {
    handlerLog().ignoresTimeout(id, options.handlerTimeout().orElse(Duration.ZERO), handler);
  }

  Throwable timeout(@Nullable Throwable failure) {
    HandlerTimeoutException timeout =
        new HandlerTimeoutException(options.handlerTimeout().orElse(Duration.ZERO));
    if (failure != null) {
      timeout.addSuppressed(failure);
    }
    return timeout;
  }

  @Override
  public void submitted() {
    lock.lock();
    try {
      unconfirmed++;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void answered() {
    boolean roomAgain;
    lock.lock();
    try {
      roomAgain = unconfirmed-- == UNCONFIRMED;
    } finally {
      lock.unlock();
    }
    if (roomAgain) {
      nudge();
    }
    checkEnd();
  }

  private boolean isClosing() {
    lock.lock();
    try {
      return closing;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void await() throws InterruptedException {
    Waiting.forEnd(ended);
  }

  @Override
  public boolean await(Duration time) throws InterruptedException {
    BlockingGuard.requireBlockable();
    try {
      Object unused = ended.get(TimeUnit.NANOSECONDS.convert(time), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (java.util.concurrent.ExecutionException e) {
      throw new PunctualException("The worker of queue '" + queue() + "' failed", e);
    }
  }

  @Override
  public void close() {
    close(options.shutdownGrace());
  }

  @Override
  public void close(Duration grace) {
    CompletableFuture<@Nullable Void> end = shutdown(grace);
    if (BlockingGuard.isMarked() || isOnThisThread()) {
      return;
    }
    try {
      Waiting.forEnd(end);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new PunctualException(
          "Interrupted while closing the worker of queue '" + queue() + "'; it goes on", e);
    }
  }

  @Override
  public boolean isOnThisThread() {
    return runs.stream().anyMatch(HandlerRun::isOnThisThread);
  }

  @Override
  public CompletableFuture<@Nullable Void> shutdown(@Nullable Duration grace) {
    Duration time = grace == null ? options.shutdownGrace() : grace;
    if (beginClosing()) {
      claimers.forEach(PartitionClaimer::close);
      hurryAcks();
      runsInOrder().forEach(HandlerRun::releaseIfWaiting);
      env().timer().schedule(time, this::graceIsOver);
      checkEnd();
    }
    return ended;
  }

  /** The end waits for acks, so they do not linger any more. */
  private void hurryAcks() {
    partitions.all().forEach(partition -> partition.session().hurry());
  }

  private void graceIsOver() {
    runsInOrder().forEach(HandlerRun::stop);
    if (!ended.isDone()) {
      env().timer().schedule(AFTER_INTERRUPT, this::end);
    }
  }

  /** So that the same run of a simulation ends the same way, whatever the hash codes. */
  private List<HandlerRun<T>> runsInOrder() {
    return runs.stream().sorted(HandlerRun.ORDER).toList();
  }

  private boolean beginClosing() {
    lock.lock();
    try {
      boolean first = !closing;
      closing = true;
      return first;
    } finally {
      lock.unlock();
    }
  }

  private void checkEnd() {
    boolean quiet;
    boolean settled;
    boolean flush;
    lock.lock();
    try {
      quiet = closing && running == 0 && runs.isEmpty();
      settled = unconfirmed == 0;
      flush = quiet && !flushing;
      flushing |= quiet;
    } finally {
      lock.unlock();
    }
    if (quiet && settled && claimers.stream().noneMatch(PartitionClaimer::isClaiming)) {
      end();
    } else if (flush) {
      env().timer().schedule(FLUSH, this::end);
    }
  }

  private void end() {
    if (ended.isDone()) {
      return;
    }
    runsInOrder().forEach(HandlerRun::abandon);
    threads.close();
    client.remove(this);
    ended.complete(null);
  }
}
