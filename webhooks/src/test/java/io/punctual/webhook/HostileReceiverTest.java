package io.punctual.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.http.webhook.WebhookAttempt;
import io.punctual.http.webhook.WebhookSpec;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Receivers that break the rules. The clock of the test ends calls, so that no pause of the machine
 * does.
 */
final class HostileReceiverTest {
  private static final Duration TIMEOUT = Duration.ofMillis(500);

  private final Fixture fixture = Fixture.manual();

  @AfterEach
  void close() {
    fixture.close();
  }

  /** How a receiver answers the message with the id {@code bad}. */
  enum Fault {
    ONE_BYTE_AT_A_TIME("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", true),
    ONE_BYTE_OF_THE_HEAD_AT_A_TIME("HTTP/1.1 200 OK\r\nX: ", true),
    SILENCE("", true),
    INTERIM_ANSWERS_FOR_EVER("HTTP/1.1 102 Processing\r\n\r\n", true),
    WRONG_CHUNKS("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n", false),
    NEGATIVE_CHUNK("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nabc\r\n", false),
    RESET_AFTER_200("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart", false),
    RESET("", false),
    NO_HTTP("SSH-2.0-OpenSSH_9.2\r\n", false),
    WRONG_STATUS("HTTP/1.1 abc OK\r\n\r\n", false),
    WRONG_LENGTH("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", false),
    TWO_LENGTHS("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nabc", false),
    HUGE_HEAD("HTTP/1.1 200 OK\r\nX: " + "x".repeat(100_000) + "\r\n\r\n", false);

    private final String head;
    private final boolean isSlow;

    Fault(String head, boolean isSlow) {
      this.head = head;
      this.isSlow = isSlow;
    }

    void answer(OutputStream out, Socket socket) throws Exception {
      byte[] bytes = head.getBytes(StandardCharsets.ISO_8859_1);
      out.write(bytes);
      out.flush();
      while (isSlow) {
        Thread.sleep(50);
        if (this == INTERIM_ANSWERS_FOR_EVER) {
          out.write(bytes);
        } else if (this != SILENCE) {
          out.write('x');
        }
        out.flush();
      }
      socket.setSoLinger(true, 0);
      socket.close();
    }
  }

  private static WebhookSpec spec(String url, int concurrency) {
    WebhookSpec usual = WebhookSpec.of("crm", "orders", url);
    return new WebhookSpec(
        "crm",
        "orders",
        false,
        url,
        List.of(),
        concurrency,
        0,
        usual.per(),
        TIMEOUT,
        List.of(Duration.ofHours(1)));
  }

  @Test
  void lateCall_endsOnAThreadOfTheClient_becauseTheTimerHasOtherWork() {
    Receiver receiver =
        fixture.receiver((request, out, socket) -> Fault.SILENCE.answer(out, socket));
    Sender.Order order =
        new Sender.Order("crm", URI.create(receiver.url()), Map.of(), new byte[0], TIMEOUT);
    try (Sender sender =
        new Sender(fixture.timer(), fixture.clock, fixture.resolver, fixture::rules)) {
      CompletableFuture<Thread> ended =
          sender.send(order).thenApply(answered -> Thread.currentThread());
      receiver.awaitRequests(1);
      fixture.advance(TIMEOUT);
      assertThat(Fixture.get(ended)).isNotEqualTo(Thread.currentThread());
    }
  }

  @ParameterizedTest
  @EnumSource
  void faultyAnswer_isAFailedAttempt_andTheWorkerGoesOn(Fault fault) {
    Receiver receiver =
        fixture.receiver(
            (request, out, socket) -> {
              if (request.text().contains("bad")) {
                fault.answer(out, socket);
              } else {
                Receiver.write(out, 200, "");
              }
            });
    WebhookService service = fixture.start();
    fixture.put(service, spec(receiver.url(), 1));
    fixture.schedule("orders", "bad");
    receiver.awaitRequests(1);
    if (fault.isSlow) {
      assertThat(Fixture.log(service, "crm")).isEmpty();
      fixture.advance(TIMEOUT);
    }
    Fixture.patiently().until(() -> Fixture.log(service, "crm").size() == 1);
    fixture.advance(Duration.ofSeconds(1));
    fixture.schedule("orders", "good");
    Fixture.patiently().until(() -> Fixture.log(service, "crm").size() == 2);
    List<WebhookAttempt> log = Fixture.log(service, "crm");
    assertThat(log.get(0).outcome()).isEqualTo(WebhookAttempt.Outcome.DELIVERED);
    assertThat(log.get(0).id()).isEqualTo("good");
    assertThat(log.get(1).outcome()).isEqualTo(WebhookAttempt.Outcome.RETRY);
    assertThat(log.get(1).error()).matches("(No whole answer|The (connection|answer|host)) .*");
    assertThat(fixture.queue("orders").counts().scheduled()).isEqualTo(1);
  }

  @Test
  void answerOf10Gigabytes_isReadNoFurtherThanItIsOfUse() {
    AtomicLong written = new AtomicLong();
    Receiver receiver =
        fixture.receiver(
            (request, out, socket) -> {
              out.write(
                  "HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\n"
                      .getBytes(StandardCharsets.ISO_8859_1));
              byte[] part = new byte[64 << 10];
              while (true) {
                out.write(part);
                written.addAndGet(part.length);
              }
            });
    WebhookService service = fixture.start();
    WebhookSpec usual = spec(receiver.url(), 1);
    fixture.put(
        service,
        new WebhookSpec(
            "crm",
            "orders",
            false,
            usual.url(),
            List.of(),
            1,
            0,
            usual.per(),
            Duration.ofMinutes(1),
            usual.retries()));
    fixture.schedule("orders", "one");
    fixture.schedule("orders", "two");
    Fixture.patiently().until(() -> Fixture.log(service, "crm").size() == 2);
    assertThat(Fixture.log(service, "crm"))
        .allMatch(each -> each.outcome() == WebhookAttempt.Outcome.DELIVERED);
    assertThat(written.get()).isLessThan(64 << 20);
  }

  @Test
  void concurrency_isNeverExceeded() {
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch claimed = new CountDownLatch(1);
    Receiver receiver =
        fixture.receiver(
            (request, out, socket) -> {
              most.accumulateAndGet(now.incrementAndGet(), Math::max);
              claimed.await();
              now.decrementAndGet();
              Receiver.write(out, 200, "");
            });
    WebhookService service = fixture.start();
    WebhookSpec usual = spec(receiver.url(), 3);
    fixture.put(
        service,
        new WebhookSpec(
            "crm",
            "orders",
            false,
            usual.url(),
            List.of(),
            3,
            0,
            usual.per(),
            Duration.ofMinutes(1),
            usual.retries()));
    for (int i = 0; i < 30; i++) {
      fixture.schedule("orders", "m" + i);
    }
    receiver.awaitRequests(3);
    assertThat(fixture.queue("orders").counts().leased()).isEqualTo(3);
    claimed.countDown();
    receiver.awaitRequests(30);
    assertThat(most.get()).isEqualTo(3);
  }

  @Test
  void close_letsCallsThatRunEnd_andReleasesTheOthers() throws Exception {
    CountDownLatch answer = new CountDownLatch(1);
    Receiver receiver =
        fixture.receiver(
            (request, out, socket) -> {
              answer.await();
              Receiver.write(out, 200, "");
            });
    WebhookService service = fixture.start();
    WebhookSpec usual = spec(receiver.url(), 1);
    fixture.put(
        service,
        new WebhookSpec(
            "crm",
            "orders",
            false,
            usual.url(),
            List.of(),
            1,
            0,
            usual.per(),
            Duration.ofMinutes(1),
            usual.retries()));
    fixture.schedule("orders", "one");
    receiver.awaitRequests(1);
    fixture.schedule("orders", "two");
    var drained = service.drain(Duration.ofMinutes(1)).toCompletableFuture();
    assertThat(drained.isDone()).isFalse();
    answer.countDown();
    drained.get(60, TimeUnit.SECONDS);
    assertThat(receiver.requests()).hasSize(1);
    assertThat(fixture.queue("orders").counts().ready()).isEqualTo(1);
    assertThat(fixture.queue("orders").counts().leased()).isZero();
  }

  @Test
  void close_afterItsGrace_releasesTheMessageOfAHangingCall() throws Exception {
    Receiver receiver = fixture.receiver((request, out, socket) -> new CountDownLatch(1).await());
    WebhookService service = fixture.start();
    WebhookSpec usual = spec(receiver.url(), 1);
    fixture.put(
        service,
        new WebhookSpec(
            "crm",
            "orders",
            false,
            usual.url(),
            List.of(),
            1,
            0,
            usual.per(),
            Duration.ofMinutes(5),
            usual.retries()));
    fixture.schedule("orders", "one");
    receiver.awaitRequests(1);
    var drained = service.drain(Duration.ofMillis(100)).toCompletableFuture();
    fixture.advanceUntil(Duration.ofMillis(100), drained::isDone);
    Fixture.patiently().until(() -> fixture.queue("orders").counts().ready() == 1);
    assertThat(fixture.queue("orders").find("one").orElseThrow().failures()).isEmpty();
  }
}
