package io.punctual.lock.internal.kind;

import io.punctual.lock.DistributedLock;
import io.punctual.lock.internal.attempt.AbstractLock;
import io.punctual.lock.internal.attempt.PendingAcquisition;
import io.punctual.lock.internal.client.LockClient;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Several mutexes that are acquired together: all or none. Every client acquires them in the order
 * of their names, so two attempts never wait for each other. Immutable.
 */
public final class MultiLock extends AbstractLock {
  private final LockClient client;
  private final List<MutexLock> locks;

  /** Creates a lock of these mutexes, which must be sorted by name. */
  public MultiLock(LockClient client, List<MutexLock> locks) {
    super(locks.stream().map(MutexLock::name).collect(Collectors.joining(",")), client.executor());
    this.client = client;
    this.locks = locks;
  }

  @Override
  public PendingAcquisition ask(long waitNanos) {
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
