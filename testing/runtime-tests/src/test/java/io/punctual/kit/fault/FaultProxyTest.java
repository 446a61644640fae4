package io.punctual.kit.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class FaultProxyTest {
  private final List<Socket> clients = new ArrayList<>();
  private EchoServer server;
  private FaultProxy proxy;

  @BeforeEach
  void start() throws IOException {
    server = new EchoServer();
    proxy = FaultProxy.to("127.0.0.1", server.port());
  }

  @AfterEach
  void nothingIsLeft() throws IOException {
    proxy.close();
    proxy.close();
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .noneMatch(name -> name.startsWith("fault-proxy-" + proxy.port()));
    assertThat(proxy.open()).isZero();
    for (Socket client : clients) {
      client.close();
    }
    server.close();
  }

  private Socket connect() throws IOException {
    Socket client = new Socket(proxy.host(), proxy.port());
    client.setTcpNoDelay(true);
    clients.add(client);
    return client;
  }

  private static void send(Socket client, int bytes) throws IOException {
    client.getOutputStream().write(new byte[bytes]);
  }

  private static void receive(Socket client, int bytes) throws IOException {
    assertThat(client.getInputStream().readNBytes(bytes)).hasSize(bytes);
  }

  private static void assertReset(Socket client) {
    assertThatThrownBy(
            () -> {
              client.setSoTimeout(10_000);
              if (client.getInputStream().read() < 0) {
                throw new IOException("ended");
              }
            })
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(SocketTimeoutException.class);
  }

  private static void assertSilent(Socket client) throws IOException {
    client.setSoTimeout(50);
    assertThatThrownBy(() -> client.getInputStream().read())
        .isInstanceOf(SocketTimeoutException.class);
  }

  @Test
  void proxy_withoutFaults_passesBothWays() throws IOException {
    Socket client = connect();
    send(client, 100_000);
    receive(client, 100_000);
    assertThat(proxy.passedBytes(Direction.TO_SERVER)).isEqualTo(100_000);
    await().until(() -> proxy.passedBytes(Direction.TO_CLIENT) == 100_000);
    assertThat(proxy.accepted()).isEqualTo(1);
    assertThat(proxy.open()).isEqualTo(1);
  }

  @Test
  void end_ofTheClient_reachesTheServerAndComesBack() throws IOException {
    Socket client = connect();
    send(client, 3);
    client.shutdownOutput();
    assertThat(client.getInputStream().readAllBytes()).hasSize(3);
    await().until(() -> proxy.open() == 0);
  }

  @Test
  void cut_connections_areResetAndNewOnesWork() throws IOException {
    Socket client = connect();
    send(client, 1);
    receive(client, 1);
    proxy.cut();
    assertReset(client);
    await().until(() -> server.ended.get() == 1);
    Socket next = connect();
    send(next, 1);
    receive(next, 1);
  }

  @Test
  void refuse_newConnections_untilHealed() throws IOException {
    Socket old = connect();
    send(old, 1);
    receive(old, 1);
    proxy.refuse();
    assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
    proxy.refuse();
    send(old, 1);
    receive(old, 1);
    proxy.heal();
    Socket next = connect();
    send(next, 1);
    receive(next, 1);
  }

  @Test
  void blackHole_connects_andNeverAnswers() throws IOException {
    proxy.blackHole();
    Socket client = connect();
    send(client, 10);
    await().until(() -> proxy.swallowedBytes(Direction.TO_SERVER) == 10);
    assertSilent(client);
    assertThat(server.received).hasValue(0);
    proxy.heal();
    assertReset(client);
  }

  @Test
  void swallow_replies_losesThemAfterTheServerActed() throws IOException {
    Socket client = connect();
    send(client, 1);
    receive(client, 1);
    proxy.swallow(Direction.TO_CLIENT);
    send(client, 7);
    await().until(() -> proxy.swallowedBytes(Direction.TO_CLIENT) == 7);
    assertThat(server.received).hasValue(8);
    assertSilent(client);
    proxy.heal();
    assertReset(client);
  }

  @Test
  void swallow_requests_hidesTheClientsEndFromTheServer() throws IOException {
    Socket client = connect();
    send(client, 1);
    receive(client, 1);
    proxy.swallow(Direction.TO_SERVER);
    send(client, 1);
    await().until(() -> proxy.swallowedBytes(Direction.TO_SERVER) == 1);
    client.shutdownOutput();
    assertSilent(client);
    assertThat(server.ended).hasValue(0);
    assertThat(server.received).hasValue(1);
  }

  @Test
  void heal_connectionThatLostNothing_goesOn() throws IOException {
    Socket client = connect();
    send(client, 1);
    receive(client, 1);
    proxy.blackHole();
    proxy.heal();
    send(client, 1);
    receive(client, 1);
  }

  @Test
  void delay_bothWays_addsUpAndLetsManyBeUnderWay() throws IOException {
    proxy.delay(Direction.TO_SERVER, Duration.ofMillis(60));
    proxy.delay(Direction.TO_CLIENT, Duration.ofMillis(40));
    Socket client = connect();
    Duration oneByOne = Duration.ofSeconds(2);
    Duration took = oneByOne;
    // One round that the machine does not delay is enough.
    for (int round = 0; round < 20 && took.compareTo(oneByOne) >= 0; round++) {
      took = twentyBytes(client);
      assertThat(took).isGreaterThanOrEqualTo(Duration.ofMillis(100));
    }
    assertThat(took).isLessThan(oneByOne);
  }

  /** Sends twenty bytes, and returns the time until all of them are back. */
  private static Duration twentyBytes(Socket client) throws IOException {
    long began = System.nanoTime();
    for (int i = 0; i < 20; i++) {
      send(client, 1);
    }
    receive(client, 20);
    return Duration.ofNanos(System.nanoTime() - began);
  }

  @Test
  void delay_lifted_letsWaitingBytesGoAtOnce() throws IOException {
    proxy.delay(Direction.TO_CLIENT, Duration.ofHours(1));
    Socket client = connect();
    send(client, 5);
    await().until(() -> server.received.get() == 5);
    proxy.heal();
    receive(client, 5);
  }

  @Test
  void bandwidth_limited_takesItsTime() throws IOException {
    proxy.bandwidth(Direction.TO_CLIENT, 200_000);
    Socket client = connect();
    long began = System.nanoTime();
    send(client, 60_000);
    receive(client, 60_000);
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofMillis(150));
  }

  @Test
  void connect_serverAway_isEnded() throws IOException {
    server.close();
    assertReset(connect());
    assertThat(proxy.accepted()).isZero();
  }
}
