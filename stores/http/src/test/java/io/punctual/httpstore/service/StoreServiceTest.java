package io.punctual.httpstore.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.PauseNote;
import io.punctual.QueueLimits;
import io.punctual.State;
import io.punctual.httpstore.wire.Failure;
import io.punctual.httpstore.wire.Hints;
import io.punctual.httpstore.wire.Place;
import io.punctual.httpstore.wire.Request;
import io.punctual.httpstore.wire.Requests;
import io.punctual.httpstore.wire.Texts;
import io.punctual.httpstore.wire.Wire;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Announcement;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.EntryQuery;
import io.punctual.spi.Operation;
import io.punctual.spi.ShareLedger;
import io.punctual.spi.Store;
import io.punctual.spi.TimeRange;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests requests of clients that may not do all, and of programs that are no clients. */
final class StoreServiceTest {
  private static final Place MINE = new Place("a.orders", 0, 1);
  private static final Place OTHERS = new Place("b.orders", 0, 1);
  private static final Place SERVERS = new Place("punctual.server.tasks", 0, 1);

  private final StoppedTimer timer = new StoppedTimer();
  private final Store store = MemoryStore.builder().build();
  private final StoreService service = new StoreService(store, timer);

  /** Access to the queues whose names begin with a prefix. */
  private record Prefixed(Collection<String> prefixes) implements Access {
    @Override
    public boolean may(String queue) {
      return prefixes.stream().anyMatch(queue::startsWith);
    }

    @Override
    public String name() {
      return "billing";
    }
  }

  private Served serve(Request<?> request, Access access) {
    return service
        .serve(Requests.name(request.getClass()), Wire.write(request.getClass(), request), access)
        .join();
  }

  private <A> Object ask(Request<A> request, Access access) {
    Served served = serve(request, access);
    assertThat(served.status()).isEqualTo(200);
    return Wire.answer(Requests.answer(request.getClass()), served.body());
  }

  private Failure refused(Served served, int status) {
    Failure failure = (Failure) Wire.answer(Failure.class, served.body());
    assertThat(served.status()).as(failure.message()).isEqualTo(status);
    return failure;
  }

  @Test
  void everyKindOfRequest_hasAnAction() {
    List<Class<?>> all = new ArrayList<>();
    Requests.all().forEach(all::add);
    assertThat(new Requested(store, timer, InstantSource.system(), Duration.ZERO).kinds())
        .containsExactlyInAnyOrderElementsOf(all);
  }

  static Stream<Request<?>> requestsToQueuesOfOthers() {
    return Stream.of(OTHERS, SERVERS)
        .flatMap(
            place ->
                Stream.of(
                    new Request.FindPartitions(place.queue(), 0),
                    new Request.CountQueues(List.of("a.orders", place.queue())),
                    new Request.FindInQueues(List.of("a.orders", place.queue()), "id"),
                    new Request.ForecastQueues(List.of(place.queue()), 0, 1, 1),
                    new Request.DeleteQueue(place.queue()),
                    new Request.UntilNext(List.of(MINE, place)),
                    new Request.OpenSession(place, false, "s", null),
                    new Request.MakeCall(
                        place, false, new Call("s", 1, 1, new Call.Claim(1, 1000), false), 9),
                    new Request.CloseSession(place, false, "s"),
                    new Request.Find(place, "id"),
                    new Request.FindMany(place, List.of("id")),
                    new Request.Browse(
                        place,
                        new EntryQuery(State.DEAD, TimeRange.ALL, false, true),
                        null,
                        null,
                        1),
                    new Request.SetLimits(place, QueueLimits.none()),
                    new Request.MoveShares(place, ShareLedger.empty(0), ShareLedger.empty(0)),
                    new Request.Count(place, true),
                    new Request.Forecast(place, 0, 1, 1),
                    new Request.Pause(place, true, PauseNote.NONE),
                    new Request.ReadLimitUse(place),
                    new Request.Purge(place, java.util.Set.of(io.punctual.State.DEAD)),
                    new Request.HandOver(place),
                    new Request.Announce(
                        "c", "java 1\nx\tx\tx\t" + place.queue() + "\tx", Duration.ZERO, "l")));
  }

  @Test
  void everyKindOfRequest_thatNamesQueues_isTriedOnQueuesOfOthers() {
    Set<Class<?>> kinds = new HashSet<>();
    Requests.all().forEach(kinds::add);
    // These name no queue, or show what the client may see of each.
    kinds.removeAll(
        Set.of(
            Request.Hello.class,
            Request.Ping.class,
            Request.ListQueues.class,
            Request.ListAnnouncements.class,
            Request.ReadAnnouncements.class,
            Request.Listen.class));
    Set<Class<?>> tried = new HashSet<>();
    requestsToQueuesOfOthers().forEach(request -> tried.add(request.getClass()));
    assertThat(tried).isEqualTo(kinds);
  }

  @ParameterizedTest
  @MethodSource("requestsToQueuesOfOthers")
  void queueOfOthers_everyRequest_isForbidden(Request<?> request) {
    Failure failure = refused(serve(request, new Prefixed(List.of("a."))), 403);
    assertThat(failure.message()).contains("billing lacks the right STORE");
    boolean isServers = request.toString().contains("punctual.server.");
    if (isServers) {
      refused(serve(request, Access.ALL), 403);
    }
  }

  @Test
  void noRight_everyRequest_isForbidden() {
    refused(serve(new Request.Hello(), new Prefixed(List.of())), 403);
    refused(serve(new Request.Ping(), new Prefixed(List.of())), 403);
  }

  @Test
  void queues_ofOthersAndOfTheServer_areNotListed() {
    for (String queue : List.of("a.1", "a.2", "b.1", "punctual.server.tasks", "q")) {
      store.partitions(queue).toCompletableFuture().join().get(0).pause(true);
    }
    Request.ListQueues all = new Request.ListQueues("", "", 10);
    assertThat(ask(all, new Prefixed(List.of("a.", "q")))).isEqualTo(List.of("a.1", "a.2", "q"));
    assertThat(ask(all, Access.ALL)).isEqualTo(List.of("a.1", "a.2", "b.1", "q"));
    assertThat(ask(new Request.ListQueues("", "b.1", 1), Access.ALL)).isEqualTo(List.of("q"));
    assertThat(ask(new Request.ListQueues("b", "", 10), new Prefixed(List.of("a."))))
        .isEqualTo(List.of());
  }

  @Test
  void announcements_showOnlyTheLinesOfOnesQueues() {
    String text = "java 1\nx\tx\tx\ta.orders\tx\nx\tx\tx\tb.orders\tx";
    ask(new Request.Announce("c1", text, Duration.ofMinutes(1), "l"), Access.ALL);
    Object seen = ask(new Request.ListAnnouncements(), new Prefixed(List.of("a.")));
    assertThat((List<?>) seen)
        .singleElement()
        .satisfies(
            each ->
                assertThat(((Announcement) each).text())
                    .contains("a.orders")
                    .doesNotContain("b.orders"));
    assertThat(ask(new Request.ListAnnouncements(), new Prefixed(List.of("c."))))
        .isEqualTo(List.of());
  }

  private static String workers(String... queues) {
    StringBuilder text = new StringBuilder("1\thost\t7\t1.0");
    for (int i = 0; i < queues.length; i++) {
      text.append("\n1\t1\trunning\t").append(queues[i]).append("\tworker\t").append(i);
    }
    return text.toString();
  }

  @Test
  void textAboutAClientWithQueuesOfOthers_isNotReplaced() {
    String text = workers("a.orders", "b.orders");
    ask(new Request.Announce("c1", text, Duration.ofMinutes(1), "l"), Access.ALL);
    Access mine = new Prefixed(List.of("a."));
    for (String other : List.of("", "1\thost\t7\t1.0", workers("a.orders"))) {
      refused(serve(new Request.Announce("c1", other, Duration.ofMinutes(1), "l"), mine), 403);
    }
    Texts all = (Texts) ask(new Request.ReadAnnouncements(List.of("c1"), "l"), Access.ALL);
    assertThat(all.found()).extracting(Announcement::text).containsExactly(text);
    ask(new Request.Announce("c1", "", Duration.ofMinutes(1), "l"), Access.ALL);
  }

  @Test
  void workersOfOthers_areNotPaused() {
    String text = workers("b.orders", "a.orders");
    ask(new Request.Announce("c1", text, Duration.ofMinutes(1), "l"), Access.ALL);
    Access mine = new Prefixed(List.of("a."));
    Duration keep = Duration.ofMinutes(1);
    refused(serve(new Request.Announce("c1note0", "pause x", keep, "l"), mine), 403);
    refused(serve(new Request.Announce("c2note0", "pause x", keep, "l"), mine), 403);
    refused(
        serve(new Request.Announce("c1bell", "x", keep, "l"), new Prefixed(List.of("c."))), 403);
    ask(new Request.Announce("c1note1", "pause x", keep, "l"), mine);
    ask(new Request.Announce("c1bell", "pause x", keep, "l"), mine);
  }

  @Test
  void clientIdOfAnotherSender_takesNoListenerOver() {
    Request.Listen first = new Request.Listen("client", 1, true, 1000, List.of(MINE));
    assertThat(((Hints) ask(first, Access.ALL)).hints()).hasSize(1);
    Request.Listen second = new Request.Listen("client", 2, false, 1000, List.of(MINE));
    var waiting = service.serve("listen", Wire.write(Request.Listen.class, second), Access.ALL);
    Request.Listen forged = new Request.Listen("client", 1 << 20, false, 1000, List.of(MINE));
    serve(forged, new Prefixed(List.of("a.")));
    assertThat(waiting).isNotDone();
  }

  @Test
  void partitionsThatOneSenderListensTo_haveABound() {
    List<Place> many =
        IntStream.range(0, 10_000).mapToObj(i -> new Place("a.q" + i, 0, 1)).toList();
    Access mine = new Prefixed(List.of("a."));
    int refused = 0;
    for (int i = 0; i < 12; i++) {
      Served served = serve(new Request.Listen("client" + i, 1, true, 1, many), mine);
      refused += served.status() == 200 ? 0 : 1;
    }
    assertThat(refused).isBetween(1, 3);
    Request.Listen other = new Request.Listen("other", 1, true, 1000, List.of(MINE));
    assertThat(((Hints) ask(other, Access.ALL)).hints()).hasSize(1);
  }

  @Test
  void textsOfOneSender_haveABound() {
    String large = workers("a.orders") + "\tx".repeat(100_000);
    for (int i = 0; i < 100; i++) {
      ask(new Request.Announce("c" + i, large, Duration.ofMinutes(1), "l"), Access.ALL);
    }
    Access mine = new Prefixed(List.of("a."));
    ask(new Request.Announce("mine", workers("a.orders"), Duration.ofMinutes(1), "l"), mine);
    List<?> kept = (List<?>) ask(new Request.ListAnnouncements(), Access.ALL);
    assertThat(kept).hasSizeBetween(10, 30);
    assertThat(kept).anyMatch(each -> ((Announcement) each).client().equals("mine"));
  }

  @Test
  void listen_toQueueOfOthers_givesNoHint() {
    Request.Listen listen =
        new Request.Listen("client", 1, true, 1000, List.of(MINE, OTHERS, SERVERS));
    Hints hints = (Hints) ask(listen, new Prefixed(List.of("a.")));
    assertThat(hints.hints()).singleElement().satisfies(h -> assertThat(h.place()).isEqualTo(MINE));
  }

  static Stream<Request<?>> badRequests() {
    Call.Apply many =
        new Call.Apply(
            IntStream.range(0, 1001)
                .<Operation>mapToObj(i -> new Operation.Cancel("m" + i))
                .toList(),
            null);
    return Stream.of(
        new Request.FindPartitions("", 0),
        new Request.FindPartitions("a b", 0),
        new Request.FindPartitions("a", -1),
        new Request.FindPartitions("a", 1001),
        new Request.CountQueues(IntStream.range(0, 1001).mapToObj(i -> "q" + i).toList()),
        new Request.ListQueues("", "", 0),
        new Request.OpenSession(MINE, false, "not/a/session", null),
        new Request.OpenSession(MINE, false, "s".repeat(65), null),
        new Request.Find(MINE, ""),
        new Request.Find(MINE, "x".repeat(257)),
        new Request.Find(new Place("a.orders", 3, 1), "id"),
        new Request.Find(new Place("a.orders", 0, 0), "id"),
        new Request.Forecast(MINE, 0, 1, 501),
        new Request.Forecast(MINE, 0, 0, 1),
        new Request.Announce("c", "text", Duration.ofDays(2), "l"),
        new Request.Announce("c", "x".repeat(300_000), Duration.ofSeconds(1), "l"),
        new Request.MakeCall(MINE, false, new Call("s", 1, 1, many, false), 9),
        new Request.MakeCall(MINE, false, new Call("s", 0, 1, new Call.Claim(1, 1), false), 9),
        new Request.MakeCall(MINE, false, new Call("s", 1, 1, new Call.Claim(1001, 1), false), 9),
        new Request.MakeCall(MINE, false, new Call("s", 1, 1, new Call.Claim(1, 0), false), 9),
        apply(new Operation.Cancel("x".repeat(300))),
        apply(
            new Operation.Schedule(
                "a",
                DueTime.NOW,
                io.punctual.IfPresent.KEEP,
                new Content(new byte[0], Map.of("h", "x".repeat(40_000)), 0))));
  }

  private static Request<?> apply(Operation operation) {
    return new Request.MakeCall(
        MINE, false, new Call("s", 1, 1, new Call.Apply(List.of(operation), null), false), 9);
  }

  @ParameterizedTest
  @MethodSource("badRequests")
  void badRequest_isRefusedWithAReason(Request<?> request) {
    Served served = serve(request, Access.ALL);
    assertThat(served.status()).isIn(400, 409);
    assertThat(((Failure) Wire.answer(Failure.class, served.body())).message()).isNotEmpty();
  }

  @Test
  void unknownRequest_andUnreadableBody_areRefused() {
    refused(service.serve("no-such-request", new byte[0], Access.ALL).join(), 404);
    refused(service.serve("find", new byte[] {1, 2, 3}, Access.ALL).join(), 422);
    refused(service.serve("find", new byte[0], Access.ALL).join(), 422);
    byte[] wall = new byte[8 << 20];
    java.util.Arrays.fill(wall, (byte) 0x9f);
    refused(service.serve("find", wall, Access.ALL).join(), 422);
  }

  @Test
  void wrongNumberOfPartitions_isToldWithTheRightOne() {
    Failure failure =
        refused(serve(new Request.Count(new Place("a.orders", 2, 3), false), Access.ALL), 409);
    assertThat(failure.kind()).isEqualTo(Failure.Kind.PARTITION_COUNT);
    assertThat(failure.partitions()).isEqualTo(1);
  }

  @Test
  void goneClient_itsWaitEnds_andTheNextWaitGetsItsHints() {
    Request.Listen first = new Request.Listen("client", 1, true, 1000, List.of(MINE));
    assertThat(((Hints) ask(first, Access.ALL)).hints()).hasSize(1);
    Request.Listen second = new Request.Listen("client", 2, false, 1000, List.of(MINE));
    var gone = service.serve("listen", Wire.write(Request.Listen.class, second), Access.ALL);
    assertThat(gone).isNotDone();
    gone.cancel(false);
    var partition = store.partitions("a.orders").toCompletableFuture().join().get(0);
    partition.openSession("s", null).toCompletableFuture().join();
    Operation schedule =
        new Operation.Schedule(
            "a", DueTime.NOW, io.punctual.IfPresent.KEEP, Content.of(new byte[0]));
    partition.call(new Call("s", 1, 1, new Call.Apply(List.of(schedule), null), false));
    Request.Listen third = new Request.Listen("client", 3, false, 1000, List.of(MINE));
    assertThat(((Hints) ask(third, Access.ALL)).hints()).hasSize(1);
  }

  @Test
  void clientIsSilent_itsListenersAreRemoved() {
    Request.Listen first = new Request.Listen("client", 1, true, 1000, List.of(MINE));
    assertThat(((Hints) ask(first, Access.ALL)).hints()).hasSize(1);
    timer.pass(Duration.ofSeconds(30).toNanos());
    Request.Listen second = new Request.Listen("client", 2, false, 1000, List.of(MINE));
    assertThat(((Hints) ask(second, Access.ALL)).hints())
        .as("a hint, because the server had forgotten the client")
        .hasSize(1);
  }

  /** The store lost the hint, or its clock has jumped. */
  @Test
  void lostHint_isFoundByTheCheckOfTheServer() {
    Request.Listen first = new Request.Listen("client", 1, true, 1000, List.of(MINE));
    assertThat(((Hints) ask(first, Access.ALL)).hints()).hasSize(1);
    var partition = store.partitions("a.orders").toCompletableFuture().join().get(0);
    partition.openSession("s", null).toCompletableFuture().join();
    Operation schedule =
        new Operation.Schedule(
            "a", DueTime.NOW, io.punctual.IfPresent.KEEP, Content.of(new byte[0]));
    partition.call(new Call("s", 1, 1, new Call.Apply(List.of(schedule), null), false));
    Request.Listen second = new Request.Listen("client", 2, false, 5000, List.of(MINE));
    assertThat(((Hints) ask(second, Access.ALL)).hints()).hasSize(1);
    Request.Listen third = new Request.Listen("client", 3, false, 5000, List.of(MINE));
    var waiting = service.serve("listen", Wire.write(Request.Listen.class, third), Access.ALL);
    assertThat(waiting).isNotDone();
    timer.pass(store.safetyCheckInterval(1).toNanos());
    assertThat(waiting).isDone();
  }

  /** Half of a surrogate pair, which no list of texts could be written with. */
  @Test
  void textThatIsNoUnicode_isRefused() {
    Request<?> request = new Request.Announce("c", "java 1\nABC", Duration.ofMinutes(1), "l");
    byte[] body = Wire.write(Request.Announce.class, request);
    int at = new String(body, StandardCharsets.ISO_8859_1).indexOf("ABC");
    System.arraycopy(new byte[] {(byte) 0xed, (byte) 0xa0, (byte) 0xbd}, 0, body, at, 3);
    Served served = service.serve(Requests.name(Request.Announce.class), body, Access.ALL).join();
    assertThat(served.status()).isBetween(400, 499);
  }
}
