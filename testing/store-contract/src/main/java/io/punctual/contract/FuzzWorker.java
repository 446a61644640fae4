package io.punctual.contract;

import io.punctual.spi.Operation;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;

/** A thread that performs random operations on a few shared ids, in its own session. */
final class FuzzWorker implements Callable<FuzzLog> {
  private static final int CALLS = 400;

  private final TestPartition partition;
  private final Random random;
  private final RandomOperations operations;
  private final boolean leasesRunOut;
  private final FuzzLog log;

  /**
   * Creates a worker. If {@code leasesRunOut}, leases expire, and the worker cancels nothing. A
   * cancelled message vanishes when its lease expires, and the test could not distinguish it from a
   * lost message.
   */
  FuzzWorker(TestPartition partition, long seed, int index, boolean leasesRunOut) {
    this.partition = partition;
    this.random = new Random(seed * 31 + index);
    this.operations =
        new RandomOperations(partition, random, "worker-" + index, !leasesRunOut, false);
    this.leasesRunOut = leasesRunOut;
    this.log = new FuzzLog(partition.newSession());
  }

  @Override
  public FuzzLog call() {
    for (int i = 0; i < CALLS; i++) {
      switch (random.nextInt(10)) {
        case 0 -> partition.advance(Duration.ofNanos(random.nextInt(1_500) * 1000L));
        case 1, 2, 3 -> log.claim(1 + random.nextInt(3), leaseMillis()).forEach(operations::hold);
        default -> log.apply(operations.some(2).stream().map(this::withinMode).toList());
      }
    }
    return log;
  }

  private long leaseMillis() {
    return leasesRunOut ? operations.leaseMillis() : TestSession.LONG.toMillis();
  }

  private Operation withinMode(Operation operation) {
    return operation instanceof Operation.Extend extend && !leasesRunOut
        ? new Operation.Extend(extend.id(), extend.token(), TestSession.LONG.toMillis())
        : operation;
  }

  /** Replaces, claims and acknowledges all messages, so that the partition is empty. */
  static FuzzLog drain(TestPartition partition) {
    FuzzLog log = new FuzzLog(partition.newSession());
    log.apply(RandomOperations.replaceAll(partition));
    List<ClaimedMessage> all = log.claim(1000, TestSession.LONG.toMillis());
    log.apply(all.stream().map(one -> new Operation.Ack(one.id(), one.token())).toList());
    return log;
  }
}
