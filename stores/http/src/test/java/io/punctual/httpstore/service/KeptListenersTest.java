package io.punctual.httpstore.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.DeleteQueueOutcome;
import io.punctual.httpstore.wire.Hints;
import io.punctual.httpstore.wire.Place;
import io.punctual.httpstore.wire.Request;
import io.punctual.httpstore.wire.Requests;
import io.punctual.httpstore.wire.Wire;
import io.punctual.spi.Partition;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests that calls use the partitions on which clients listen. A store may give out new objects at
 * each look-up, and only those with a listener ask the store's server for hints.
 */
final class KeptListenersTest {
  private static final Place PLACE = new Place("orders", 0, 2);

  private final StoppedTimer timer = new StoppedTimer();
  private final ObservedStore store = new ObservedStore();
  private final StoreService service = new StoreService(store, timer);

  private static final class ObservedStore extends ScriptedStore {
    final List<Object> listening = new ArrayList<>();
    DeleteQueueOutcome deletion = DeleteQueueOutcome.DELETED;

    /** The number of partitions of the queue; 0 if there is no queue. */
    int count;

    @Nullable Object lastUsed;

    /** Look-ups that get no answer. */
    final List<CompletableFuture<List<Partition>>> hanging = new ArrayList<>();

    boolean hangs;

    @Override
    public CompletionStage<List<Partition>> partitions(String queue) {
      return partitions(queue, 1);
    }

    @Override
    public CompletionStage<List<Partition>> partitions(String queue, int wanted) {
      if (hangs) {
        hanging.add(new CompletableFuture<>());
        return hanging.get(hanging.size() - 1);
      }
      int all = count == 0 ? wanted : count;
      return CompletableFuture.completedStage(
          IntStream.range(0, all).mapToObj(i -> partition(queue, all)).toList());
    }

    private Partition partition(String queue, int all) {
      Partition inner = memory.partitions(queue).toCompletableFuture().join().get(0);
      return (Partition)
          Proxy.newProxyInstance(
              Partition.class.getClassLoader(),
              new Class<?>[] {Partition.class},
              (proxy, method, arguments) -> {
                switch (method.getName()) {
                  case "hashCode" -> {
                    return System.identityHashCode(proxy);
                  }
                  case "equals" -> {
                    return proxy == arguments[0];
                  }
                  case "onWakeUp" -> listening.add(proxy);
                  case "find" -> {
                    lastUsed = proxy;
                    if (count != 0 && count != all) {
                      return CompletableFuture.failedStage(
                          new Partition.PartitionCountException(count, null));
                    }
                  }
                  default -> {}
                }
                return method.invoke(inner, arguments);
              });
    }

    @Override
    public CompletionStage<DeleteQueueOutcome> delete(String queue) {
      return CompletableFuture.completedStage(deletion);
    }
  }

  private CompletableFuture<Served> serve(Request<?> request) {
    return service.serve(
        Requests.name(request.getClass()), Wire.write(request.getClass(), request), Access.ALL);
  }

  private CompletableFuture<Served> listen(long number) {
    return serve(new Request.Listen("l", number, false, 50_000, List.of(PLACE)));
  }

  private int status(Request<?> request) {
    CompletableFuture<Served> served = serve(request);
    assertThat(served).isCompleted();
    return served.join().status();
  }

  private void assertThatCallsUseAPartitionWithAListener() {
    assertThat(status(new Request.Find(PLACE, "id"))).isEqualTo(200);
    assertThat(store.listening.contains(store.lastUsed)).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void deletionOfTheQueue_keepsListeners(DeleteQueueOutcome outcome) {
    store.deletion = outcome;
    assertThat(listen(1)).isCompleted();
    assertThat(status(new Request.DeleteQueue("orders"))).isEqualTo(200);
    assertThatCallsUseAPartitionWithAListener();
  }

  @Test
  void callsAboutManyOtherQueues_keepListeners() {
    assertThat(listen(1)).isCompleted();
    for (int i = 0; i <= 10_000; i++) {
      assertThat(status(new Request.FindPartitions("other" + i, 1))).isEqualTo(200);
    }
    assertThatCallsUseAPartitionWithAListener();
  }

  @Test
  void callWithAnotherNumberOfPartitions_keepsListeners() {
    store.count = 2;
    assertThat(listen(1)).isCompleted();
    assertThat(status(new Request.Find(new Place("orders", 2, 3), "id"))).isEqualTo(409);
    assertThatCallsUseAPartitionWithAListener();
  }

  @Test
  void clientWithAnotherNumberOfPartitions_ofANewQueue_keepsListeners() {
    assertThat(listen(1)).isCompleted();
    assertThat(status(new Request.FindPartitions("orders", 3))).isEqualTo(200);
    assertThat(status(new Request.Find(new Place("orders", 2, 3), "id"))).isEqualTo(200);
    assertThatCallsUseAPartitionWithAListener();
  }

  @Test
  void queueGetsAnotherNumberOfPartitions_allItsClientsAreTold() {
    assertThat(listen(1)).isCompleted();
    store.count = 3;
    assertThat(status(new Request.Find(PLACE, "id"))).isEqualTo(409);
    CompletableFuture<Served> waiting = listen(2);
    timer.pass(Duration.ofSeconds(2).toNanos());
    assertThat(waiting).isCompleted();
    assertThat(((Hints) Wire.answer(Hints.class, waiting.join().body())).hints())
        .singleElement()
        .satisfies(hint -> assertThat(hint.place()).isEqualTo(PLACE));
  }

  /** A worker that waits on the partitions of another number would not see most messages. */
  @Test
  void callThatIsAnswered_showsWhichNumberIsRight() {
    KnownPartitions known = new KnownPartitions(store, timer);
    assertThat(known.look("orders", 2).toCompletableFuture().join()).hasSize(2);
    assertThat(known.look("orders", 3).toCompletableFuture().join()).hasSize(3);
    assertThat(known.findAll(List.of(PLACE)).toCompletableFuture().join().stale()).isEmpty();
    store.count = 3;
    known.answered(new Place("orders", 0, 3));
    assertThat(known.findAll(List.of(PLACE)).toCompletableFuture().join().stale())
        .containsExactly(PLACE);
  }

  @Test
  void lookUpWithoutAnEnd_isNotSharedForEver() {
    KnownPartitions known = new KnownPartitions(store, timer);
    store.hangs = true;
    CompletableFuture<Partition> lost = known.find(PLACE).toCompletableFuture();
    CompletableFuture<Partition> shared = known.find(PLACE).toCompletableFuture();
    assertThat(store.hanging).hasSize(1);
    timer.pass(Duration.ofSeconds(10).toNanos());
    store.hangs = false;
    assertThat(known.find(PLACE).toCompletableFuture()).isCompleted();
    assertThat(lost).isNotDone();
    assertThat(shared).isNotDone();
  }
}
