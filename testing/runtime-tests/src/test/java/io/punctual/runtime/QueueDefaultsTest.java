package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.PunctualBuilder;
import io.punctual.RetryPolicy;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tests options that a client keeps for a queue. */
class QueueDefaultsTest {
  @Test
  void work_withoutOptions_hasTheDefaultsOfItsQueue() {
    WorkerOptions options =
        ManualWorld.inline().retryPolicy(RetryPolicy.never()).lease(Duration.ofMinutes(7)).build();
    try (ManualWorld world = new ManualWorld()) {
      Punctual punctual =
          Punctual.builder()
              .store(world.store)
              .timer(world.clock)
              .queueDefaults("orders", options)
              .build();
      TimedQueue<String> queue = punctual.queue("orders", Codec.string());
      queue.schedule(Message.of("m").id("claimed"));
      Delivery<String> claimed = queue.claim(1, Duration.ZERO).get(0);
      assertThat(claimed.remaining()).isEqualTo(Duration.ofMinutes(7));
      claimed.ack();
      queue.schedule(Message.of("m").id("m"));
      queue.work(
          delivery -> {
            throw new IllegalStateException("expected");
          });
      world.advance(Duration.ofMillis(10));
      assertThat(queue.counts().dead()).isEqualTo(1);
    }
  }

  @Test
  void queueDefaults_badName_isRefused() {
    PunctualBuilder builder = Punctual.builder();
    assertThatThrownBy(() -> builder.queueDefaults("a b", WorkerOptions.DEFAULT))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
