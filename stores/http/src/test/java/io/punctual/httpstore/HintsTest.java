package io.punctual.httpstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.kit.fault.FaultProxy;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Partition;
import io.punctual.spi.Registration;
import io.punctual.spi.Store;
import io.punctual.spi.StoreUrl;
import io.punctual.spi.Stores;
import io.punctual.timer.WheelTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests how clients learn of messages of other clients, and what it costs. */
final class HintsTest {
  private final WheelTimer timer = WheelTimer.create();
  private TestServer server = TestServer.of(MemoryStore.builder().build());

  @AfterEach
  void stop() {
    server.close();
    timer.close();
  }

  private static Partition partition(Store store, String queue) {
    return store.partitions(queue).toCompletableFuture().join().get(0);
  }

  @Test
  void workerWaits_messageOfAnotherClient_isDeliveredAtOnce() {
    List<Duration> late = new CopyOnWriteArrayList<>();
    try (Punctual worker = Punctual.open(server.url());
        Punctual producer = Punctual.open(server.url())) {
      worker.queue("orders", Codec.string()).work(delivery -> late.add(delivery.lateness()));
      await().until(() -> server.requests("listen") >= 2);
      TimedQueue<String> queue = producer.queue("orders", Codec.string());
      for (int i = 1; i <= 20; i++) {
        queue.schedule("a", Duration.ofMillis(10));
        int number = i;
        await().pollInterval(Duration.ofMillis(2)).until(() -> late.size() == number);
      }
    }
    // Most of the messages, because the machine may pause. Without hints, each is minutes late.
    assertThat(late.stream().sorted().toList().get(10)).isLessThan(Duration.ofSeconds(5));
  }

  @Test
  void manyQueues_haveOneRequestThatWaits() {
    try (Punctual punctual = Punctual.open(server.url())) {
      for (int i = 0; i < 20; i++) {
        punctual.queue("orders-" + i, Codec.string()).work(delivery -> {});
      }
      await().until(() -> server.requests("listen") >= 2);
      long before = server.requests("listen");
      punctual.queue("orders-7", Codec.string()).schedule("a", Duration.ofHours(1));
      await().during(Duration.ofMillis(300)).until(() -> server.requests("listen") <= before + 2);
    }
  }

  /**
   * The wait of 50 s is the only request of a client with a worker that has nothing to do: the
   * server renews the list of its workers, and looks for pauses by operators, in its place.
   */
  @Test
  @Tag("extended")
  void quietWorker_sendsAtMostOneRequestIn30Seconds() {
    try (Punctual punctual = Punctual.open(server.url())) {
      punctual.queue("orders", Codec.string()).work(delivery -> {});
      await().atMost(Duration.ofMinutes(2)).until(() -> quietFor(Duration.ofSeconds(11)));
      long before = server.requests();
      await().during(Duration.ofSeconds(30)).atMost(Duration.ofMinutes(1)).until(() -> true);
      assertThat(server.requests()).isLessThanOrEqualTo(before + 1);
      try (Store store = Stores.open(StoreUrl.parse(server.url()), timer)) {
        assertThat(store.announcements().toCompletableFuture().join()).hasSize(1);
      }
    }
  }

  private boolean quietFor(Duration time) {
    long before = server.requests();
    await().pollDelay(time).atMost(Duration.ofMinutes(1)).until(() -> true);
    return server.requests() <= before + 1;
  }

  @Test
  void textsOfOthers_areReadOnce_untilTheyChange() {
    try (Store store = Stores.open(StoreUrl.parse(server.url()), timer);
        Store operator = Stores.open(StoreUrl.parse(server.url()), timer);
        var unused = partition(store, "orders").onWakeUp(hint -> {})) {
      await().until(() -> server.requests("listen") >= 2);
      for (int i = 0; i < 5; i++) {
        assertThat(store.announcements(List.of("bell")).toCompletableFuture().join()).isEmpty();
      }
      assertThat(server.requests("read-announcements")).isEqualTo(1);
      operator.announce("bell", "pause", Duration.ofMinutes(1)).toCompletableFuture().join();
      await()
          .atMost(Duration.ofMinutes(1))
          .until(
              () -> store.announcements(List.of("bell")).toCompletableFuture().join().size() == 1);
    }
  }

  /** The server renews the list of workers in place of a client that listens. */
  @Test
  void announce_sameText_isRenewedByTheServer() {
    try (Store store = Stores.open(StoreUrl.parse(server.url()), timer)) {
      BlockingQueue<Long> hints = new LinkedBlockingQueue<>();
      var registration = partition(store, "orders").onWakeUp(hints::add);
      await().until(() -> server.requests("listen") >= 2);
      Duration keep = Duration.ofMillis(600);
      for (int i = 0; i < 3; i++) {
        store.announce("client", "java 1\nworker", keep).toCompletableFuture().join();
      }
      assertThat(server.requests("announce")).isEqualTo(1);
      await()
          .during(Duration.ofMillis(1500))
          .until(() -> store.announcements().toCompletableFuture().join().size() == 1);
      registration.close();
      await().until(() -> store.announcements().toCompletableFuture().join().isEmpty());
      store.announce("client", "java 1\nworker", keep).toCompletableFuture().join();
      assertThat(server.requests("announce")).isEqualTo(2);
    }
  }

  /**
   * Neither server knows for long that the client listens, so the client renews its text itself.
   */
  @Test
  void twoServers_takeTurns_clientRenewsItsText() {
    try (TestServer other = TestServer.of(MemoryStore.builder().build());
        ReverseProxy proxy = ReverseProxy.to(server.port(), other.port());
        Store store = Stores.open(StoreUrl.parse(proxy.url()), timer)) {
      List<Registration> registrations = new ArrayList<>();
      // Each new queue lets the client listen again.
      await()
          .atMost(Duration.ofMinutes(1))
          .until(
              () -> {
                registrations.add(
                    partition(store, "orders-" + registrations.size()).onWakeUp(hint -> {}));
                return server.requests("listen") > 3 && other.requests("listen") > 3;
              });
      for (int i = 0; i < 3; i++) {
        store
            .announce("client", "java 1\nworker", Duration.ofMinutes(1))
            .toCompletableFuture()
            .join();
      }
      assertThat(server.requests("announce") + other.requests("announce")).isEqualTo(3);
      registrations.forEach(Registration::close);
    }
  }

  @Test
  void waitIsCut_hintsInBetween_areNotLost() throws InterruptedException {
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port());
        Store store = Stores.open(StoreUrl.parse("http://127.0.0.1:" + proxy.port()), timer)) {
      BlockingQueue<Long> hints = new LinkedBlockingQueue<>();
      try (var unused = partition(store, "orders").onWakeUp(hints::add)) {
        assertThat(hints.poll(1, TimeUnit.MINUTES)).isNotNull();
        for (int i = 0; i < 5; i++) {
          // A cut before the client connects again has nothing to cut.
          await()
              .atMost(Duration.ofMinutes(1))
              .until(
                  () -> {
                    proxy.cut();
                    return hints.poll(5, TimeUnit.SECONDS) != null;
                  });
        }
      }
    }
  }

  @Test
  void serverRestarts_workerGoesOn() {
    List<String> handled = new CopyOnWriteArrayList<>();
    int port = server.port();
    try (Punctual punctual = Punctual.open(server.url())) {
      TimedQueue<String> queue = punctual.queue("orders", Codec.string());
      queue.work(delivery -> handled.add(delivery.payload()));
      queue.schedule(Message.of("a"));
      await().until(() -> handled.contains("a"));
      server.close();
      server = TestServer.of(MemoryStore.builder().build(), port);
      try (Punctual other = Punctual.open(server.url())) {
        other.queue("orders", Codec.string()).schedule(Message.of("b"));
      }
      await().atMost(Duration.ofSeconds(30)).until(() -> handled.contains("b"));
      assertThat(punctual.status().reachable()).isTrue();
    }
  }

  @Test
  void drain_endsWaits_andDoesNotLetClientsAskAgainAtOnce() {
    try (Store store = Stores.open(StoreUrl.parse(server.url()), timer);
        var unused = partition(store, "orders").onWakeUp(hint -> {})) {
      await().until(() -> server.requests("listen") >= 2);
      long before = server.requests("listen");
      server.service().drain();
      await().until(() -> server.requests("listen") > before);
      await().during(Duration.ofMillis(400)).until(() -> server.requests("listen") <= before + 2);
    }
  }
}
