package io.punctual.server.jetty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.server.RawClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the memory for the bodies of all requests together. */
class BodiesInFlightTest {
  @Test
  void theBodiesInFlightHaveABound() throws IOException {
    HttpListener listener =
        HttpListener.start(
            new HttpListener.Settings(
                "127.0.0.1",
                0,
                null,
                TrustedProxies.of(List.of()),
                100,
                Duration.ofSeconds(90),
                Duration.ofMinutes(1),
                1 << 10,
                4 << 20),
            new ProbeService()::accept);
    List<RawClient> clients = new ArrayList<>();
    try {
      for (int i = 0; i < 12; i++) {
        clients.add(RawClient.connect(listener.port()));
        sendMostOfABody(clients.get(i));
      }
      List<RawClient> answered =
          await()
              .until(
                  () -> clients.stream().filter(BodiesInFlightTest::hasAnswer).toList(),
                  each -> each.size() > 0);
      assertThat(answered.get(0).reply().status()).isEqualTo(503);
    } finally {
      for (RawClient client : clients) {
        client.close();
      }
      listener.stop();
    }
  }

  private static void sendMostOfABody(RawClient client) throws IOException {
    client.send("POST /size HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
    try {
      client.send(new byte[999_999]);
    } catch (SocketException e) {
      // The server has refused the body, and has closed the connection.
    }
  }

  private static boolean hasAnswer(RawClient client) {
    try {
      return client.socket().getInputStream().available() > 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
