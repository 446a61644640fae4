package io.punctual.timer;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuarantee;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Test;

/**
 * In whatever way schedules and the sleeper are interleaved, no wake-up is lost: when all is done,
 * and the sleeper would sleep on, nothing is left that is due before it means to wake.
 */
@SuppressWarnings("missing-explicit-ctor") // made by Lincheck
public final class SharedWheelWakeUpLincheckTest {
  /**
   * What the lock guards needs no interleaving, and the count of cancels is a guess by nature: so
   * the search is spent on the hand-over between threads.
   */
  static final ManagedStrategyGuarantee CHORES_ARE_ATOMIC =
      ManagedStrategyGuaranteeKt.forClasses(
              CancelCount.class.getName(), SweptWheel.class.getName(), Wheel.class.getName())
          .allMethods()
          .treatAsAtomic();

  private static final long NOW = 1;
  private static final long LATER = 1_000;

  private final AtomicBoolean woken = new AtomicBoolean();
  private final SharedWheel wheel = new SharedWheel(0, () -> woken.set(true));
  private final Batch batch = new Batch(2);
  private final AtomicInteger waiting = new AtomicInteger();

  @Operation
  public void scheduleDue() {
    waiting.incrementAndGet();
    wheel.schedule(new WheelTimeout(wheel, waiting::decrementAndGet, NOW));
  }

  @Operation
  public void scheduleLater() {
    wheel.schedule(new WheelTimeout(wheel, () -> {}, LATER));
  }

  @Operation
  public void scheduleAndCancel() {
    WheelTimeout timeout = new WheelTimeout(wheel, () -> {}, NOW);
    wheel.schedule(timeout);
    timeout.cancel();
  }

  @Operation(nonParallelGroup = "sleeper")
  public void wakeAndRun() {
    woken.set(false);
    do {
      wheel.collect(NOW, batch);
      batch.runAll(Runnable::run);
    } while (batch.nextAt() <= NOW);
  }

  @Validate
  public void nothingDueIsSleptThrough() {
    boolean asleep = batch.nextAt() > NOW && !woken.get();
    if (asleep && waiting.get() > 0) {
      throw new IllegalStateException("asleep until " + batch.nextAt() + ", but something is due");
    }
  }

  @Test
  void modelChecking() {
    new ModelCheckingOptions()
        .iterations(10)
        .invocationsPerIteration(300)
        .threads(2)
        .actorsPerThread(2)
        .actorsBefore(1)
        .actorsAfter(0)
        .addGuarantee(CHORES_ARE_ATOMIC)
        .check(SharedWheelWakeUpLincheckTest.class);
  }
}
