package io.punctual.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.ConnectionFactory;
import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.rabbitmq.internal.ConfirmedPublisher;
import io.punctual.rabbitmq.internal.Connector;
import io.punctual.rabbitmq.internal.Endpoint;
import io.punctual.rabbitmq.internal.Outgoing;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class ForwarderTest {
  private static final class NeverOver implements ConfirmedPublisher.Listener {
    @Override
    public void available() {}

    @Override
    public void unavailable(String blockedFor) {}

    @Override
    public boolean isOver() {
      return false;
    }
  }

  private static Endpoint endpoint() {
    return new Endpoint("test", new ConnectionFactory(), List.of(), Duration.ofSeconds(1));
  }

  @Test
  void workerClosed_messageThatWaitsForTheBroker_isNotPublishedLater() throws Exception {
    try (Punctual punctual = Punctual.open("memory:")) {
      TimedQueue<byte[]> queue = punctual.queue("due", Codec.bytes());
      // This publisher has not started, as if RabbitMQ blocked its connection.
      ConfirmedPublisher publisher =
          new ConfirmedPublisher(
              new Connector("test", endpoint()),
              queue.name(),
              Duration.ofMinutes(5),
              AMQP.BasicProperties::getMessageId,
              new NeverOver());
      CompletableFuture<Outgoing> outgoing = new CompletableFuture<>();
      Routes routes =
          delivery -> {
            Outgoing message =
                new Outgoing(
                    delivery.id(), "", "key", new AMQP.BasicProperties(), delivery.payload(), true);
            outgoing.complete(message);
            return message;
          };
      Worker worker = queue.workStages(WorkerOptions.DEFAULT, new Forwarder(routes, publisher));
      queue.schedule(Message.of(new byte[1]).id("m").dueIn(Duration.ZERO));
      Outgoing message = outgoing.get(60, TimeUnit.SECONDS);
      worker.close(Duration.ZERO);
      assertThat(queue.counts().ready()).isEqualTo(1);
      // The publishing thread skips messages whose futures have completed.
      assertThat(message.confirmed()).failsWithin(Duration.ofSeconds(60));
      assertThat(message.confirmed()).isCancelled();
    }
  }
}
