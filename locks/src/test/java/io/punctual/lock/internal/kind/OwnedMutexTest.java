package io.punctual.lock.internal.kind;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.lock.LockHandle;
import io.punctual.lock.internal.attempt.ServerAcquisition;
import io.punctual.lock.internal.client.FailureTracker;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Tests when the result of an acquisition reaches the owner of a mutex. */
final class OwnedMutexTest {
  /** An attempt whose result the test sets. */
  private static final class Asked implements ServerAcquisition {
    private final CompletableFuture<Optional<LockHandle>> result = new CompletableFuture<>();

    @Override
    public CompletableFuture<Optional<LockHandle>> result() {
      return result;
    }

    @Override
    public FailureTracker failures() {
      return new FailureTracker();
    }

    @Override
    public boolean cancel() {
      return false;
    }
  }

  @Test
  void result_reachesTheOwner_afterTheMutexKnowsIt() {
    AtomicReference<CompletableFuture<?>> ofTheOwner = new AtomicReference<>();
    List<Boolean> reached = new ArrayList<>();
    OwnedMutex mutex = new OwnedMutex(gone -> reached.add(ofTheOwner.get().isDone()));
    Asked asked = new Asked();
    ofTheOwner.set(mutex.acquiredBy(asked));

    asked.result.complete(Optional.empty());

    assertThat(reached).as("otherwise the owner's next attempt would wait").containsExactly(false);
    assertThat(ofTheOwner.get()).isCompleted();
  }
}
