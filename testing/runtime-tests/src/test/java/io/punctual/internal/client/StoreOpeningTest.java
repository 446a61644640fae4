package io.punctual.internal.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.PunctualException;
import io.punctual.Startup;
import io.punctual.StoreUnavailableException;
import io.punctual.spi.Store;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class StoreOpeningTest {
  private final CompletableFuture<ClassLoader> loaderOfTheAttempt = new CompletableFuture<>();

  private Store notesItsLoader() {
    loaderOfTheAttempt.complete(Thread.currentThread().getContextClassLoader());
    throw new IllegalArgumentException("expected");
  }

  @Test
  void run_creatorHasALoaderOfItsOwn_storeIsOpenedWithIt() throws Exception {
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    ClassLoader ofAWar = new ClassLoader(before) {};
    Thread.currentThread().setContextClassLoader(ofAWar);
    try {
      new StoreOpening("test:", this::notesItsLoader).start();
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
    assertThat(loaderOfTheAttempt.get(60, TimeUnit.SECONDS)).isSameAs(ofAWar);
  }

  private static Store isAway() {
    throw new StoreUnavailableException("expected", null);
  }

  @Test
  void failed_receiverBlocks_openingCanStillBeAskedAndChanged() throws Exception {
    StoreOpening opening = new StoreOpening("test:", StoreOpeningTest::isAway);
    CountDownLatch received = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    opening.onFailure(
        failure -> {
          received.countDown();
          waitFor(goOn);
        });
    opening.start();
    waitFor(received);
    CompletableFuture<Void> changed =
        CompletableFuture.runAsync(() -> opening.onFailure(failure -> {}));
    try {
      assertThat(changed).succeedsWithin(60, TimeUnit.SECONDS);
    } finally {
      goOn.countDown();
      opening.close();
    }
  }

  private static void waitFor(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Opens stores, and counts the stores that are still open. */
  private static final class Opener {
    private final AtomicInteger open = new AtomicInteger();

    /**
     * Opens a store, and closes it if the opening succeeds. The attempt to open the store first
     * runs {@code before}.
     */
    void open(Runnable before, Duration timeout) {
      try {
        OpeningRule.open("test:", () -> opened(before), Startup.WAIT, timeout).close();
      } catch (PunctualException timedOutOrInterrupted) {
        assertThat(timedOutOrInterrupted).hasMessageContaining("test:");
      }
    }

    private Store opened(Runnable before) {
      before.run();
      open.incrementAndGet();
      return (Store)
          Proxy.newProxyInstance(
              Store.class.getClassLoader(),
              new Class<?>[] {Store.class},
              (proxy, method, arguments) -> open.decrementAndGet() < 0 ? -1 : null);
    }

    void assertAllClosed() {
      await().until(() -> open.get() == 0);
    }
  }

  private static void spinUntil(long nanos) {
    while (System.nanoTime() - nanos < 0) {
      Thread.onSpinWait();
    }
  }

  @Test
  void open_storesOpenWhileTheTimeoutEnds_areReturnedOrClosed() {
    Opener opener = new Opener();
    for (int round = 0; round < 500; round++) {
      long opensNanos = System.nanoTime() + 300_000;
      opener.open(() -> spinUntil(opensNanos), Duration.ofNanos(300_000));
    }
    opener.assertAllClosed();
  }

  @Test
  void open_storesOpenWhileTheCallerIsInterrupted_areReturnedOrClosed() {
    Thread caller = Thread.currentThread();
    Opener opener = new Opener();
    for (int round = 0; round < 200; round++) {
      opener.open(caller::interrupt, Duration.ofMinutes(1));
      assertThat(Thread.interrupted()).isTrue();
    }
    opener.assertAllClosed();
  }
}
