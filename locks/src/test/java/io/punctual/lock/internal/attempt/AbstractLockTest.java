package io.punctual.lock.internal.attempt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.lock.DistributedLock;
import io.punctual.lock.LockHandle;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Tests errors while a thread waits for an attempt, as they occur when memory is short. */
final class AbstractLockTest {
  private boolean isGivenUp;

  /** An attempt for which no thread, and no callback, can wait. */
  private final class Attempt implements PendingAcquisition {
    @Override
    public CompletableFuture<Optional<LockHandle>> result() {
      return new CompletableFuture<>() {
        @Override
        public Optional<LockHandle> get() {
          throw new OutOfMemoryError("of the test");
        }

        @Override
        public <U> CompletableFuture<U> newIncompleteFuture() {
          throw new OutOfMemoryError("of the test");
        }
      };
    }

    @Override
    public boolean cancel() {
      isGivenUp = true;
      return true;
    }
  }

  private final AbstractLock lock =
      new AbstractLock("a", Runnable::run) {
        @Override
        public PendingAcquisition ask(long waitNanos) {
          return new Attempt();
        }

        @Override
        public DistributedLock withLease(Duration lease) {
          return this;
        }

        @Override
        public DistributedLock withReplicas(int replicas) {
          return this;
        }

        @Override
        public DistributedLock withAllReplicas() {
          return this;
        }
      };

  private void assertGivesUp(ThrowingCallable call) {
    isGivenUp = false;
    assertThatThrownBy(call).isInstanceOf(OutOfMemoryError.class);
    assertThat(isGivenUp).isTrue();
  }

  @Test
  void threadThatCanNotWait_givesTheAttemptUp() {
    assertGivesUp(lock::acquire);
    assertGivesUp(lock::acquireUninterruptibly);
    assertGivesUp(lock::tryAcquire);
    assertGivesUp(() -> lock.tryAcquire(Duration.ofSeconds(1)));
  }

  @Test
  void futureThatCanNotBeReturned_givesTheAttemptUp() {
    assertGivesUp(lock::acquireAsync);
    assertGivesUp(() -> lock.tryAcquireAsync(Duration.ofSeconds(1)));
  }
}
