package io.punctual.httpstore.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.httpstore.wire.Hints;
import io.punctual.httpstore.wire.Place;
import io.punctual.httpstore.wire.Request;
import io.punctual.httpstore.wire.Requests;
import io.punctual.httpstore.wire.Wire;
import io.punctual.spi.Announcement;
import io.punctual.spi.Capability;
import io.punctual.spi.Partition;
import io.punctual.spi.Registration;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests that an error of the store or of the timer ends nothing for a client that listens. */
final class WatchFailuresTest {
  private static final Place GOOD = new Place("good", 0, 1);
  private static final Place BAD = new Place("bad", 0, 1);
  private static final Duration KEEP = Duration.ofSeconds(30);
  private static final long RENEWAL = KEEP.dividedBy(3).plusMillis(1).toNanos();
  private static final long LOOK = Duration.ofSeconds(5).toNanos();

  private final StoppedTimer timer = new StoppedTimer();
  private final FailingStore store = new FailingStore();
  private final StoreService service = new StoreService(store, timer);
  private long number;

  private static final class FailingStore extends ScriptedStore {
    boolean fails;
    final List<String> listening = new ArrayList<>();
    final List<String> announced = new ArrayList<>();
    List<Announcement> texts = List.of();

    private void check() {
      if (fails) {
        throw new IllegalStateException("injected");
      }
    }

    @Override
    public Set<Capability> capabilities() {
      Set<Capability> all = EnumSet.of(Capability.WORKERS);
      all.addAll(memory.capabilities());
      return all;
    }

    @Override
    public CompletionStage<@Nullable Void> announce(String client, String text, Duration keep) {
      check();
      announced.add(text);
      return CompletableFuture.completedStage(null);
    }

    @Override
    public CompletionStage<List<Announcement>> announcements(List<String> clients) {
      check();
      return CompletableFuture.completedStage(texts);
    }

    @Override
    public CompletionStage<List<Partition>> partitions(String queue) {
      Partition inner = memory.partitions(queue).toCompletableFuture().join().get(0);
      Partition observed =
          (Partition)
              Proxy.newProxyInstance(
                  Partition.class.getClassLoader(),
                  new Class<?>[] {Partition.class},
                  (proxy, method, arguments) ->
                      switch (method.getName()) {
                        case "hashCode" -> System.identityHashCode(proxy);
                        case "equals" -> proxy == arguments[0];
                        case "onWakeUp" -> listen(queue);
                        default -> method.invoke(inner, arguments);
                      });
      return CompletableFuture.completedStage(List.of(observed));
    }

    private Registration listen(String queue) {
      if (queue.equals("bad")) {
        check();
      }
      listening.add(queue);
      return () -> {
        if (queue.equals("bad")) {
          check();
        }
        listening.remove(queue);
      };
    }

    @Override
    public Duration safetyCheckInterval(int partitions) {
      return Duration.ofDays(1);
    }
  }

  private CompletableFuture<Served> serve(Request<?> request) {
    return service.serve(
        Requests.name(request.getClass()), Wire.write(request.getClass(), request), Access.ALL);
  }

  private CompletableFuture<Served> listen(Place... places) {
    return serve(new Request.Listen("l", ++number, false, 50_000, List.of(places)));
  }

  private static boolean areTextsNew(CompletableFuture<Served> served) {
    assertThat(served).isCompleted();
    return ((Hints) Wire.answer(Hints.class, served.join().body())).areTextsNew();
  }

  private void announce() {
    assertThat(serve(new Request.Announce("c", "java 1\nworker", KEEP, "l")).join().status())
        .isEqualTo(200);
  }

  private void readTexts() {
    assertThat(serve(new Request.ReadAnnouncements(List.of("bell"), "l")).join().status())
        .isEqualTo(200);
  }

  @Test
  void partitionCanNotBeListenedTo_nextRequestTriesAgain() {
    store.fails = true;
    assertThat(listen(GOOD, BAD).join().status()).isNotEqualTo(200);
    store.fails = false;
    assertThat(listen(GOOD, BAD).join().status()).isEqualTo(200);
    assertThat(store.listening).containsExactlyInAnyOrder("good", "bad");
  }

  @Test
  void partitionCanNotBeListenedTo_andTheClientDoesNotComeBack_othersAreLeft() {
    assertThat(listen(GOOD)).isCompleted();
    store.fails = true;
    assertThat(listen(GOOD, BAD).join().status()).isNotEqualTo(200);
    timer.pass(KEEP.toNanos());
    assertThat(store.listening).isEmpty();
  }

  @Test
  void timerFailsAtALookUp_nextRequestBeginsAnother() {
    timer.fails = true;
    assertThat(listen(GOOD)).isCompleted();
    timer.fails = false;
    assertThat(listen(GOOD)).isCompletedWithValueMatching(served -> served.status() == 200);
  }

  @Test
  void partitionCanNotBeLeft_nextRequestListensToTheOthers() {
    assertThat(listen(BAD)).isCompleted();
    store.fails = true;
    assertThat(listen(GOOD).join().status()).isNotEqualTo(200);
    store.fails = false;
    assertThat(listen(GOOD).join().status()).isEqualTo(200);
    assertThat(store.listening).contains("good");
  }

  @Test
  void storeFailsAtARenewal_nextRenewalFollows() {
    assertThat(listen(GOOD)).isCompleted();
    CompletableFuture<Served> waiting = listen(GOOD);
    announce();
    store.fails = true;
    timer.pass(RENEWAL);
    store.fails = false;
    timer.pass(RENEWAL);
    assertThat(store.announced).hasSize(2);
    assertThat(waiting).isNotDone();
  }

  @Test
  void timerFailsAfterARenewal_clientIsToldToAnnounceAgain() {
    assertThat(listen(GOOD)).isCompleted();
    CompletableFuture<Served> waiting = listen(GOOD);
    announce();
    timer.fails = true;
    timer.pass(RENEWAL);
    assertThat(areTextsNew(waiting)).isTrue();
  }

  @Test
  void storeFailsAtALook_nextLookFollows() {
    assertThat(listen(GOOD)).isCompleted();
    CompletableFuture<Served> waiting = listen(GOOD);
    readTexts();
    store.fails = true;
    timer.pass(LOOK);
    store.fails = false;
    store.texts = List.of(new Announcement("bell", "java 1\npause", 0));
    timer.pass(LOOK);
    assertThat(areTextsNew(waiting)).isTrue();
  }

  @Test
  void timerFailsAfterALook_clientIsToldToReadAgain() {
    assertThat(listen(GOOD)).isCompleted();
    CompletableFuture<Served> waiting = listen(GOOD);
    readTexts();
    timer.fails = true;
    timer.pass(LOOK);
    assertThat(areTextsNew(waiting)).isTrue();
  }
}
