package io.punctual.rabbitmq.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.punctual.kit.fault.Direction;
import io.punctual.kit.fault.FaultProxy;
import io.punctual.kit.rabbitmq.RabbitBroker;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class ConfirmedPublisherTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private final RabbitBroker broker = RabbitBroker.shared();

  /** A listener that fails at the start and the end of the first connection if it has failures. */
  private static final class Listener implements ConfirmedPublisher.Listener {
    private final AtomicInteger connections = new AtomicInteger();
    private final Runnable first;
    private final Runnable end;

    Listener(Runnable first) {
      this(first, () -> {});
    }

    Listener(Runnable first, Runnable end) {
      this.first = first;
      this.end = end;
    }

    @Override
    public void available() {
      if (connections.getAndIncrement() == 0) {
        first.run();
      }
    }

    @Override
    public void unavailable(String blockedFor) {
      if (connections.get() == 1) {
        end.run();
      }
    }

    @Override
    public boolean isOver() {
      return false;
    }
  }

  private static ConfirmedPublisher publisher(
      ConnectionFactory factory, Duration confirmTimeout, Listener listener) {
    return publisher(new Connector("test", endpoint(factory)), confirmTimeout, listener);
  }

  private static Endpoint endpoint(ConnectionFactory factory) {
    return new Endpoint("test", factory, List.of(), LONG);
  }

  private static ConfirmedPublisher publisher(
      Connector connector, Duration confirmTimeout, Listener listener) {
    return new ConfirmedPublisher(
        connector, "due", confirmTimeout, AMQP.BasicProperties::getMessageId, listener);
  }

  private static Outgoing message(String exchange, String key, byte[] body) {
    AMQP.BasicProperties properties = new AMQP.BasicProperties.Builder().messageId("id").build();
    return new Outgoing("id", exchange, key, properties, body, true);
  }

  private void declare(String queue) throws Exception {
    try (Connection connection = broker.connections().newConnection();
        Channel channel = connection.createChannel()) {
      channel.queueDeclare(queue, true, false, false, null);
    }
  }

  private void assertPublishes(String queue, ConnectionFactory factory, Listener listener)
      throws Exception {
    declare(queue);
    ConfirmedPublisher publisher = publisher(factory, LONG, listener);
    publisher.start(null);
    try {
      Outgoing message = message("", queue, new byte[] {1});
      publisher.publish(message);
      Void unused = message.confirmed().get(60, TimeUnit.SECONDS);
    } finally {
      publisher.close();
    }
  }

  @Test
  void unexpectedExceptionOnThePublishingThread_doesNotEndThePublisher() throws Exception {
    Listener listener =
        new Listener(
            () -> {
              throw new IllegalStateException("A planned failure");
            });
    assertPublishes("publisher-after-exception", broker.connections(), listener);
    assertThat(listener.connections).hasValue(2);
  }

  @Test
  void errorOnThePublishingThread_doesNotEndThePublisher() throws Exception {
    Listener listener =
        new Listener(
            () -> {
              throw new OutOfMemoryError("A planned failure");
            });
    assertPublishes("publisher-after-error", broker.connections(), listener);
    assertThat(listener.connections).hasValue(2);
  }

  @Test
  void errorInTheCleanUpOfAConnection_doesNotEndThePublisher() throws Exception {
    ConnectionFactory factory = broker.connections();
    List<Socket> sockets = new CopyOnWriteArrayList<>();
    factory.setSocketConfigurator(sockets::add);
    Listener listener =
        new Listener(
            () -> {
              throw new IllegalStateException("A planned failure");
            },
            () -> {
              throw new OutOfMemoryError("A planned failure");
            });
    assertPublishes("publisher-after-clean-up", factory, listener);
    assertThat(listener.connections).hasValue(2);
    assertThat(sockets).hasSizeGreaterThan(1);
    assertThat(sockets.get(0).isClosed()).isTrue();
  }

  @Test
  void errorWhileConnecting_doesNotEndThePublisher() throws Exception {
    ConnectionFactory factory = broker.connections();
    AtomicInteger sockets = new AtomicInteger();
    factory.setSocketConfigurator(
        socket -> {
          if (sockets.getAndIncrement() == 0) {
            throw new OutOfMemoryError("A planned failure");
          }
        });
    assertPublishes("publisher-after-socket", factory, new Listener(() -> {}));
    assertThat(sockets).hasValue(2);
  }

  @Test
  @Tag("extended")
  void channelClosed_messageThatWasGivenUpIsAtFault_otherMessageArrives() throws Exception {
    String queue = "publisher-given-up";
    declare(queue);
    Listener listener = new Listener(() -> {});
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", broker.port())) {
      ConfirmedPublisher publisher =
          publisher(RabbitBroker.connections(proxy.port()), LONG, listener);
      publisher.start(null);
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(publisher::isConnected);
      // The close of the channel arrives after the second message was sent.
      proxy.delay(Direction.TO_CLIENT, Duration.ofSeconds(3));
      Outgoing bad = message("no-such-exchange", "", new byte[100]);
      send(publisher, bad, proxy);
      Outgoing good = message("", queue, new byte[100]);
      send(publisher, good, proxy);
      assertThat(bad.confirmed().cancel(false)).isTrue();
      Void unused = good.confirmed().get(60, TimeUnit.SECONDS);
      publisher.close();
    }
  }

  /** Publishes a message, and waits until it has passed the proxy. */
  private static void send(ConfirmedPublisher publisher, Outgoing message, FaultProxy proxy) {
    long before = proxy.passedBytes(Direction.TO_SERVER);
    publisher.publish(message);
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> proxy.passedBytes(Direction.TO_SERVER) >= before + 100);
  }

  @Test
  void channelClosedByABadMessage_goodMessagesArePublishedAgain_andOnlyTheBadMessageFails()
      throws Exception {
    String queue = "publisher-isolate";
    declare(queue);
    ConfirmedPublisher publisher = publisher(broker.connections(), LONG, new Listener(() -> {}));
    List<Outgoing> good = new ArrayList<>();
    Outgoing bad = message("no-such-exchange", "", new byte[1]);
    for (int i = 0; i < 20; i++) {
      good.add(message("", queue, new byte[1]));
      publisher.publish(good.get(i));
      if (i == 10) {
        publisher.publish(bad);
      }
    }
    publisher.start(null);
    for (Outgoing message : good) {
      Void unused = message.confirmed().get(60, TimeUnit.SECONDS);
    }
    assertThat(bad.confirmed())
        .failsWithin(LONG)
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(UnconfirmedException.class)
        .withMessageContaining("NOT_FOUND");
    publisher.close();
  }

  @Test
  void exchangeDeleted_connectionIsPreparedAgain_andTheNextMessageArrives() throws Exception {
    String exchange = "publisher-prepares";
    AtomicInteger prepared = new AtomicInteger();
    Connector connector =
        new Connector(
            "test",
            endpoint(broker.connections()),
            connection -> {
              prepared.incrementAndGet();
              try (Channel channel = connection.createChannel()) {
                channel.exchangeDeclare(exchange, "fanout");
              }
            },
            null);
    ConfirmedPublisher publisher = publisher(connector, LONG, new Listener(() -> {}));
    publisher.start(null);
    Awaitility.await().atMost(Duration.ofMinutes(1)).until(publisher::isConnected);
    try (Connection connection = broker.connections().newConnection();
        Channel channel = connection.createChannel()) {
      var unused = channel.exchangeDelete(exchange);
    }
    Outgoing lost = unrouted(exchange);
    publisher.publish(lost);
    assertThat(lost.confirmed()).failsWithin(LONG);
    Outgoing next = unrouted(exchange);
    publisher.publish(next);
    assertThat(next.confirmed()).succeedsWithin(LONG);
    assertThat(prepared).hasValue(2);
    publisher.close();
  }

  private static Outgoing unrouted(String exchange) {
    return new Outgoing("id", exchange, "", new AMQP.BasicProperties(), new byte[1], false);
  }

  @Test
  void brokerDoesNotReadAMessage_socketIsBrokenAtTheTimeOut_andTheNextMessageArrives()
      throws Exception {
    String queue = "publisher-blocked-write";
    declare(queue);
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", broker.port())) {
      Listener listener = new Listener(() -> {});
      ConfirmedPublisher publisher =
          publisher(RabbitBroker.connections(proxy.port()), Duration.ofSeconds(2), listener);
      publisher.start(null);
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(publisher::isConnected);
      // The confirmation arrives while the next write is blocked, so the broker is not silent.
      proxy.delay(Direction.TO_CLIENT, Duration.ofSeconds(1));
      send(publisher, message("", queue, new byte[100]), proxy);
      proxy.bandwidth(Direction.TO_SERVER, 1);
      // The message fills all buffers on the way, and then its write blocks.
      Outgoing large = message("", queue, new byte[60_000_000]);
      publisher.publish(large);
      assertThat(large.confirmed()).failsWithin(LONG);
      assertThat(large.wasSent()).isTrue();
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !publisher.isConnected());
      proxy.heal();
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .until(
              () -> {
                Outgoing next = message("", queue, new byte[1]);
                publisher.publish(next);
                return next.confirmed().handle((done, failure) -> failure == null).get();
              });
      publisher.close();
    }
  }

  @Test
  void returnedMessagesBesideOthersWithTheSameId_onlyTheyFail() throws Exception {
    String queue = "publisher-same-ids";
    declare(queue);
    AMQP.BasicProperties stored =
        new AMQP.BasicProperties.Builder().messageId("id").deliveryMode(2).build();
    ConfirmedPublisher publisher = publisher(broker.connections(), LONG, new Listener(() -> {}));
    List<Outgoing> lost = new ArrayList<>();
    List<Outgoing> routed = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      // RabbitMQ confirms it later, often together with the confirmation of a returned message.
      Outgoing routable = new Outgoing("id", "", queue, stored, new byte[100], true);
      publisher.publish(routable);
      routed.add(routable);
      Outgoing unroutable = message("", "publisher-no-such-queue", new byte[1]);
      publisher.publish(unroutable);
      lost.add(unroutable);
    }
    publisher.start(null);
    try {
      for (Outgoing each : lost) {
        assertThat(each.confirmed())
            .failsWithin(LONG)
            .withThrowableThat()
            .havingCause()
            .withMessageContaining("no queue is bound");
      }
      for (Outgoing each : routed) {
        assertThat(each.confirmed()).succeedsWithin(LONG);
      }
    } finally {
      publisher.close();
    }
  }

  @Test
  void messageTimedOutInTheOutbox_wasNotSent_andIsNotSentLater() throws Exception {
    String queue = "publisher-not-sent";
    declare(queue);
    ConfirmedPublisher publisher =
        publisher(broker.connections(), Duration.ofMillis(50), new Listener(() -> {}));
    Outgoing late = message("", queue, new byte[1]);
    publisher.publish(late);
    assertThat(late.confirmed()).failsWithin(LONG);
    publisher.start(null);
    Awaitility.await().atMost(Duration.ofMinutes(1)).until(publisher::isConnected);
    publisher.close();
    assertThat(late.wasSent()).isFalse();
    try (Connection connection = broker.connections().newConnection();
        Channel channel = connection.createChannel()) {
      assertThat(channel.messageCount(queue)).isZero();
    }
  }

  @Test
  void messageTimedOutInTheOutbox_isForgotten() throws Exception {
    ConfirmedPublisher publisher =
        publisher(broker.connections(), Duration.ofMillis(50), new Listener(() -> {}));
    awaitForgotten(publisher::publish);
    publisher.close();
  }

  @Test
  void messageGivenUpWithoutAConfirmation_contentIsForgotten() throws Exception {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", broker.port())) {
      Connection connection = RabbitBroker.connections(proxy.port()).newConnection();
      ConfirmedChannel channel =
          new ConfirmedChannel(connection, properties -> "", () -> {}, () -> {});
      proxy.swallow(Direction.TO_CLIENT);
      awaitForgotten(
          message -> {
            channel.publish(message);
            message.fail(new TimeoutException());
          });
      assertThat(channel.isOpen()).isTrue();
      connection.abort(0);
    }
  }

  private interface Sending {
    void send(Outgoing message) throws IOException;
  }

  /** Sends a message, and waits until its content is garbage. */
  private static void awaitForgotten(Sending sending) throws IOException {
    WeakReference<byte[]> content = send(sending);
    Awaitility.await()
        .atMost(LONG)
        .until(
            () -> {
              System.gc();
              return content.get() == null;
            });
  }

  private static WeakReference<byte[]> send(Sending sending) throws IOException {
    byte[] body = new byte[1_000_000];
    sending.send(message("", "none", body));
    return new WeakReference<>(body);
  }
}
