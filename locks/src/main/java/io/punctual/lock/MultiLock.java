package io.punctual.lock;

import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Several mutexes, all or none. They are acquired one after the other in the order of their names,
 * the same for everybody, so two attempts never wait for each other. Immutable.
 */
final class MultiLock extends AbstractLock {
  private final LockClient client;
  private final List<MutexLock> locks;

  /** Creates one of these, which are in order. */
  MultiLock(LockClient client, List<MutexLock> locks) {
    super(locks.stream().map(MutexLock::name).collect(Collectors.joining(",")), client.executor());
    this.client = client;
    this.locks = locks;
  }

  @Override
  Pending ask(long waitNanos) {
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
