package io.punctual.kit.simulation;

import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Punctual;
import io.punctual.RetryPolicy;
import io.punctual.WorkerOptions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A process with a client and a worker for recurring messages. Not thread-safe. */
final class RecurringProcess {
  private static final int CONCURRENCY = 2_000;
  private static final Duration LEASE = Duration.ofMinutes(10);
  private static final long MINUTE = 60 * Chance.SECOND;
  private static final WorkerOptions.Builder OPTIONS =
      WorkerOptions.builder()
          .concurrency(CONCURRENCY)
          .lease(LEASE)
          .interruptOnLeaseLost(false)
          .retryPolicy(RetryPolicy.fixed(Duration.ofMinutes(2)).maxAttempts(3));

  private final RecurringRun world;
  private final SimulatedProcess process;
  private final Chance chance;

  RecurringProcess(RecurringRun world, String name) {
    this.world = world;
    this.chance = world.newChance();
    FaultSchedule punctual = new FaultSchedule();
    punctual.clear();
    this.process = new SimulatedProcess(name, world.scheduler(), punctual, world.newChance());
    Punctual client =
        Punctual.builder()
            .store(new CrashingStore(world, this))
            .timer(process)
            .callbackExecutor(Runnable::run)
            .build();
    client
        .queue(RecurringRun.QUEUE, Codec.string())
        .workStages(OPTIONS.executor(process).build(), this::handle);
  }

  SimulatedProcess process() {
    return process;
  }

  boolean isDead() {
    return process.isDead();
  }

  void freeze(long nanos) {
    process.freeze(nanos);
  }

  void kill() {
    process.kill();
  }

  /** Kills the process with a small probability, and returns whether it did. */
  boolean diesNow() {
    if (world.weather().isFair() || !chance.of(0.000_1)) {
      return false;
    }
    world.crash(this);
    return true;
  }

  private CompletionStage<?> handle(Delivery<String> delivery) {
    world.judge().started(delivery, world.now());
    CompletableFuture<Void> end = new CompletableFuture<>();
    boolean isFair = world.weather().isFair();
    long most = isFair || chance.of(0.99) ? 100 * Chance.MILLI : 120 * MINUTE;
    world.scheduler().schedule(chance.between(0L, most), process, () -> finish(delivery, end));
    return end;
  }

  private void finish(Delivery<String> delivery, CompletableFuture<Void> end) {
    boolean isFair = world.weather().isFair();
    if (!isFair && chance.of(0.01) && !delivery.isSettled()) {
      CompletionStage<?> unused = delivery.async().defer(Duration.ofMinutes(chance.between(1, 90)));
      end.complete(null);
      return;
    }
    boolean fails = !isFair && (isDoomed(delivery) || chance.of(0.03));
    world.judge().ended(delivery, world.now(), !fails);
    if (fails) {
      end.completeExceptionally(new IllegalStateException("simulated: the handler failed"));
    } else {
      end.complete(null);
    }
  }

  /**
   * Returns whether all attempts of this occurrence fail while faults last: about 1.5 % of the
   * occurrences.
   */
  private static boolean isDoomed(Delivery<String> delivery) {
    int hash = (delivery.id() + delivery.occurrence()).hashCode();
    return (hash ^ (hash >>> 16)) % 64 == 0;
  }
}
