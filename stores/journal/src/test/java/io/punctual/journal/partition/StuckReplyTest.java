package io.punctual.journal.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A callback that waits for the close of its journal, for example in {@code System.exit}. */
@Timeout(60)
class StuckReplyTest {
  private final List<String> completed = new CopyOnWriteArrayList<>();

  @Test
  void callbackStaysInTheThread_otherThreadsCompleteTheReplies() throws Exception {
    ReplyThread replies = new ReplyThread("replies");
    CountDownLatch stuck = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    replies.start();
    replies.execute(
        () -> {
          stuck.countDown();
          awaitQuietly(release);
          completed.add("stuck");
        });
    stuck.await();
    replies.execute(() -> completed.add("waiting"));
    replies.leaveToOthersIfStuck(Duration.ofMillis(1));
    replies.execute(() -> completed.add("later"));
    assertThat(completed).containsExactly("waiting", "later");
    release.countDown();
    replies.stop();
  }

  @Test
  void threadIsIdle_keepsTheReplies() throws Exception {
    ReplyThread replies = new ReplyThread("replies");
    replies.start();
    CountDownLatch first = new CountDownLatch(1);
    replies.execute(first::countDown);
    first.await();
    replies.leaveToOthersIfStuck(Duration.ofMinutes(10));
    CountDownLatch second = new CountDownLatch(1);
    replies.execute(
        () -> {
          completed.add(Thread.currentThread().getName());
          second.countDown();
        });
    second.await();
    assertThat(completed).containsExactly("replies");
    replies.stop();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
