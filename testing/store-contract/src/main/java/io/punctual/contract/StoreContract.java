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
 * The tests that every store must pass. A store's test class extends this class and opens the
 * store:
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
 * <p>The tests of the class share a store, except the tests that close it. Each test has its own
 * queue with a random name, and mostly uses the last of its partitions. Tests assume nothing about
 * other queues, so a server can be shared or contain data of earlier runs. For a store with a
 * {@link ManualClock}, override {@link #storeClock}. For other stores, tests wait a short time at
 * some points until the store's clock has advanced.
 *
 * <p>The random operations, the competing threads and the many messages have two sizes. By default
 * they are small: the suite then takes part of a minute, and every run has a new random seed, which
 * the name of a failed test contains. With {@code -Dpunctual.thorough=true} they have their full
 * size: run the suite so before a release of the store. {@code -Dpunctual.contract.seed=N} repeats
 * the random operations of a seed.
 *
 * <p>Tests of {@linkplain Store#capabilities capabilities} that the store lacks are skipped, and
 * the report names the capability.
 */
@SuppressWarnings("exports") // Only JUnit uses the extension and the groups of tests.
@ExtendWith(TestPartitionResolver.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.SAME_THREAD)
public abstract class StoreContract
    implements ScheduleTableContract,
        ChangeTableContract,
        SettlementTableContract,
        ScheduleContract,
        RestoreContract,
        RetentionContract,
        ClaimContract,
        WaitContract,
        CancelledClaimContract,
        LeaseContract,
        LeaseHolderContract,
        RepeatContract,
        RecurrenceContract,
        RememberContract,
        FencingContract,
        TokenContract,
        FailureByReceiptContract,
        SessionContract,
        RepeatedClaimContract,
        ClaimAtMostOnceContract,
        ContentContract,
        CreatedContract,
        LookUpContract,
        BrowseRangeContract,
        NewestFirstContract,
        PauseContract,
        LimitsContract,
        PurgeContract,
        DeleteContract,
        WakeUpContract,
        BatchContract,
        CrowdContract,
        CollectionContract,
        StoreLevelContract,
        QueueListContract,
        ManyQueuesContract,
        ChangeTaskContract,
        WorkersContract,
        TransactionContract,
        ModelContract,
        FuzzContract {
  private @Nullable Store store;
  private @Nullable StoreClock storeClock;

  /** Constructor for the store's test class. */
  protected StoreContract() {}

  /**
   * Opens the store. Called once for most tests together, and again by tests that close the store.
   * Any server or directory that the store needs must exist until after the last test of the class.
   *
   * @throws Exception if the store cannot be opened; then the test fails
   */
  protected abstract Store openStore() throws Exception;

  /** Returns the clock of {@code store}; by default a clock that advances in real time. */
  protected StoreClock storeClock(Store store) {
    return StoreClock.real(store);
  }

  /**
   * Returns the number of messages, all due in the same millisecond, that the store must page
   * through; by default 20,000, or 50,000 with {@code -Dpunctual.thorough=true}.
   */
  protected int manyMessages() {
    return Thoroughness.size(20_000, 50_000);
  }

  /**
   * Begins a transaction of the database in which {@code store} keeps its messages. Only called if
   * the store has the capability {@code TRANSACTIONS}.
   *
   * @throws Exception if the transaction cannot begin; then the test fails
   */
  protected UserTransaction beginTransaction(Store store) throws Exception {
    throw new UnsupportedOperationException("Override beginTransaction");
  }

  final synchronized TestPartition newPartition() {
    if (store == null || storeClock == null) {
      store = newStore();
      storeClock = storeClock(store);
    }
    return new TestPartition(store, storeClock, manyMessages(), this::newTransaction);
  }

  private UserTransaction newTransaction(Store with) {
    try {
      return beginTransaction(with);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("The transaction could not begin", e);
    }
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
