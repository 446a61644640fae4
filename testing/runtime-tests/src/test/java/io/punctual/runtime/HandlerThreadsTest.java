package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.kit.process.JavaProcess;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the threads that a worker makes for its handlers. */
class HandlerThreadsTest {
  private static final int BOUND_SECONDS = 60;

  /**
   * A program that handles a message, and returns from {@code main} while its worker and client are
   * open.
   */
  static final class LeavesMain {
    private LeavesMain() {}

    public static void main(String[] args) throws InterruptedException {
      Punctual punctual = Punctual.open("memory:");
      TimedQueue<String> queue = punctual.queue("orders", Codec.string());
      CountDownLatch handled = new CountDownLatch(1);
      WorkerOptions options =
          WorkerOptions.builder().threads(WorkerOptions.Threads.valueOf(args[0])).build();
      queue.work(options, delivery -> handled.countDown());
      queue.schedule("a", Duration.ZERO);
      if (!handled.await(BOUND_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError("no message came");
      }
      System.out.println("leaving main");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"AUTO", "PLATFORM"})
  void work_mainEnds_startedWorkerDoesNotKeepTheJvmAlive(WorkerOptions.Threads threads) {
    try (JavaProcess process = JavaProcess.of(LeavesMain.class).arguments(threads.name()).start()) {
      process.expectSuccess();
      assertThat(process.hasLine("leaving main")).isTrue();
    }
  }

  @Test
  void work_platformThreads_handlerRunsOnADaemonThatIsNotVirtual() throws Exception {
    try (Punctual punctual = Punctual.open("memory:")) {
      TimedQueue<String> queue = punctual.queue("orders", Codec.string());
      CompletableFuture<Thread> thread = new CompletableFuture<>();
      queue.work(
          WorkerOptions.builder().threads(WorkerOptions.Threads.PLATFORM).build(),
          delivery -> thread.complete(Thread.currentThread()));
      queue.schedule("a", Duration.ZERO);

      Thread used = thread.get(BOUND_SECONDS, TimeUnit.SECONDS);

      // Virtual threads are daemons too, but have a different class.
      assertThat(used.getClass()).isEqualTo(Thread.class);
      assertThat(used.isDaemon()).isTrue();
      assertThat(used.getName()).startsWith("punctual-orders-");
    }
  }
}
