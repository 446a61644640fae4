package io.punctual.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import io.punctual.ClaimOptions;
import io.punctual.Delivery;
import io.punctual.Due;
import io.punctual.State;
import io.punctual.rabbitmq.internal.ConfirmedPublisher;
import io.punctual.rabbitmq.internal.Connector;
import io.punctual.rabbitmq.internal.Endpoint;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests a message that a consumer sends again when it has received it, for example to check an
 * order once more in a second, while the store still has the first message. No bridge runs, so that
 * the test itself decides when the first message is acked.
 */
final class IntakeSuccessorTest extends IntakeFixture {
  private static final int HOUR = 3_600_000;

  private IntakeLoop loop;

  @BeforeEach
  void startLoop() throws Exception {
    Endpoint endpoint =
        new Endpoint("intake", broker.connections(), List.of(), Duration.ofMinutes(1));
    IntakeTopology topology =
        new IntakeTopology(source, "fanout", target, "direct", source + ".intake", "classic");
    Connector connector =
        new Connector("intake", endpoint, topology::declare, new CallerExecutor());
    ConfirmedPublisher publisher =
        new ConfirmedPublisher(
            new Connector("publisher", endpoint),
            "delayed",
            Duration.ofMinutes(1),
            AMQP.BasicProperties::getMessageId,
            new ConfirmedPublisher.Listener() {
              @Override
              public void available() {}

              @Override
              public void unavailable(String blockedFor) {}

              @Override
              public boolean isOver() {
                return false;
              }
            });
    loop =
        new IntakeLoop(
            new IntakeSettings(topology, true, 100, true),
            queue,
            connector,
            publisher,
            new IntakeLog("intake", queue.name(), topology));
    loop.start(connector.connectOnce());
  }

  @AfterEach
  void closeLoop() {
    loop.beginClose(Duration.ZERO);
    loop.awaitClose();
  }

  /** Sends a message, makes it due, and receives it as the bridge does. */
  private Delivery<byte[]> receive() throws Exception {
    publish("key", delayed(HOUR).messageId("order-1").build(), "check");
    Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> queue.find("order-1").isPresent());
    queue.reschedule("order-1", Due.now());
    return queue
        .claim(1, ClaimOptions.DEFAULT.lease(Duration.ofMinutes(5)).maxWait(Duration.ofMinutes(1)))
        .get(0);
  }

  private void awaitStored(long count) {
    awaitCount(() -> loop.stats().stored(), count);
  }

  @Test
  void sentAgainBeforeTheAck_isStoredAfterTheAck_underItsId() throws Exception {
    Delivery<byte[]> first = receive();
    publish("key", delayed(HOUR).messageId("order-1").build(), "check");
    awaitCount(() -> loop.stats().unacked(), 1);
    first.ack();
    awaitStored(2);
    // A machine that pauses for a second makes the intake choose a longer id.
    if (loop.stats().renamed() == 0) {
      assertThat(queue.find("order-1").orElseThrow().state()).isEqualTo(State.SCHEDULED);
    }
    assertThat(queue.counts().scheduled()).isEqualTo(1);
    assertThat(loop.stats().duplicates()).isZero();
  }

  @Test
  void sentAgainAndTheAckDoesNotCome_isStoredUnderALongerId() throws Exception {
    Delivery<byte[]> first = receive();
    publish("key", delayed(HOUR).messageId("order-1").build(), "check");
    awaitStored(2);
    assertThat(loop.stats().renamed()).isEqualTo(1);
    assertThat(queue.counts().scheduled()).isEqualTo(1);
    assertThat(queue.counts().leased()).isEqualTo(1);
    first.ack();
  }

  /** The confirmation of RabbitMQ can get lost: the message returns, and is published again. */
  @Test
  void sentAgainAndTheFirstMessageReturns_isStoredUnderALongerId() throws Exception {
    Delivery<byte[]> first = receive();
    publish("key", delayed(HOUR).messageId("order-1").build(), "check");
    awaitCount(() -> loop.stats().unacked(), 1);
    first.release();
    awaitStored(2);
    assertThat(queue.counts().scheduled() + queue.counts().ready()).isEqualTo(2);
    assertThat(loop.stats().duplicates()).isZero();
  }
}
