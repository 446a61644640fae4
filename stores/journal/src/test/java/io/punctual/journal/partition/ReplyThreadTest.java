package io.punctual.journal.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Callbacks of users on the thread for replies must not harm the thread. */
final class ReplyThreadTest {
  private final ReplyThread replies = new ReplyThread("punctual-journal-replies");

  @Test
  void execute_callbackInterruptsItself_threadParksAfterIt() throws Exception {
    replies.start();
    CompletableFuture<Thread> thread = new CompletableFuture<>();
    replies.execute(
        () -> {
          Thread.currentThread().interrupt();
          thread.complete(Thread.currentThread());
        });

    Thread ofReplies = thread.get(30, TimeUnit.SECONDS);
    await().atMost(Duration.ofMinutes(1)).until(() -> ofReplies.getState() == Thread.State.WAITING);
    assertThat(ofReplies.isInterrupted()).isFalse();
    replies.stop();
  }

  @Test
  void execute_callbackAndTheLoggerThrow_nextReplyRuns() throws Exception {
    replies.start();
    CompletableFuture<Thread> thread = new CompletableFuture<>();
    replies.execute(
        () -> {
          throw new UnprintableException();
        });

    replies.execute(() -> thread.complete(Thread.currentThread()));

    assertThat(thread.get(30, TimeUnit.SECONDS).getName()).isEqualTo("punctual-journal-replies");
    replies.stop();
  }

  private static final class UnprintableException extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public String getMessage() {
      throw new OutOfMemoryError("seeded failure of the logger");
    }
  }

  @Test
  void execute_afterTheEnd_runsOnTheThreadOfTheCaller() throws Exception {
    replies.start();
    CompletableFuture<Thread> thread = new CompletableFuture<>();
    replies.execute(() -> thread.complete(Thread.currentThread()));
    replies.stop();
    thread.get(30, TimeUnit.SECONDS).join();
    CompletableFuture<Thread> later = new CompletableFuture<>();

    replies.execute(() -> later.complete(Thread.currentThread()));

    assertThat(later.getNow(null)).isSameAs(Thread.currentThread());
  }
}
