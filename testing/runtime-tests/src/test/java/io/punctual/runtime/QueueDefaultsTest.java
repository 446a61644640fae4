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
import java.util.concurrent.CompletableFuture;
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
  void workStagesAndWorkBatches_withoutOptions_haveTheDefaultsOfTheirQueue() {
    WorkerOptions options = ManualWorld.inline().retryPolicy(RetryPolicy.never()).build();
    try (ManualWorld world = new ManualWorld()) {
      Punctual punctual =
          Punctual.builder()
              .store(world.store)
              .timer(world.clock)
              .queueDefaults("stages", options)
              .queueDefaults("batches", options)
              .build();
      TimedQueue<String> stages = punctual.queue("stages", Codec.string());
      TimedQueue<String> batches = punctual.queue("batches", Codec.string());
      stages.schedule(Message.of("m").id("m"));
      batches.schedule(Message.of("m").id("m"));
      stages.workStages(
          delivery -> CompletableFuture.failedStage(new IllegalStateException("expected")));
      batches.workBatches(
          deliveries -> {
            throw new IllegalStateException("expected");
          });
      world.advance(Duration.ofMillis(10));
      assertThat(stages.counts().dead()).isEqualTo(1);
      assertThat(batches.counts().dead()).isEqualTo(1);
    }
  }

  @Test
  void queueDefaults_badName_isRefused() {
    PunctualBuilder builder = Punctual.builder();
    assertThatThrownBy(() -> builder.queueDefaults("a b", WorkerOptions.DEFAULT))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
