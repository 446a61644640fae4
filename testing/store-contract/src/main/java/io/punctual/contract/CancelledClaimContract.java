package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.ClaimOptions;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.SettleOutcome;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A caller that cancels its claim has the message, or the queue has it at once. */
interface CancelledClaimContract {
  @Test
  default void claim_cancelledWhileAMessageArrives_isWithTheCallerOrBackInTheQueue(
      TestPartition partition) {
    TwoProcesses.run(
        partition,
        (queue, other) -> {
          ClaimOptions options =
              ClaimOptions.DEFAULT.lease(Duration.ofHours(1)).maxWait(Duration.ofMinutes(1));
          for (int round = 0; round < 20; round++) {
            CompletableFuture<List<Delivery<String>>> claim =
                queue.async().claim(1, options).toCompletableFuture();
            String id = "m" + round;
            other.schedule(Message.of("x").id(id));
            for (int spins = round * 20; spins > 0 && !claim.isDone(); spins--) {
              Thread.onSpinWait();
            }
            partition.advance(Duration.ofMillis(round % 3));
            claim.cancel(false);
            partition.advance(Duration.ofMillis(2));
            // A message of the cancelled claim is back long before the end of its lease of an hour.
            Delivery<String> delivery =
                claim.isCancelled() ? other.claim(1, options).get(0) : claim.join().get(0);
            assertThat(delivery.id()).isEqualTo(id);
            assertThat(delivery.attempt()).isEqualTo(1);
            assertThat(delivery.ack()).isEqualTo(SettleOutcome.DONE);
          }
        });
  }
}
