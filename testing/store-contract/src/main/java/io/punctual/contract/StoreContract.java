package io.punctual.contract;

import io.punctual.spi.Store;
import io.punctual.test.ManualClock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * What every store does, as tests. A store's test class inherits it and says how the store is
 * opened:
 *
 * <pre>{@code
 * final class MyStoreContractTest extends StoreContract {
 *   @Override
 *   protected Store openStore() {
 *     return MyStore.builder().build();
 *   }
 * }
 * }</pre>
 *
 * <p>One store serves all tests of the class; each test has a queue of its own, with a random name,
 * and looks at the last of its partitions. Nothing is assumed about queues of other names, so that
 * a server can be shared, or keep what earlier runs left. A store that takes a {@link ManualClock}
 * overrides {@link #engineTime}; for any other, the tests wait a few milliseconds here and there
 * until the store's own clock has moved on.
 *
 * <p>What a store lacks by its {@link Store#capabilities} is skipped, and reported as skipped with
 * the capability's name.
 */
@SuppressWarnings("exports") // The extension and the groups of tests are JUnit's to reach alone.
@ExtendWith(TestPartitionResolver.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.SAME_THREAD)
public abstract class StoreContract
    implements ScheduleTableContract,
        ChangeTableContract,
        SettlementTableContract,
        ScheduleContract,
        ClaimContract,
        WaitContract,
        LeaseContract,
        FencingContract,
        SessionContract,
        RepeatedClaimContract,
        ContentContract,
        LookUpContract,
        PauseContract,
        PurgeContract,
        DeleteContract,
        WakeUpContract,
        BatchContract,
        CrowdContract,
        StoreLevelContract,
        ModelContract,
        FuzzContract {
  private @Nullable Store store;
  private @Nullable EngineTime engineTime;

  /** For the store's test class. */
  protected StoreContract() {}

  /**
   * Opens the store; called once for most tests together, and again by tests that close it. What it
   * needs (a server, a directory) is there until after the last test of the class.
   *
   * @throws Exception if it can't be opened; the test fails with it
   */
  protected abstract Store openStore() throws Exception;

  /** Returns the clock of {@code store}; here, one that only waiting moves on. */
  protected EngineTime engineTime(Store store) {
    return EngineTime.real(store);
  }

  /** Returns how many messages, all due at once, the store must page through: here 200,000. */
  protected int manyMessages() {
    return 200_000;
  }

  final synchronized TestPartition newPartition() {
    if (store == null || engineTime == null) {
      store = newStore();
      engineTime = engineTime(store);
    }
    return new TestPartition(store, engineTime, manyMessages());
  }

  final Store newStore() {
    try {
      return openStore();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("The store could not be opened", e);
    }
  }

  @AfterAll
  final synchronized void closeStore() {
    if (store != null) {
      store.close();
      store = null;
    }
  }
}
