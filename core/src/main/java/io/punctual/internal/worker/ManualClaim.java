package io.punctual.internal.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.punctual.Delivery;
import io.punctual.StoreUnavailableException;
import io.punctual.internal.partition.PartitionClient;
import io.punctual.internal.partition.QueuePartitions;
import io.punctual.internal.partition.Wakeable;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.HandlerLog;
import io.punctual.internal.runtime.StoreFailures;
import io.punctual.internal.session.ClaimCallback;
import io.punctual.internal.session.SessionLostException;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import io.punctual.timer.Timeout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A manual claim: asks the partitions one after another, each at least once. If no partition has a
 * due message, the claim sleeps until the earliest {@link WakeTime} or until the wait is over.
 * Messages that arrive after the end of the claim are released. The claim does not wait for the
 * dead handler. Thread-safe.
 */
public final class ManualClaim<T> implements Consumers.Member, DeadCall.Context<T> {
  private final Environment env;
  private final Consumers consumers;
  private final QueuePartitions partitions;
  private final Intake<T> intake;
  private final Executor decoder;
  private final int max;
  private final long leaseMillis;
  private final long endNanos;
  private final Duration longest;
  private final CompletableFuture<List<Delivery<T>>> result = new CompletableFuture<>();

  @GuardedBy("lock") private List<Asked> asked = List.of();

  private final ReentrantLock lock = new ReentrantLock();

  @SuppressWarnings("GuardedBy") // The baton holds the lock when it calls act.
  private final Baton baton = new Baton(lock, this::act);

  @GuardedBy("lock") private boolean claiming;

  @GuardedBy("lock") private boolean ended;

  /** The client's number of partitions is stale; the claim waits for {@link #corrected}. */
  @GuardedBy("lock") private boolean awaitsPartitions;

  @GuardedBy("lock") private @Nullable Timeout timeout;

  /**
   * Creates a claim.
   *
   * @param decoder runs the codec, which is user code and may be slow
   * @param silence the time after the wait at which the claim fails if the store does not answer
   */
  public ManualClaim(
      Environment env,
      Consumers consumers,
      QueuePartitions partitions,
      Intake<T> intake,
      Executor decoder,
      int max,
      long leaseMillis,
      long waitMillis,
      Duration silence) {
    this.env = env;
    this.consumers = consumers;
    this.partitions = partitions;
    this.intake = intake;
    this.decoder = decoder;
    this.max = max;
    this.leaseMillis = leaseMillis;
    this.endNanos = env.nanoTime() + TimeUnit.MILLISECONDS.toNanos(waitMillis);
    this.longest = Duration.ofMillis(waitMillis).plus(silence);
  }

  public CompletableFuture<List<Delivery<T>>> start() {
    Timeout silence = env.timer().schedule(longest, this::noAnswer);
    consumers.add(this);
    askPartitions();
    CompletableFuture<?> unused =
        result.whenComplete(
            (deliveries, failure) -> {
              silence.cancel();
              end();
            });
    baton.run();
    return result;
  }

  private void end() {
    lock.lock();
    try {
      ended = true;
      if (timeout != null) {
        timeout.cancel();
      }
    } finally {
      lock.unlock();
    }
    asked().forEach(Asked::leave);
    consumers.remove(this);
  }

  private List<Asked> asked() {
    lock.lock();
    try {
      return asked;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void corrected(QueuePartitions those) {
    if (those == partitions) {
      askPartitions();
      baton.run();
    }
  }

  private void askPartitions() {
    List<Asked> before;
    List<Asked> now;
    lock.lock();
    try {
      before = asked;
      now = partitions.all().stream().map(Asked::new).toList();
      asked = now;
      awaitsPartitions = false;
    } finally {
      lock.unlock();
    }
    before.forEach(Asked::leave);
    now.forEach(Asked::enter);
  }

  private void noAnswer() {
    result.completeExceptionally(
        new StoreUnavailableException(
            "The store did not answer a claim from queue '"
                + partitions.queue()
                + "' in time; messages that it still returns are released",
            null));
  }

  @Override
  public CompletableFuture<@Nullable Void> shutdown(@Nullable Duration grace) {
    result.complete(List.of());
    return CompletableFuture.completedFuture(null);
  }

  @GuardedBy("lock") private void act() {
    if (ended || claiming || awaitsPartitions) {
      return;
    }
    long now = env.nanoTime();
    boolean over = endNanos - now <= 0;
    Optional<Asked> next = asked.stream().filter(each -> each.wants(now, over)).findFirst();
    if (next.isPresent()) {
      claiming = true;
      next.get().begin();
      baton.unlocked(next.get()::claim);
    } else if (over) {
      baton.unlocked(() -> result.complete(List.of()));
    } else {
      sleep(now);
    }
  }

  @GuardedBy("lock") private void sleep(long now) {
    if (timeout != null) {
      timeout.cancel();
    }
    long wait = endNanos - now;
    for (Asked each : asked) {
      wait = each.next.isKnown() ? Math.min(wait, each.next.nanos() - now) : wait;
    }
    timeout = env.timer().schedule(Math.max(0, wait), baton::run);
  }

  /** A partition, and the time to ask it next. The claim's lock guards its state. */
  private final class Asked implements Wakeable, ClaimCallback {
    private final PartitionClient partition;
    private boolean wasAsked;
    private final WakeTime next = new WakeTime();

    Asked(PartitionClient partition) {
      this.partition = partition;
      lower(0);
    }

    boolean wants(long now, boolean over) {
      return over ? !wasAsked : next.hasCome(now);
    }

    void begin() {
      wasAsked = true;
      next.clear();
    }

    void enter() {
      partition.add(this);
      if (isOver()) {
        leave();
      }
    }

    /** Returns whether the claim has ended, or has different partitions now. */
    private boolean isOver() {
      lock.lock();
      try {
        return ended || !asked.contains(this);
      } finally {
        lock.unlock();
      }
    }

    void leave() {
      partition.remove(this);
      boolean unused = partition.session().withdraw(this);
    }

    void claim() {
      partition.session().claim(max, leaseMillis, this);
    }

    private void lower(long untilNextMicros) {
      next.lower(env.nanoTime(), untilNextMicros);
    }

    @Override
    public void wake(long untilNextMicros) {
      lock.lock();
      try {
        lower(untilNextMicros);
      } finally {
        lock.unlock();
      }
      baton.run();
    }

    @Override
    public void claimed(Reply.Claimed claimed, long firstSentNanos) {
      long now = env.nanoTime();
      ClaimLease lease =
          ClaimLease.of(claimed, partition.session(), firstSentNanos, leaseMillis, now);
      decoder.execute(() -> deliver(claimed, lease));
    }

    private void deliver(Reply.Claimed claimed, ClaimLease lease) {
      List<DeadCall.Dying<T>> dying = new ArrayList<>();
      try {
        ManualClaim.this.deliver(claimed, lease, dying);
      } finally {
        answered(claimed.untilNextMicros());
      }
      if (!dying.isEmpty()) {
        intake.deadCall(dying, ManualClaim.this, () -> {}).start(env.callbacks()::executeBlocking);
      }
    }

    @Override
    public void failed(RuntimeException reason) {
      if (reason instanceof Partition.PartitionCountException) {
        awaitPartitions(this);
      } else if (!(reason instanceof SessionLostException)) {
        result.completeExceptionally(
            StoreFailures.ofQuestion("A claim from queue '" + partitions.queue() + "'", reason));
      }
      answered(0);
    }

    private void answered(long untilNextMicros) {
      lock.lock();
      try {
        claiming = false;
        lower(untilNextMicros);
      } finally {
        lock.unlock();
      }
      baton.run();
    }
  }

  private void awaitPartitions(Asked partition) {
    lock.lock();
    try {
      awaitsPartitions = asked.contains(partition);
    } finally {
      lock.unlock();
    }
  }

  private void deliver(Reply.Claimed claimed, ClaimLease lease, List<DeadCall.Dying<T>> dying) {
    if (result.isDone()) {
      intake.releaseAll(claimed, lease);
      return;
    }
    intake.received(claimed, lease);
    List<ClientDelivery<T>> deliveries = new ArrayList<>();
    for (Reply.Leased message : claimed.messages()) {
      intake.admit(message, lease, dying::add).ifPresent(deliveries::add);
    }
    deliveries.forEach(ClientDelivery::handedOver);
    if (!deliveries.isEmpty() && !result.complete(List.copyOf(deliveries))) {
      for (ClientDelivery<T> delivery : deliveries) {
        CompletionStage<?> unused = delivery.releaseAsync();
      }
    }
  }

  @Override
  public LeaseKeeper<T> keeper(
      List<ClientDelivery<T>> deliveries, LeaseKeeper.Listener listener, int calls) {
    return new LeaseKeeper<>(env, deliveries, leaseMillis, true, Long.MAX_VALUE, listener);
  }

  @Override
  public void refused(Throwable failure, Duration delay) {
    log().deadHandlerRefused(delay, failure);
  }

  @Override
  public boolean interruptsOnLeaseLost() {
    return false;
  }

  @Override
  public void ignoresTimeout(String id, Thread handler) {
    throw new IllegalStateException("A manual claim has no time-out for handlers");
  }

  @Override
  public HandlerLog log() {
    return partitions.log();
  }
}
