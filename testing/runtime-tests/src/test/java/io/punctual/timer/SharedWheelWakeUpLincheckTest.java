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
 * Checks that no interleaving of schedules and collections loses a wake-up: at the end, if the
 * timer thread sleeps, no pending timeout is due before its wake-up.
 */
@SuppressWarnings("missing-explicit-ctor") // Lincheck creates this class.
public final class SharedWheelWakeUpLincheckTest {
  /**
   * The classes that the lock guards, and the approximate count of cancels, need no interleaving
   * inside their methods. Treating them as atomic focuses the search on the communication between
   * threads.
   */
  static final ManagedStrategyGuarantee INTERNALS_ARE_ATOMIC =
      ManagedStrategyGuaranteeKt.forClasses(
              CancelCount.class.getName(), SweptWheel.class.getName(), Wheel.class.getName())
          .allMethods()
          .treatAsAtomic();

  private static final boolean THOROUGH = Boolean.getBoolean("punctual.thorough");
  private static final long NOW = 1;
  private static final long LATER = 1_000;

  private final AtomicBoolean woken = new AtomicBoolean();
  private final SharedWheel wheel = new SharedWheel(0, () -> woken.set(true));
  private final ExpiredBatch batch = new ExpiredBatch(2);
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

  @Operation(nonParallelGroup = "timer thread")
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
        .iterations(THOROUGH ? 10 : 1)
        .invocationsPerIteration(THOROUGH ? 300 : 50)
        .threads(2)
        .actorsPerThread(2)
        .actorsBefore(1)
        .actorsAfter(0)
        .addGuarantee(INTERNALS_ARE_ATOMIC)
        .check(SharedWheelWakeUpLincheckTest.class);
  }
}
