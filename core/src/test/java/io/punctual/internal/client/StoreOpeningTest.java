package io.punctual.internal.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.StoreUnavailableException;
import io.punctual.spi.Store;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
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
    assertThat(loaderOfTheAttempt.get(20, TimeUnit.SECONDS)).isSameAs(ofAWar);
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
          await(goOn);
        });
    opening.start();
    await(received);
    CompletableFuture<Void> changed =
        CompletableFuture.runAsync(() -> opening.onFailure(failure -> {}));
    try {
      assertThat(changed).succeedsWithin(20, TimeUnit.SECONDS);
    } finally {
      goOn.countDown();
      opening.close();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(40, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
