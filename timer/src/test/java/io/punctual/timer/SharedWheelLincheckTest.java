package io.punctual.timer;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.junit.jupiter.api.Test;

/**
 * Whatever way schedules, cancels and the sleeper are interleaved, it looks as if they had been
 * done one after the other, to a queue from which elements can be removed.
 */
@Param(name = "own", gen = ThreadIdGen.class)
@Param(name = "any", gen = IntGen.class, conf = "0:4")
@SuppressWarnings("missing-explicit-ctor") // made by Lincheck
public final class SharedWheelLincheckTest {
  private static final long NOW = 1;

  private final SharedWheel wheel = new SharedWheel(0, () -> {});
  private final Batch batch = new Batch(1);
  private final AtomicReferenceArray<WheelTimeout> timeouts = new AtomicReferenceArray<>(5);
  private final AtomicInteger ran = new AtomicInteger();

  /** Each thread schedules its own number, once: that it is known must not show before it waits. */
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

  /** Runs the next task that is due; returns its number, or -1 if there is none. */
  @Operation(nonParallelGroup = "sleeper")
  public int runNext() {
    ran.set(-1);
    do {
      wheel.collect(NOW, batch);
      batch.runAll(Runnable::run);
    } while (ran.get() < 0 && batch.nextAt() <= NOW);
    return ran.get();
  }

  @Test
  void modelChecking() {
    new ModelCheckingOptions()
        .iterations(6)
        .invocationsPerIteration(100)
        .threads(3)
        .actorsPerThread(2)
        .addGuarantee(SharedWheelWakeUpLincheckTest.CHORES_ARE_ATOMIC)
        .sequentialSpecification(CancellableQueue.class)
        .check(SharedWheelLincheckTest.class);
  }

  @Test
  void stress() {
    new StressOptions()
        .iterations(6)
        .invocationsPerIteration(300)
        .threads(3)
        .actorsPerThread(3)
        .sequentialSpecification(CancellableQueue.class)
        .check(SharedWheelLincheckTest.class);
  }
}
