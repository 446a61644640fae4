package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.ClaimOptions;
import io.punctual.ClientClosedException;
import io.punctual.DeleteQueueOutcome;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the deletion of queues through a client, while other clients use them. */
class DeleteQueueTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void deleteQueue_livingProducerAndWorker_goOnAfterwards(int partitions) {
    try (ManualWorld world = new ManualWorld(partitions);
        Punctual other = world.client()) {
      List<String> handled = new ArrayList<>();
      Worker worker =
          world.queue.work(
              ManualWorld.inline().build(), delivery -> handled.add(delivery.payload()));
      for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 6; i++) {
          world.queue.schedule("m" + round + i, Duration.ofMillis(i));
        }
        world.advance(Duration.ofSeconds(2));
        assertThat(handled).hasSize(6 * (round + 1)).doesNotHaveDuplicates();
        assertThat(other.deleteQueue("orders")).isEqualTo(DeleteQueueOutcome.DELETED);
        assertThat(other.queues()).isEmpty();
      }
      worker.close();
    }
  }

  @Test
  void deleteQueue_holdsAMessage_isRefused() {
    try (ManualWorld world = new ManualWorld(3)) {
      assertThat(world.punctual.deleteQueue("orders")).isEqualTo(DeleteQueueOutcome.NOT_FOUND);
      world.queue.schedule(Message.of("a").id("a").dueIn(Duration.ofHours(1)));
      assertThat(world.punctual.deleteQueueAsync("orders").toCompletableFuture().join())
          .isEqualTo(DeleteQueueOutcome.NOT_EMPTY);
      assertThat(world.queue.find("a")).isPresent();
    }
  }

  @Test
  void purgeAndDeleteQueue_everyState_removesAll() {
    try (ManualWorld world = new ManualWorld(3)) {
      for (int i = 0; i < 20; i++) {
        world.queue.schedule("later", Duration.ofHours(1));
        world.queue.schedule("now", Duration.ZERO);
      }
      world.queue.claim(5, ClaimOptions.DEFAULT.lease(Duration.ofMinutes(1))).get(0).bury("why");
      assertThat(world.punctual.purgeAndDeleteQueue("orders"))
          .isEqualTo(DeleteQueueOutcome.DELETED);
      assertThat(world.punctual.queues()).isEmpty();
      assertThat(world.punctual.purgeAndDeleteQueue("orders"))
          .isEqualTo(DeleteQueueOutcome.NOT_FOUND);
    }
  }

  @Test
  void deleteQueue_badNameOrClosed_throws() {
    ManualWorld world = new ManualWorld();
    assertThatThrownBy(() -> world.punctual.deleteQueue(""))
        .isInstanceOf(IllegalArgumentException.class);
    world.close();
    assertThatThrownBy(() -> world.punctual.deleteQueue("orders"))
        .isInstanceOf(ClientClosedException.class);
  }
}
