package io.punctual.lock.internal.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.StoreUnavailableException;
import io.punctual.lock.internal.hold.LockSession;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests a server of a quorum that is opened later. */
final class QuorumServerTest {
  private final AtomicInteger openings = new AtomicInteger();

  private LockSession away() {
    openings.incrementAndGet();
    throw new StoreUnavailableException("of the test", null);
  }

  @Test
  void opening_forWhichThereWasNoThread_isTriedAgain() {
    AtomicInteger tasks = new AtomicInteger();
    Executor threads =
        task -> {
          if (tasks.incrementAndGet() == 1) {
            throw new OutOfMemoryError("unable to create a thread (of the test)");
          }
          task.run();
        };
    QuorumServer server = QuorumServer.closed("s", this::away, threads, unchecked -> {});

    for (int i = 0; i < 2; i++) {
      CompletableFuture<Long> asked =
          QuorumVotes.ask(server, client -> CompletableFuture.completedFuture(1L));
      assertThat(asked).isCompletedExceptionally();
    }

    assertThat(openings).hasValue(1);
  }
}
