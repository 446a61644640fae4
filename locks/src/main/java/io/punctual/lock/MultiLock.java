package io.punctual.lock;

import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Several mutexes that are acquired together: all or none. Every client acquires them in the order
 * of their names, so two attempts never wait for each other. Immutable.
 */
final class MultiLock extends AbstractLock {
  private final LockClient client;
  private final List<MutexLock> locks;

  /** Creates a lock of these mutexes, which must be sorted by name. */
  MultiLock(LockClient client, List<MutexLock> locks) {
    super(locks.stream().map(MutexLock::name).collect(Collectors.joining(",")), client.executor());
    this.client = client;
    this.locks = locks;
  }

  @Override
  PendingAcquisition ask(long waitNanos) {
    return MultiAcquisition.start(client, locks, waitNanos);
  }

  @Override
  public DistributedLock withLease(Duration lease) {
    return with(lock -> lock.withLease(lease));
  }

  @Override
  public DistributedLock withReplicas(int replicas) {
    return with(lock -> lock.withReplicas(replicas));
  }

  @Override
  public DistributedLock withAllReplicas() {
    return with(MutexLock::withAllReplicas);
  }

  private MultiLock with(UnaryOperator<MutexLock> change) {
    return new MultiLock(client, locks.stream().map(change).toList());
  }
}
