package io.punctual.rabbitmq.delay;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Command;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.TrafficListener;
import io.punctual.Codec;
import io.punctual.RetryPolicy;
import io.punctual.WorkerOptions;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests failures that keep a worker from settling a message. */
class RabbitWorkerErrorsTest extends DelayQueueFixture {
  private static final WorkerOptions ONE_BY_ONE = RETRY_SOON.toBuilder().concurrency(1).build();

  private static final class Unprintable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new IllegalStateException("no words");
    }
  }

  @Test
  void handlerThrows_failureCannotBePrinted_isRetriedAndBecomesADeadLetter() throws Exception {
    RabbitDelayQueue<String> queue = open();
    BlockingQueue<Received> received = new LinkedBlockingQueue<>();
    RabbitWorker unused =
        queue.work(
            ONE_BY_ONE.toBuilder().retryPolicy(RetryPolicy.fixed(SOON).maxAttempts(2)).build(),
            delivery -> {
              received.add(Received.of(delivery));
              throw new Unprintable();
            });
    String unusedId = queue.publish("x", Duration.ZERO);
    assertThat(next(received).attempt()).isEqualTo(1);
    assertThat(next(received).attempt()).isEqualTo(2);
    Map<String, Object> headers = awaitDeadLetter(queue).getProps().getHeaders();
    assertThat(headers.get(Headers.DEAD_REASON)).hasToString("FAILED");
    assertThat(headers.get(Headers.DEAD_DETAIL)).hasToString(Unprintable.class.getName());
  }

  /** Throws an error once, before a command of an armed type is written. */
  private static final class FailingWrites implements TrafficListener {
    private final AtomicReference<Class<?>> armed = new AtomicReference<>();
    private volatile boolean failsNack;

    @Override
    public void write(Command command) {
      Class<?> type = armed.get();
      if (type != null && type.isInstance(command.getMethod())) {
        armed.set(failsNack ? AMQP.Basic.Nack.class : null);
        failsNack = false;
        throw new OutOfMemoryError("A planned failure");
      }
    }

    @Override
    public void read(Command command) {}
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void errorWhileTheRetryIsPublished_messageIsDeliveredAgainAfterAPause(boolean failsNack)
      throws Exception {
    FailingWrites writes = new FailingWrites();
    AtomicBoolean isFirst = new AtomicBoolean(true);
    ConnectionFactory factory = broker.connections();
    factory.setTrafficListener(writes);
    RabbitDelayQueue<String> queue =
        open(
            RabbitDelayQueue.builder(factory, name, Codec.string())
                .delayMethod(DelayMethod.LEVELS)
                .grain(Duration.ofMillis(100)));
    BlockingQueue<Received> received = new LinkedBlockingQueue<>();
    RabbitWorker unused =
        queue.work(
            ONE_BY_ONE,
            delivery -> {
              received.add(Received.of(delivery));
              if (isFirst.getAndSet(false)) {
                writes.failsNack = failsNack;
                writes.armed.set(AMQP.Basic.Publish.class);
                throw new IllegalStateException("A planned failure");
              }
            });
    String unusedId = queue.publish("x", Duration.ZERO);
    long first = next(received).nanos();
    Received second = next(received);
    assertThat(second.payload()).isEqualTo("x");
    assertThat(second.nanos() - first).isGreaterThan(Duration.ofSeconds(1).toNanos());
  }
}
