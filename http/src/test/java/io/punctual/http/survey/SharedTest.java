package io.punctual.http.survey;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class SharedTest {
  /** A store that is slow already must not be asked once more each second. */
  @Test
  void answerThatIsStillBeingMade_isAskedForOnce() {
    AtomicLong nanos = new AtomicLong();
    Shared<String, String> shared = new Shared<>(nanos::get);
    CompletableFuture<String> slow = new CompletableFuture<>();
    AtomicInteger made = new AtomicInteger();
    for (int i = 0; i < 3; i++) {
      shared.get(
          "key",
          () -> {
            made.incrementAndGet();
            return slow;
          });
      nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
    }
    assertThat(made).hasValue(1);
  }
}
