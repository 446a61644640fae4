package io.punctual.rabbitmq.delay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.NoOpMetricsCollector;
import io.punctual.Codec;
import io.punctual.OutcomeUnknownException;
import io.punctual.PunctualException;
import io.punctual.StoreUnavailableException;
import io.punctual.kit.fault.Direction;
import io.punctual.kit.fault.FaultProxy;
import io.punctual.kit.rabbitmq.RabbitBroker;
import io.punctual.rabbitmq.internal.Connector;
import io.punctual.rabbitmq.internal.Endpoint;
import java.nio.file.Path;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests connections to a broker that is silent, never confirms, or has a certificate that the
 * client does not trust, and errors on connections.
 */
final class RabbitConnectionsTest extends DelayQueueFixture {
  private static final Duration LONG = Duration.ofMinutes(1);

  @Test
  void open_amqpsWithACertificateThatIsNotTrusted_isRefused(@TempDir Path folder) throws Exception {
    try (TlsServer server = new TlsServer(folder)) {
      assertThatThrownBy(() -> RabbitDelayQueue.open(server.url(), name, Codec.string()))
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("SSLHandshakeException");
      assertThat(server.handshake()).failsWithin(Duration.ofSeconds(60));
    }
  }

  @Test
  void publish_brokerDoesNotAnswerANewConnection_failsSoonAfterTheTimeOut() {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", broker.port())) {
      // A publish that waited for a time-out of the factory would take ten minutes.
      int millis = (int) Duration.ofMinutes(10).toMillis();
      ConnectionFactory patient = RabbitBroker.connections(proxy.port());
      patient.setConnectionTimeout(millis);
      patient.setHandshakeTimeout(millis);
      patient.setChannelRpcTimeout(millis);
      RabbitDelayQueue<String> queue =
          open(
              RabbitDelayQueue.builder(patient, name, Codec.string())
                  .publishTimeout(Duration.ofSeconds(1)));
      proxy.blackHole();
      proxy.cut();
      CompletableFuture<Void> publishes =
          CompletableFuture.runAsync(
              () -> {
                // The first message may have been sent before the client noticed the cut.
                String unused = queue.publish("a", Duration.ZERO);
                unused = queue.publish("b", Duration.ZERO);
              });
      assertThat(publishes)
          .failsWithin(LONG)
          .withThrowableThat()
          .havingCause()
          .isInstanceOf(PunctualException.class);
      proxy.heal();
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .ignoreExceptionsInstanceOf(PunctualException.class)
          .until(() -> queue.publish("c", Duration.ZERO) != null);
    }
  }

  @Test
  void publish_brokerDoesNotRead_endsAtTheTimeOut_andTheCloseEnds() {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", broker.port())) {
      RabbitDelayQueue<String> queue =
          open(
              RabbitDelayQueue.builder(RabbitBroker.connections(proxy.port()), name, Codec.string())
                  .delayMethod(DelayMethod.LEVELS)
                  .publishTimeout(Duration.ofSeconds(1)));
      String unused = queue.publish("first", Duration.ZERO);
      proxy.bandwidth(Direction.TO_SERVER, 1);
      CompletableFuture<Void> publishes =
          CompletableFuture.runAsync(
              () -> {
                // The messages fill all buffers on the way, and then a write blocks.
                List<CompletableFuture<String>> confirmations = new ArrayList<>();
                for (int i = 0; i < 100; i++) {
                  confirmations.add(
                      queue
                          .publishAsync("x".repeat(1_000_000), Duration.ZERO)
                          .toCompletableFuture());
                }
                confirmations.forEach(CompletableFuture::join);
              });
      assertThat(publishes).failsWithin(Duration.ofSeconds(60));
      assertThat(CompletableFuture.runAsync(queue::close)).succeedsWithin(Duration.ofSeconds(60));
    }
  }

  @Test
  void worker_errorAtTheReconnect_connectsAgain() throws Exception {
    AtomicBoolean fails = new AtomicBoolean();
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", broker.port())) {
      ConnectionFactory factory = RabbitBroker.connections(proxy.port());
      factory.setSocketConfigurator(
          socket -> {
            if (fails.getAndSet(false)) {
              throw new OutOfMemoryError("A planned failure");
            }
          });
      RabbitDelayQueue<String> queue =
          open(
              RabbitDelayQueue.builder(factory, name, Codec.string())
                  .delayMethod(DelayMethod.LEVELS));
      BlockingQueue<String> received = new LinkedBlockingQueue<>();
      RabbitWorker unused = queue.work(delivery -> received.add(delivery.payload()));
      fails.set(true);
      proxy.cut();
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !fails.get());
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .ignoreExceptionsInstanceOf(PunctualException.class)
          .until(() -> queue.publish("a", Duration.ZERO) != null);
      assertThat(next(received)).isEqualTo("a");
    }
  }

  @Test
  void publish_brokerNeverConfirms_theConnectionIsReplacedAfterTheTimeOut() {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", broker.port())) {
      Publisher publisher =
          publisher(RabbitBroker.connections(proxy.port()), Duration.ofMillis(500));
      publisher.connect();
      assertThat(publisher.publish(message(Map.of()))).isNotNull();
      proxy.swallow(Direction.TO_CLIENT);
      assertThatThrownBy(() -> publisher.publish(message(Map.of())))
          .isInstanceOf(OutcomeUnknownException.class);
      proxy.heal();
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .ignoreExceptionsInstanceOf(PunctualException.class)
          .until(() -> publisher.publish(message(Map.of())) != null);
      publisher.close(Duration.ofSeconds(1));
    }
  }

  @Test
  void publish_errorInTheClient_theNextMessageIsConfirmed() {
    List<String> broken =
        new AbstractList<>() {
          @Override
          public String get(int index) {
            throw new OutOfMemoryError("A planned failure");
          }

          @Override
          public int size() {
            return 1;
          }
        };
    Publisher publisher = publisher(broker.connections(), LONG);
    publisher.connect();
    assertThatThrownBy(() -> publisher.publish(message(Map.of("broken", broken))))
        .isInstanceOf(OutOfMemoryError.class);
    DelayedMessage next = message(Map.of());
    assertThat(publisher.publish(next)).isEqualTo(next.id());
    publisher.close(LONG);
  }

  @Test
  void errorAfterTheConnect_theConnectionIsClosed() {
    FailingCollector collector = new FailingCollector();
    ConnectionFactory factory = broker.connections();
    factory.setMetricsCollector(collector);
    Connector connector = connector(factory);
    assertThatThrownBy(
            () ->
                ConsumerChannel.open(
                    connector, Connections.open(connector), name, 1, (to, message) -> {}))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(collector.connections).hasSize(1).noneMatch(Connection::isOpen);
    Publisher publisher = publisher(factory, LONG);
    publisher.connect();
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> collector.connections.stream().filter(each -> !each.isOpen()).count() > 1);
    publisher.close(LONG);
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> collector.connections.stream().noneMatch(Connection::isOpen));
  }

  /**
   * Throws an error when a connection opens its second channel. The first channel declares the
   * topology.
   */
  private static final class FailingCollector extends NoOpMetricsCollector {
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();

    @Override
    public void newChannel(Channel channel) {
      if (!connections.add(channel.getConnection())) {
        throw new OutOfMemoryError("A planned failure");
      }
    }
  }

  private Topology topology() {
    return new Topology(builder().levels(), QueueType.QUORUM, name, false);
  }

  private Connector connector(ConnectionFactory factory) {
    return new Connections(new Endpoint(name, factory, List.of(), LONG), topology())
        .connector(name);
  }

  private Publisher publisher(ConnectionFactory factory, Duration timeout) {
    return new Publisher(connector(factory), name, builder().levels(), timeout);
  }

  private DelayedMessage message(Map<String, Object> headers) {
    String id = UUID.randomUUID().toString();
    return new DelayedMessage(
        id,
        name,
        System.nanoTime(),
        new BasicProperties.Builder().messageId(id).headers(headers).build(),
        new byte[0]);
  }
}
