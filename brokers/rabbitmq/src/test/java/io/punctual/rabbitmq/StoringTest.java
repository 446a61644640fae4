package io.punctual.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.Delivery;
import com.rabbitmq.client.Envelope;
import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.rabbitmq.internal.ConfirmedPublisher;
import io.punctual.rabbitmq.internal.Connector;
import io.punctual.rabbitmq.internal.Endpoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests that messages which can be neither stored nor moved delay no other message. */
final class StoringTest {
  private final Punctual punctual = Punctual.builder().url("memory:").payloadLimit(1_000).build();
  private final TimedQueue<byte[]> queue = punctual.queue("delayed", Codec.bytes());
  private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
  private final IntakeCounters counters = new IntakeCounters();
  private final IntakeTopology topology =
      new IntakeTopology("source", "fanout", "target", "direct", "intake", "classic");
  private final Storing storing =
      new Storing(
          new IntakeSettings(topology, true, 100, true),
          queue,
          closedPublisher(),
          new IntakeLog("intake", "delayed", topology),
          counters,
          new Storing.Loop() {
            @Override
            public void run(Arrival arrival, Runnable task) {
              tasks.add(task);
            }

            @Override
            public void storeIsClosed() {}
          });

  @AfterEach
  void close() {
    punctual.close();
  }

  /** Returns a publisher with which no message can be moved. */
  private static ConfirmedPublisher closedPublisher() {
    ConfirmedPublisher publisher =
        new ConfirmedPublisher(
            new Connector(
                "publisher",
                new Endpoint(
                    "publisher", new ConnectionFactory(), List.of(), Duration.ofSeconds(1))),
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
                return true;
              }
            });
    publisher.close();
    return publisher;
  }

  private static Arrival arrival(int number, int size) {
    Delivery delivery =
        new Delivery(
            new Envelope(number, false, "source", "key"),
            new AMQP.BasicProperties.Builder().messageId("m" + number).build(),
            new byte[size]);
    return new Arrival(null, delivery, OriginalMessage.of(delivery, "intake"), true);
  }

  private void runTask() throws InterruptedException {
    Runnable task = tasks.poll(60, TimeUnit.SECONDS);
    assertThat(task).isNotNull();
    task.run();
  }

  @Test
  void tenMessagesThatCanNotBeMoved_othersAreStoredMeanwhile() throws Exception {
    List<Arrival> poison = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      poison.add(arrival(i, 2_000));
    }
    for (Arrival each : poison) {
      storing.schedule(each);
      // The failure of the move.
      runTask();
    }
    assertThat(counters.stats().failed()).isEqualTo(10);
    // Nothing retries the poison in this time.
    for (int i = 100; i < 120; i++) {
      Arrival good = arrival(i, 10);
      storing.schedule(good);
      runTask();
      assertThat(good.isDone()).isTrue();
    }
    assertThat(counters.stats().stored()).isEqualTo(20);
    assertThat(poison).noneMatch(Arrival::isDone);
  }

  @Test
  void messageThatFailsAgain_waitsLongerEachTime() throws Exception {
    Arrival poison = arrival(1, 2_000);
    storing.schedule(poison);
    runTask();
    long second = TimeUnit.SECONDS.toNanos(1);
    long first = storing.retry(second);
    assertThat(first).isPositive().isLessThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(250));
    while (poison.moves().failures() < 3) {
      TimeUnit.NANOSECONDS.sleep(storing.retry(second));
      if (!tasks.isEmpty()) {
        runTask();
      }
    }
    assertThat(poison.moves().failures()).isEqualTo(3);
    assertThat(counters.stats().failed()).isEqualTo(1);
  }

  @Test
  void clear_forgetsTheRetries() throws Exception {
    storing.schedule(arrival(1, 2_000));
    runTask();
    storing.clear();
    assertThat(counters.stats().failed()).isZero();
    assertThat(storing.retry(1)).isEqualTo(1);
  }
}
