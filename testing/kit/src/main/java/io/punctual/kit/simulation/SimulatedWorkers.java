package io.punctual.kit.simulation;

import io.punctual.Delivery;
import io.punctual.Due;
import io.punctual.RetryPolicy;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Workers with handlers that settle, fail and wait in all ways. After the faults have ended, the
 * handlers succeed.
 */
final class SimulatedWorkers {
  static final int ATTEMPTS = 4;

  private static final int MANY = 16;
  private static final Duration SHORT = Duration.ofMillis(150);

  private final SimulationRun world;
  private final Node node;
  private final Chance chance;
  private final Duration lease;

  SimulatedWorkers(SimulationRun world, Node node) {
    this.world = world;
    this.node = node;
    this.chance = world.newChance();
    this.lease = Duration.ofMillis(chance.between(50, 2_000));
  }

  /** Starts a worker with a random kind of handler and random options. */
  void start(TimedQueue<String> queue) {
    WorkerOptions options = options(chance.between(1, 8));
    node.add(
        switch (chance.between(0, 4)) {
          case 0 -> queue.work(single(options), this::handle);
          case 1 -> queue.workBatches(options, this::handleAll);
          default -> queue.workStages(single(options), this::handleLater);
        });
  }

  /** Starts a worker that drains the queue after the faults have ended. */
  void startReliable(TimedQueue<String> queue) {
    boolean roomy = chance.of(0.5);
    WorkerOptions options = options(roomy ? MANY : 1);
    boolean outlivesLeases = roomy && options.renew() && lease.compareTo(SHORT) <= 0;
    node.add(
        queue.workStages(
            single(options), outlivesLeases ? this::handleBeyondLease : this::handleLater));
  }

  /** Returns options without those of batches, which a handler of single messages can't have. */
  private static WorkerOptions single(WorkerOptions options) {
    return options.toBuilder()
        .batchSize(WorkerOptions.DEFAULT.batchSize())
        .batchLinger(Duration.ZERO)
        .build();
  }

  private WorkerOptions options(int concurrency) {
    int batchSize = chance.between(1, 5);
    WorkerOptions.Builder options =
        WorkerOptions.builder()
            .executor(node.process())
            .concurrency(concurrency)
            .prefetch(chance.of(0.5) ? chance.between(1, 10) : 0)
            .batchSize(batchSize)
            .batchLinger(batchSize > 3 ? lease.dividedBy(4) : Duration.ZERO)
            .lease(lease)
            .renew(chance.of(0.7))
            .interruptOnLeaseLost(false)
            .retryPolicy(
                RetryPolicy.fixed(Duration.ofMillis(chance.between(0, 300))).maxAttempts(ATTEMPTS))
            .shutdownGrace(Duration.ofMillis(chance.between(0, 3_000)));
    if (chance.of(0.3)) {
      options.handlerTimeout(Duration.ofMillis(chance.between(10, 2_000)));
    }
    return options.build();
  }

  private void handle(Delivery<String> delivery) {
    expectFewAttempts(delivery);
    if (world.weather().isFair()) {
      return;
    }
    if (chance.of(0.2)) {
      settleManually(delivery);
    }
    failSometimes();
  }

  /**
   * Complains about a delivery beyond the limit of attempts. Such a delivery is correct only after
   * a manual retry ({@link AsyncDelivery#retry(Duration)}), because the limit does not apply to
   * manual retries.
   */
  private void expectFewAttempts(Delivery<String> delivery) {
    boolean retried =
        delivery.failures().stream()
            .anyMatch(failure -> failure.attempt() == delivery.attempt() - 1);
    if (delivery.attempt() > ATTEMPTS && !retried) {
      world.complain("handed over after its last attempt: " + delivery);
    }
  }

  private void handleAll(List<Delivery<String>> deliveries) {
    deliveries.forEach(this::expectFewAttempts);
    if (world.weather().isFair()) {
      return;
    }
    deliveries.stream().filter(delivery -> chance.of(0.3)).forEach(this::settleManually);
    failSometimes();
  }

  private CompletionStage<?> handleLater(Delivery<String> delivery) {
    CompletableFuture<Void> end = new CompletableFuture<>();
    long most = world.weather().isFair() ? Chance.MILLI : 2 * lease.toNanos();
    long takes = chance.of(0.5) ? 0 : chance.between(0L, most);
    if (takes == 0) {
      handle(delivery);
      end.complete(null);
    } else {
      node.later(takes, () -> finish(delivery, end));
    }
    return end;
  }

  /**
   * By chance, handles a message for longer than its lease, but only after users have made their
   * last calls. From then on, a lease that is renewed must never be lost.
   */
  private CompletionStage<?> handleBeyondLease(Delivery<String> delivery) {
    if (!world.wasQuiet(delivery.claimedAt()) || chance.of(0.5)) {
      return handleLater(delivery);
    }
    CompletableFuture<Void> end = new CompletableFuture<>();
    node.later(
        lease.toNanos() * 5 / 2,
        () -> {
          if (!delivery.isSettled() && delivery.isLost()) {
            world.complain("a renewed lease was lost while all was quiet: " + delivery);
          }
          finish(delivery, end);
        });
    return end;
  }

  private void finish(Delivery<String> delivery, CompletableFuture<Void> end) {
    try {
      handle(delivery);
      end.complete(null);
    } catch (IllegalStateException failure) {
      end.completeExceptionally(failure);
    }
  }

  private void failSometimes() {
    if (chance.of(0.25)) {
      throw new IllegalStateException("simulated: the handler failed");
    }
  }

  private void settleManually(Delivery<String> delivery) {
    if (delivery.isSettled()) {
      return;
    }
    switch (chance.between(0, 6)) {
      case 0 -> node.expect(delivery.async().ack());
      case 1 -> node.expect(delivery.async().retry(Duration.ofMillis(chance.between(0, 200))));
      case 2 -> node.expect(delivery.async().bury("buried manually"));
      case 3 -> node.expect(delivery.async().release());
      case 4 -> node.expect(delivery.async().defer(Duration.ofMillis(chance.between(0, 200))));
      case 5 ->
          node.expect(
              delivery.async().repeat(Due.after(Duration.ofMillis(chance.between(0, 500)))));
      default -> node.expect(delivery.async().extend(lease.multipliedBy(2)));
    }
  }
}
