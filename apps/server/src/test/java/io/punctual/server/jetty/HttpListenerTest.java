package io.punctual.server.jetty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.server.RawClient;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpListenerTest {
  private static final String WAIT = "GET /wait HTTP/1.1\r\nHost: localhost\r\n\r\n";

  private final ProbeService service = new ProbeService();
  private final HttpListener listener = start(100, Duration.ofSeconds(90), Duration.ofMinutes(1));

  private HttpListener start(int connections, Duration idle, Duration head) {
    try {
      return HttpListener.start(
          new HttpListener.Settings(
              "127.0.0.1",
              0,
              null,
              TrustedProxies.of(List.of("127.0.0.0/8")),
              connections,
              idle,
              head,
              1 << 10,
              4 << 20),
          service::accept);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @AfterEach
  void stop() {
    listener.stop();
  }

  private RawClient client() throws IOException {
    return RawClient.connect(listener.port());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/a%2Fb",
        "/a%25b",
        "/a;b",
        "/a/%2e%2e/x",
        "/a/..;/x",
        "//x",
        "/a%20b",
        "/%C3%A4",
        "/a+b"
      })
  void aPathArrivesAsItWasSent(String path) throws IOException {
    try (RawClient client = client()) {
      assertThat(client.request("GET " + path + " HTTP/1.1", "").text())
          .startsWith("GET " + path + " null");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'GET /%00 HTTP/1.1|Host: a||', 400",
    "'GET /%c0%ae HTTP/1.1|Host: a||', 400",
    "'GET /%zz HTTP/1.1|Host: a||', 400",
    "'GET / HTTP/1.1||', 400",
    "'GET / HTTP/1.1|Host: a|Host: b||', 400",
    "'GET / HTTP/1.1|Host: a|Bad Name: x||', 400",
    "'GET / HTTP/1.1|Host: a|X: a| folded||', 400",
    "'GET / HTTP/9.9|Host: a||', 505",
    "'PRI * HTTP/2.0||SM||', 426",
    "'GET /%2e%2e/x HTTP/1.1|Host: a||', 400",
    "'POST / HTTP/1.1|Host: a|Content-Length: 1|Content-Length: 2||ab', 400",
    "'POST / HTTP/1.1|Host: a|Content-Length: -1||', 400",
    "'POST / HTTP/1.1|Host: a|Content-Length: 3|Transfer-Encoding: chunked||0||', 400",
    "'POST / HTTP/1.1|Host: a|Transfer-Encoding: chunked, identity||0||', 400",
    "'POST / HTTP/1.1|Host: a|Transfer-Encoding: chunked||zz|x||', 400",
    "'POST / HTTP/1.1|Host: a|Expect: magic||', 417"
  })
  void aBrokenRequestIsAProblem(String request, int status) throws IOException {
    try (RawClient client = client()) {
      RawClient.Reply reply = client.send(request.replace("|", "\r\n")).reply();
      assertThat(reply.status()).isEqualTo(status);
      assertThat(reply.headers()).contains("content-type: application/problem+json");
      assertThat(reply.headers()).noneMatch(line -> line.startsWith("server:"));
      assertThat(reply.text()).contains("\"status\":" + status);
    }
  }

  @Test
  void headersOfAMegabyteAreRefused() throws IOException {
    try (RawClient client = client()) {
      client.send("GET / HTTP/1.1\r\nHost: a\r\nX: " + "x".repeat(20 << 10) + "\r\n\r\n");
      assertThat(client.reply().status()).isEqualTo(431);
    }
  }

  @Test
  void aBodyThatIsTooLargeIsRefusedBeforeItArrives() throws IOException {
    try (RawClient client = client()) {
      client.send("POST /size HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n");
      assertThat(client.reply().status()).isEqualTo(413);
      assertThat(service.bodies).hasValue(0);
    }
  }

  @Test
  void aBodyInChunksIsBoundedToo() throws IOException {
    try (RawClient client = client()) {
      client.send("POST /size HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
      client.send("200000\r\n");
      client.send(new byte[(1 << 20) + 1]);
      assertThat(client.reply().status()).isEqualTo(413);
    }
  }

  @Test
  void aBodyArrivesWhole() throws IOException {
    try (RawClient client = client()) {
      assertThat(client.request("POST /size HTTP/1.1", "x".repeat(1 << 20)).text())
          .isEqualTo("1048576");
    }
  }

  @Test
  void aHeadThatArrivesTooSlowlyEndsTheConnection() throws IOException {
    HttpListener impatient = start(100, Duration.ofSeconds(90), Duration.ofSeconds(1));
    try (RawClient client = RawClient.connect(impatient.port())) {
      client.send("GET / HTTP/1.1\r\nHost:");
      assertThat(client.isEnded()).isTrue();
    } finally {
      impatient.stop();
    }
  }

  @Test
  void aBodyThatArrivesTooSlowlyIsRefused() throws IOException {
    HttpListener impatient = start(100, Duration.ofSeconds(90), Duration.ofSeconds(1));
    try (RawClient client = RawClient.connect(impatient.port())) {
      client.send("POST /size HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nabc");
      assertThat(client.reply().status()).isEqualTo(408);
      assertThat(client.isEnded()).isTrue();
    } finally {
      impatient.stop();
    }
  }

  @Test
  void aLargeAnswerIsCompressed() throws IOException {
    try (RawClient client = client()) {
      RawClient.Reply reply = client.request("GET /large HTTP/1.1\nAccept-Encoding: br, gzip", "");
      assertThat(reply.has("Content-Encoding: gzip")).isTrue();
      assertThat(new GZIPInputStream(new ByteArrayInputStream(reply.content())).readAllBytes())
          .hasSize(10 << 20);
      assertThat(client.request("GET /large HTTP/1.1\nAccept-Encoding: gzip;q=0", "").content())
          .hasSize(10 << 20);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"FIN", "RST", "half-close"})
  void aClientThatGoesAwayIsNoticed(String way) throws IOException {
    try (RawClient client = client()) {
      client.send(WAIT);
      await().until(() -> service.waiting.get() == 1);
      switch (way) {
        case "FIN" -> client.close();
        case "RST" -> client.reset();
        default -> client.socket().shutdownOutput();
      }
      await().until(() -> service.gone.get() == 1 && service.waiting.get() == 0);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"FIN", "RST"})
  void anAnswerThatWinsAgainstTheEndOfItsClient_isNotTakenForWritten(String way)
      throws IOException {
    try (RawClient client = client()) {
      client.send("GET /late HTTP/1.1\r\nHost: localhost\r\n\r\n");
      await().until(() -> service.waiting.get() == 1);
      if (way.equals("FIN")) {
        client.close();
      } else {
        client.reset();
      }
      await().until(() -> service.gone.get() == 1);
      service.event.complete("a message");
      await().until(() -> service.failedWrites.get() == 1 && listener.requestsInFlight() == 0);
    }
  }

  @Test
  void aThousandPipelinedPollsAllHaveAnswers() throws IOException {
    try (RawClient client = client()) {
      client.send(WAIT.repeat(1_000) + "GET /end HTTP/1.1\r\nHost: localhost\r\n\r\n");
      for (int i = 0; i < 1_000; i++) {
        assertThat(client.reply().text()).isEqualTo("nothing");
      }
      assertThat(client.reply().text()).startsWith("GET /end");
    }
  }

  @Test
  void requestsThatAreSentAhead_leaveTheLoopOfTheirConnectionAgainAndAgain() throws IOException {
    try (RawClient client = client()) {
      client.send("GET /loop HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(64));
      int outside = 0;
      for (int i = 0; i < 64; i++) {
        outside += client.reply().text().equals("outside") ? 1 : 0;
      }
      assertThat(outside).isBetween(4, 16);
    }
  }

  @Test
  void aKeptConnectionServesPollAfterPoll() throws IOException {
    try (RawClient client = client()) {
      for (int i = 0; i < 200; i++) {
        service.event = new CompletableFuture<>();
        client.send(WAIT);
        await().pollDelay(Duration.ZERO).until(() -> service.waiting.get() == 1);
        service.event.complete("event " + i);
        assertThat(client.reply().text()).isEqualTo("event " + i);
      }
      assertThat(service.gone).hasValue(0);
    }
  }

  @Test
  void aStreamWaitsForItsReader_andThenGoesOn() throws IOException {
    try (RawClient client = client()) {
      client.send("GET /events HTTP/1.1\r\nHost: a\r\n\r\n");
      await().until(() -> service.unwritten.get() > 0);
      // The buffers of the sockets hold some megabytes.
      int sent = service.bodies.get() * ProbeService.PART.length;
      assertThat(sent).isBetween(0, 32 << 20);
      int more = sent + (1 << 20);
      assertThat(client.socket().getInputStream().readNBytes(more)).hasSize(more);
    }
    await().until(() -> service.failedWrites.get() == 1);
  }

  @Test
  void aReaderWhoDoesNotRead_isEndedAfterTheIdleTime() throws IOException {
    HttpListener impatient = start(100, Duration.ofMillis(500), Duration.ofSeconds(10));
    try (RawClient client = RawClient.connect(impatient.port())) {
      client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
      await().until(() -> service.bodies.get() == 1);
      await().until(() -> impatient.requestsInFlight() == 0 && impatient.connections() == 0);
    } finally {
      impatient.stop();
    }
  }

  @Test
  void answersThatNobodyReads_haveABound_andTheOthersAreTold() throws IOException {
    try (RawClient idle = client();
        RawClient second = client()) {
      idle.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
      await().until(() -> service.bodies.get() == 1);
      RawClient.Reply refused = second.request("GET /large HTTP/1.1", "");
      assertThat(refused.status()).isEqualTo(503);
      assertThat(refused.text()).contains("urn:punctual:problem:busy");
      assertThat(second.request("POST /large HTTP/1.1", "x").text())
          .contains("urn:punctual:problem:in-doubt", "\"outcome\":\"unknown\"");
      await().until(() -> service.failedWrites.get() == 2);
      assertThat(second.request("GET /small HTTP/1.1", "").status()).isEqualTo(200);
      assertThat(idle.reply().content()).hasSize(10 << 20);
      await().until(() -> listener.requestsInFlight() == 0);
      assertThat(second.request("GET /large HTTP/1.1", "").content()).hasSize(10 << 20);
    }
  }

  @Test
  void aConnectionAboveTheLimit_waitsForAnotherToEnd() throws IOException {
    HttpListener narrow = start(2, Duration.ofSeconds(90), Duration.ofSeconds(10));
    try (RawClient first = RawClient.connect(narrow.port());
        RawClient second = RawClient.connect(narrow.port())) {
      first.request("GET / HTTP/1.1", "");
      second.request("GET / HTTP/1.1", "");
      try (RawClient third = RawClient.connect(narrow.port())) {
        third.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        assertThat(second.request("GET / HTTP/1.1", "").status()).isEqualTo(200);
        assertThat(narrow.connections()).isEqualTo(2);
        first.close();
        assertThat(third.reply().status()).isEqualTo(200);
      }
    } finally {
      narrow.stop();
    }
  }

  @Test
  void aDrainAnswersPollsAndClosesConnections() throws Exception {
    try (RawClient client = client()) {
      client.send(WAIT);
      await().until(() -> service.waiting.get() == 1);
      CompletableFuture<Boolean> drained =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return listener.drain(Duration.ofSeconds(20));
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              });
      service.drain();
      RawClient.Reply reply = client.reply();
      assertThat(reply.text()).isEqualTo("drained");
      assertThat(drained.get()).isTrue();
    }
  }

  @Test
  void theClientBehindATrustedProxyIsTheLastUntrustedAddress() throws IOException {
    try (RawClient client = client()) {
      String head = "GET / HTTP/1.1\nX-Forwarded-Proto: https\nX-Forwarded-For: ";
      assertThat(client.request(head + "1.2.3.4, 5.6.7.8, 127.0.0.9", "").text())
          .endsWith("true 5.6.7.8");
      assertThat(client.request(head + "evil.example, 127.0.0.9", "").text())
          .endsWith("true 127.0.0.9");
    }
  }

  @Test
  void aServiceThatThrows_isAnsweredWith500_andItsRequestsAndBodiesAreGivenBack() throws Exception {
    for (int i = 0; i < 8; i++) {
      try (RawClient client = client()) {
        assertThat(client.request("POST /throw HTTP/1.1", "x".repeat(1_000_000)).status())
            .isEqualTo(500);
      }
    }
    await().until(() -> listener.requestsInFlight() == 0);
    try (RawClient client = client()) {
      assertThat(client.request("POST /size HTTP/1.1", "x".repeat(1_000_000)).status())
          .isEqualTo(200);
    }
  }

  @Test
  void aServiceThatCantRefuseABody_isAnsweredWith500() throws Exception {
    try (RawClient client = client()) {
      client.send(
          "POST /no-refusal HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999999\r\n\r\n");
      assertThat(client.reply().status()).isEqualTo(500);
    }
    await().until(() -> listener.requestsInFlight() == 0);
  }

  @Test
  void anAnswerThatCantBegin_isToldToItsOwner() throws IOException {
    try (RawClient client = client()) {
      client.send("GET /bad-stream HTTP/1.1\r\nHost: a\r\n\r\n");
      await().until(() -> service.failedWrites.get() == 1 && listener.requestsInFlight() == 0);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"999.1.1.1", "1.2.3.4.5", "12", "::zz", "1::2::3"})
  void aTextThatIsNoAddress_endsTheChainOfProxies_andAsksNoNameServer(String text)
      throws IOException {
    try (RawClient client = client()) {
      String head = "GET / HTTP/1.1\nX-Forwarded-For: 5.6.7.8, " + text + ", 127.0.0.9";
      assertThat(client.request(head, "").text()).endsWith("false 127.0.0.9");
    }
  }
}
