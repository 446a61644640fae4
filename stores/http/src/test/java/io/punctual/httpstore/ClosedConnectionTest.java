package io.punctual.httpstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.PauseNote;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.QueueLimits;
import io.punctual.State;
import io.punctual.TimedQueue;
import io.punctual.httpstore.ClosingFront.Manner;
import io.punctual.httpstore.client.ServerAddress;
import io.punctual.httpstore.client.TokenSource;
import io.punctual.httpstore.client.Transport;
import io.punctual.httpstore.wire.Place;
import io.punctual.httpstore.wire.Request;
import io.punctual.httpstore.wire.Requests;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Call;
import io.punctual.spi.EntryQuery;
import io.punctual.spi.ShareLedger;
import io.punctual.spi.StoreUrl;
import io.punctual.spi.TimeRange;
import io.punctual.timer.WheelTimer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests requests on whose arrival a kept connection closes. */
final class ClosedConnectionTest {
  private static final Place PLACE = new Place("orders", 0, 1);
  private static final List<String> QUEUES = List.of("orders");
  private static final ShareLedger LEDGER = ShareLedger.empty(1);

  /** A request of each kind. */
  private static final List<Request<?>> REQUESTS =
      List.of(
          new Request.Hello(),
          new Request.Listen("c", 1, true, 1, List.of(PLACE)),
          new Request.FindPartitions("orders", 1),
          new Request.ListQueues("", "", 10),
          new Request.CountQueues(QUEUES),
          new Request.FindInQueues(QUEUES, "a"),
          new Request.ForecastQueues(QUEUES, 0, 1000, 2),
          new Request.DeleteQueue("orders"),
          new Request.UntilNext(List.of(PLACE)),
          new Request.Announce("c", "java 1\nworker", Duration.ofMinutes(1), "c"),
          new Request.ListAnnouncements(),
          new Request.ReadAnnouncements(List.of("c"), "c"),
          new Request.Ping(),
          new Request.OpenSession(PLACE, false, "s1", null),
          new Request.MakeCall(
              PLACE, false, new Call("s1", 1, 1, new Call.Claim(1, 1000), false), 1),
          new Request.CloseSession(PLACE, false, "s1"),
          new Request.Find(PLACE, "a"),
          new Request.FindMany(PLACE, List.of("a", "b")),
          new Request.Browse(
              PLACE, new EntryQuery(State.SCHEDULED, TimeRange.ALL, false, true), null, null, 10),
          new Request.Count(PLACE, true),
          new Request.Forecast(PLACE, 0, 1000, 2),
          new Request.Pause(PLACE, true, PauseNote.NONE),
          new Request.SetLimits(PLACE, QueueLimits.none()),
          new Request.ReadLimitUse(PLACE),
          new Request.MoveShares(PLACE, LEDGER, LEDGER),
          new Request.Purge(PLACE, Set.of(State.DEAD)),
          new Request.HandOver(PLACE));

  /** The requests whose second execution has another effect or another answer. */
  private static final Set<Class<?>> ONCE =
      Set.of(
          Request.Listen.class,
          Request.MakeCall.class,
          Request.DeleteQueue.class,
          Request.Purge.class);

  /** The requests that their senders make again, and that wait for no question of the server. */
  private static final Set<Class<?>> SENT_ANYWAY =
      Set.of(Request.Listen.class, Request.MakeCall.class);

  private final WheelTimer timer = WheelTimer.create();
  private final TestServer server = TestServer.of(MemoryStore.builder().build());
  private final ClosingFront front = ClosingFront.of(server.port());

  @AfterEach
  void stop() throws IOException {
    front.close();
    server.close();
    timer.close();
  }

  @Test
  void requests_areOfAllKinds() {
    assertThat(REQUESTS.stream().<Class<?>>map(Request::getClass).toList())
        .containsExactlyInAnyOrderElementsOf(Requests.all());
  }

  private static Stream<Arguments> requestsAndManners() {
    return REQUESTS.stream()
        .flatMap(request -> Stream.of(Manner.values()).map(how -> Arguments.of(request, how)));
  }

  private Transport transport() {
    return new Transport(
        ServerAddress.of(StoreUrl.parse(front.url())),
        TokenSource.of(null),
        Duration.ofSeconds(30),
        Duration.ofSeconds(60),
        null,
        timer);
  }

  /** Sends until a connection was kept in time, and closed. */
  private void untilClosed(Manner how, Runnable sending) {
    front.close(1, how);
    await()
        .atMost(Duration.ofSeconds(60))
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(1))
        .until(
            () -> {
              sending.run();
              return front.closings() == 0;
            });
  }

  @ParameterizedTest
  @MethodSource("requestsAndManners")
  void keptConnection_closesOnARequest_harmlessRequestIsSentAgain(Request<?> request, Manner how) {
    try (Transport transport = transport()) {
      boolean isExecuted = how == Manner.EXECUTE || SENT_ANYWAY.contains(request.getClass());
      if (ONCE.contains(request.getClass()) && isExecuted) {
        assertThatThrownBy(() -> untilClosed(Manner.EXECUTE, () -> transport.send(request).join()))
            .isInstanceOf(CompletionException.class)
            .hasCauseExactlyInstanceOf(PunctualException.class)
            .hasMessageContaining("the connection was closed before the answer");
      } else {
        untilClosed(how, () -> assertThat(transport.send(request).join()).isNotNull());
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void questionsOfUsers_keptConnectionCloses_areAnswered(Manner how) {
    try (Punctual punctual = Punctual.open(front.url())) {
      TimedQueue<String> queue = punctual.queue("orders", Codec.string());
      String id = queue.schedule("a", Duration.ofHours(1)).id();
      untilClosed(how, () -> assertThat(queue.find(id)).isPresent());
      untilClosed(how, () -> assertThat(queue.counts().scheduled()).isEqualTo(1));
      untilClosed(how, () -> assertThat(queue.browse(State.SCHEDULED, 10).items()).hasSize(1));
      untilClosed(how, queue::pause);
    }
  }

  /**
   * The server may close all kept connections at a time, and the client takes one after another.
   */
  @Test
  void connections_closeTwiceInARow_questionIsAnswered() {
    try (Transport transport = transport()) {
      List<CompletableFuture<Boolean>> pings =
          Stream.generate(() -> transport.send(new Request.Ping())).limit(10).toList();
      pings.forEach(CompletableFuture::join);
      front.close(2, Manner.END);
      assertThat(transport.send(new Request.Ping()).join()).isTrue();
    }
  }

  @Test
  void proxy_neverAsksForTheBody_purgeIsSentAnyway() {
    try (Transport transport = transport()) {
      front.neverAsk();
      assertThat(transport.send(new Request.Purge(PLACE, Set.of(State.DEAD))).join()).isZero();
    }
  }
}
