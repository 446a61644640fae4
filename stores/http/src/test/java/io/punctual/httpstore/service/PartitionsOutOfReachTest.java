package io.punctual.httpstore.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.httpstore.wire.Hint;
import io.punctual.httpstore.wire.Hints;
import io.punctual.httpstore.wire.Place;
import io.punctual.httpstore.wire.Request;
import io.punctual.httpstore.wire.Requests;
import io.punctual.httpstore.wire.Wire;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Tests clients some of whose queues are on a part of the store that is out of reach. */
final class PartitionsOutOfReachTest {
  private static final Place NEAR = new Place("near", 0, 1);
  private static final Place AWAY = new Place("away", 0, 1);
  private static final Place STALE = new Place("near", 1, 2);
  private static final Duration LOOK = Duration.ofSeconds(2);
  private static final Duration PAUSE = Duration.ofSeconds(2);

  private final StoppedTimer timer = new StoppedTimer();
  private final PartStore store = new PartStore();
  private final StoreService service = new StoreService(store, timer);
  private long number;

  private static final class PartStore extends ScriptedStore {
    /** The answers to look-ups of queues that are out of reach. */
    final Map<String, CompletionStage<List<Partition>>> away = new HashMap<>();

    int looks;

    @Override
    public CompletionStage<List<Partition>> partitions(String queue) {
      looks++;
      return away.getOrDefault(queue, super.partitions(queue));
    }
  }

  private static CompletionStage<List<Partition>> failed() {
    return CompletableFuture.failedStage(new Partition.NotSentException("out of reach", null));
  }

  private CompletableFuture<Served> serve(Request<?> request) {
    return service.serve(
        Requests.name(request.getClass()), Wire.write(request.getClass(), request), Access.ALL);
  }

  private CompletableFuture<Served> listen(Place... places) {
    return serve(new Request.Listen("l", ++number, false, 50_000, List.of(places)));
  }

  private static List<Place> hinted(CompletableFuture<Served> served) {
    assertThat(served).isCompleted();
    return ((Hints) Wire.answer(Hints.class, served.join().body()))
        .hints().stream().map(Hint::place).toList();
  }

  private long[] untilNext(Place... places) {
    CompletableFuture<Served> served = serve(new Request.UntilNext(List.of(places)));
    assertThat(served).isCompleted();
    return (long[]) Wire.answer(Requests.answer(Request.UntilNext.class), served.join().body());
  }

  private void schedule() {
    Partition partition = store.partitions("near").toCompletableFuture().join().get(0);
    partition.openSession("s", null).toCompletableFuture().join();
    Operation schedule =
        new Operation.Schedule(
            "a", DueTime.NOW, io.punctual.IfPresent.KEEP, Content.of(new byte[0]));
    partition.call(new Call("s", 1, 1, new Call.Apply(List.of(schedule), null), false));
  }

  @Test
  void lookUpOfOneFails_hintsAboutTheOthersArrive() {
    store.away.put("away", failed());
    assertThat(hinted(listen(NEAR, AWAY))).containsExactly(NEAR);
    CompletableFuture<Served> waiting = listen(NEAR, AWAY);
    assertThat(waiting).isNotDone();
    schedule();
    assertThat(hinted(waiting)).containsExactly(NEAR);
  }

  @Test
  void lookUpOfOneFails_itsNextCallIsAskedFor_afterAPause_untilItIsInReach() {
    store.away.put("away", failed());
    assertThat(hinted(listen(NEAR, AWAY))).containsExactly(NEAR);
    CompletableFuture<Served> waiting = listen(NEAR, AWAY);
    timer.pass(PAUSE.toNanos() - 1);
    assertThat(waiting).isNotDone();
    timer.pass(1);
    assertThat(hinted(waiting)).containsExactly(AWAY);
    store.away.clear();
    assertThat(hinted(listen(NEAR, AWAY))).as("it is found again").containsExactly(AWAY);
    CompletableFuture<Served> next = listen(NEAR, AWAY);
    timer.pass(PAUSE.toNanos());
    assertThat(next).isNotDone();
  }

  @Test
  void lookUpOfOneHasNoAnswer_theOthersWaitForItShortly() {
    CompletableFuture<List<Partition>> silent = new CompletableFuture<>();
    store.away.put("away", silent);
    CompletableFuture<Served> first = listen(NEAR, AWAY);
    timer.pass(LOOK.toNanos() - 1);
    assertThat(first).isNotDone();
    timer.pass(1);
    assertThat(hinted(first)).containsExactly(NEAR);
    CompletableFuture<Served> second = listen(NEAR, AWAY);
    assertThat(store.looks).as("the second request joins the look-up").isEqualTo(2);
    silent.complete(store.memory.partitions("away").toCompletableFuture().join());
    assertThat(hinted(second)).containsExactly(AWAY);
  }

  @Test
  void untilNext_oneIsOutOfReach_theOthersAreAnswered() {
    store.away.put("away", failed());
    assertThat(untilNext(AWAY, NEAR, STALE)).containsExactly(Reply.NONE, Reply.NONE, 0);
    schedule();
    assertThat(untilNext(AWAY, NEAR, STALE)).containsExactly(Reply.NONE, 0, 0);
  }

  @Test
  void allAreOutOfReach_requestsFail() {
    store.away.put("away", failed());
    store.away.put("near", failed());
    assertThat(listen(NEAR, AWAY).join().status()).isEqualTo(503);
    assertThat(serve(new Request.UntilNext(List.of(NEAR, AWAY))).join().status()).isEqualTo(503);
  }
}
