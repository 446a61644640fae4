package io.punctual.timer;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Checks that concurrent schedules, cancels and collections are linearizable: the result always
 * equals a sequential execution on a queue with removal.
 */
@Param(name = "own", gen = ThreadIdGen.class)
@Param(name = "any", gen = IntGen.class, conf = "0:4")
@SuppressWarnings("missing-explicit-ctor") // Lincheck creates this class.
public final class SharedWheelLincheckTest {
  private static final boolean THOROUGH = Boolean.getBoolean("punctual.thorough");
  private static final long NOW = 1;

  private final SharedWheel wheel = new SharedWheel(0, () -> {});
  private final ExpiredBatch batch = new ExpiredBatch(1);
  private final AtomicReferenceArray<WheelTimeout> timeouts = new AtomicReferenceArray<>(5);
  private final AtomicInteger ran = new AtomicInteger();

  /**
   * Each thread schedules only its own number, once, so that no call returns false while another
   * thread still schedules that number.
   */
  @Operation
  public boolean schedule(@Param(name = "own") int number) {
    WheelTimeout timeout = new WheelTimeout(wheel, () -> ran.set(number), NOW);
    boolean isNew = timeouts.compareAndSet(number, null, timeout);
    if (isNew) {
      wheel.schedule(timeout);
    }
    return isNew;
  }

  @Operation
  public boolean cancel(@Param(name = "any") int number) {
    WheelTimeout timeout = timeouts.get(number);
    return timeout != null && timeout.cancel();
  }

  /** Runs the next due task; returns its number, or -1 if no task is due. */
  @Operation(nonParallelGroup = "timer thread")
  public int runNext() {
    ran.set(-1);
    do {
      wheel.collect(NOW, batch);
      batch.runAll(Runnable::run);
    } while (ran.get() < 0 && batch.nextAt() <= NOW);
    return ran.get();
  }

  @Test
  @Tag("extended")
  void modelChecking() {
    new ModelCheckingOptions()
        .iterations(THOROUGH ? 6 : 1)
        .invocationsPerIteration(THOROUGH ? 100 : 20)
        .threads(3)
        .actorsPerThread(2)
        .addGuarantee(SharedWheelWakeUpLincheckTest.INTERNALS_ARE_ATOMIC)
        .sequentialSpecification(CancellableQueue.class)
        .check(SharedWheelLincheckTest.class);
  }

  @Test
  void stress() {
    new StressOptions()
        .iterations(THOROUGH ? 6 : 1)
        .invocationsPerIteration(THOROUGH ? 300 : 50)
        .threads(3)
        .actorsPerThread(3)
        .sequentialSpecification(CancellableQueue.class)
        .check(SharedWheelLincheckTest.class);
  }
}
