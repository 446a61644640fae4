package io.punctual.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.ClientClosedException;
import io.punctual.Punctual;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests asynchronous look-ups that fail. */
class PunctualQueuesTest {
  @Test
  void getAsync_ofAClosedClient_failsTheStage() {
    Punctual punctual = Punctual.open("memory:");
    PunctualQueues queues = new PunctualQueues(punctual, PunctualCodecs.standard());
    punctual.close();
    assertThat(queues.getAsync("orders", String.class).toCompletableFuture())
        .failsWithin(60, TimeUnit.SECONDS)
        .withThrowableThat()
        .withCauseInstanceOf(ClientClosedException.class);
  }

  @Test
  void getAsync_withoutACodec_failsTheStage() {
    try (Punctual punctual = Punctual.open("memory:")) {
      PunctualQueues queues = new PunctualQueues(punctual, PlainCodecs.INSTANCE);
      assertThat(queues.getAsync("orders", Integer.class).toCompletableFuture())
          .failsWithin(60, TimeUnit.SECONDS)
          .withThrowableThat()
          .withCauseInstanceOf(IllegalArgumentException.class);
    }
  }
}
