package io.punctual.internal;

import io.punctual.Delivery;
import io.punctual.StoreUnavailableException;
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
 * A claim by hand: asks one partition after the other, each at least once, and when none has
 * anything, sleeps until the earliest moment that anyone named or the wait is over. Messages that
 * come after it has ended are given back. Thread-safe.
 */
final class ManualClaim<T> implements Client.Closeable {
  private static final long FOREVER_MICROS = TimeUnit.DAYS.toMicros(365 * 50L);

  private final Client client;
  private final QueuePartitions partitions;
  private final Intake<T> intake;
  private final Executor decoder;
  private final int max;
  private final long leaseMillis;
  private final long endNanos;
  private final Duration longest;
  private final CompletableFuture<List<Delivery<T>>> result = new CompletableFuture<>();
  private List<Asked> asked = List.of();
  private final ReentrantLock lock = new ReentrantLock();

  private boolean running;
  private boolean changed;
  private boolean claiming;
  private boolean ended;

  /** The queue has other partitions; waits to be told of them. */
  private boolean misled;

  private @Nullable Timeout timeout;

  /**
   * Creates a claim.
   *
   * @param decoder runs the codec, which is the user's code and may take long
   * @param silence how long after the wait the claim fails if the store does not answer
   */
  ManualClaim(
      Client client,
      QueuePartitions partitions,
      Intake<T> intake,
      Executor decoder,
      int max,
      long leaseMillis,
      long waitMillis,
      Duration silence) {
    this.client = client;
    this.partitions = partitions;
    this.intake = intake;
    this.decoder = decoder;
    this.max = max;
    this.leaseMillis = leaseMillis;
    this.endNanos = client.env().nanoTime() + TimeUnit.MILLISECONDS.toNanos(waitMillis);
    this.longest = Duration.ofMillis(waitMillis).plus(silence);
  }

  CompletableFuture<List<Delivery<T>>> start() {
    Timeout silence = client.env().timer().schedule(longest, this::noAnswer);
    client.add(this);
    askPartitions();
    CompletableFuture<?> unused =
        result.whenComplete(
            (deliveries, failure) -> {
              silence.cancel();
              end();
            });
    run();
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
    client.remove(this);
  }

  private List<Asked> asked() {
    lock.lock();
    try {
      return asked;
    } finally {
      lock.unlock();
    }
  }

  /** Asks those partitions instead. */
  @Override
  public void corrected(QueuePartitions those) {
    if (those == partitions) {
      askPartitions();
      run();
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
      misled = false;
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
                + "' in time; what the claim may still bring is given back",
            null));
  }

  @Override
  public CompletableFuture<@Nullable Void> shutdown(@Nullable Duration grace) {
    result.complete(List.of());
    return CompletableFuture.completedFuture(null);
  }

  private void run() {
    lock.lock();
    try {
      changed = true;
      if (running) {
        return;
      }
      running = true;
      try {
        while (changed) {
          changed = false;
          act();
        }
      } finally {
        running = false;
      }
    } finally {
      lock.unlock();
    }
  }

  private void act() {
    if (ended || claiming || misled) {
      return;
    }
    long now = client.env().nanoTime();
    boolean over = endNanos - now <= 0;
    Optional<Asked> next = asked.stream().filter(each -> each.wants(now, over)).findFirst();
    if (next.isPresent()) {
      claiming = true;
      next.get().begin();
      outside(next.get()::claim);
    } else if (over) {
      outside(() -> result.complete(List.of()));
    } else {
      sleep(now);
    }
  }

  private void sleep(long now) {
    if (timeout != null) {
      timeout.cancel();
    }
    long wait = endNanos - now;
    for (Asked each : asked) {
      wait = each.hasNext ? Math.min(wait, each.nextNanos - now) : wait;
    }
    timeout = client.env().timer().schedule(Math.max(0, wait), this::run);
  }

  private void outside(Runnable step) {
    lock.unlock();
    try {
      step.run();
    } finally {
      lock.lock();
    }
  }

  /** One partition, and when to ask it next. Guarded by the claim's lock. */
  private final class Asked implements Wakeable, ClaimCallback {
    private final PartitionClient partition;
    private boolean wasAsked;
    private boolean hasNext = true;
    private long nextNanos = client.env().nanoTime();

    Asked(PartitionClient partition) {
      this.partition = partition;
    }

    boolean wants(long now, boolean over) {
      return over ? !wasAsked : hasNext && nextNanos - now <= 0;
    }

    /** Only a hint, or the answer, names another moment. */
    void begin() {
      wasAsked = true;
      hasNext = false;
    }

    void enter() {
      partition.add(this);
      if (isOver()) {
        leave();
      }
    }

    /** It has ended meanwhile, or asks other partitions. */
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
      if (untilNextMicros < FOREVER_MICROS) {
        long at =
            client.env().nanoTime() + TimeUnit.MICROSECONDS.toNanos(Math.max(0, untilNextMicros));
        nextNanos = hasNext && nextNanos - at <= 0 ? nextNanos : at;
        hasNext = true;
      }
    }

    @Override
    public void wake(long untilNextMicros) {
      lock.lock();
      try {
        lower(untilNextMicros);
      } finally {
        lock.unlock();
      }
      run();
    }

    @Override
    public void claimed(Reply.Claimed claimed, long firstSentNanos) {
      long now = client.env().nanoTime();
      ClaimLease grant =
          ClaimLease.of(claimed, partition.session(), firstSentNanos, leaseMillis, now);
      decoder.execute(() -> deliver(claimed, grant));
    }

    private void deliver(Reply.Claimed claimed, ClaimLease grant) {
      try {
        ManualClaim.this.deliver(claimed, grant);
      } finally {
        answered(claimed.untilNextMicros());
      }
    }

    @Override
    public void abandoned(@Nullable RuntimeException refused) {
      if (refused instanceof Partition.PartitionCountException) {
        misled(this);
      } else if (refused != null) {
        result.completeExceptionally(
            StoreFailures.ofQuestion("A claim from queue '" + partitions.queue() + "'", refused));
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
      run();
    }
  }

  private void misled(Asked partition) {
    lock.lock();
    try {
      misled = asked.contains(partition);
    } finally {
      lock.unlock();
    }
  }

  private void deliver(Reply.Claimed claimed, ClaimLease grant) {
    if (result.isDone()) {
      intake.releaseAll(claimed, grant);
      return;
    }
    intake.received(claimed, grant);
    List<ClientDelivery<T>> deliveries = new ArrayList<>();
    claimed.messages().forEach(each -> intake.admit(each, grant).ifPresent(deliveries::add));
    deliveries.forEach(ClientDelivery::handedOver);
    if (!deliveries.isEmpty() && !result.complete(List.copyOf(deliveries))) {
      for (ClientDelivery<T> delivery : deliveries) {
        CompletionStage<?> unused = delivery.releaseAsync();
      }
    }
  }
}
