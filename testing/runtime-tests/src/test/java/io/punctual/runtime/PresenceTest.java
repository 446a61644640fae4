package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.LeaseHolder;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.WorkerInfo;
import io.punctual.WorkerOptions;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Announcement;
import io.punctual.spi.Capability;
import io.punctual.spi.Store;
import io.punctual.test.ManualClock;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests the list of workers that a client keeps in the store, and the holders of leases. */
class PresenceTest {
  private final ManualClock clock = new ManualClock();
  private final MemoryStore memory = MemoryStore.builder().clock(clock).build();
  private final List<String> announced = new ArrayList<>();
  private final Map<String, String> texts = new HashMap<>();
  private boolean fails;
  private boolean listFails;

  /** The answer to the next announcements, or null to answer at once. */
  private @Nullable CompletableFuture<?> answer;

  /**
   * Returns the memory store, but with announcements of workers that the test keeps and answers.
   */
  private Store store() {
    return (Store)
        Proxy.newProxyInstance(
            Store.class.getClassLoader(),
            new Class<?>[] {Store.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "capabilities" -> EnumSet.allOf(Capability.class);
                  case "announce" ->
                      announce(
                          (String) arguments[0], (String) arguments[1], (Duration) arguments[2]);
                  case "announcements" -> announcements();
                  default -> {
                    try {
                      yield method.invoke(memory, arguments);
                    } catch (InvocationTargetException e) {
                      throw e.getCause();
                    }
                  }
                });
  }

  private CompletableFuture<?> announcements() {
    List<Announcement> all = new ArrayList<>();
    texts.forEach((client, text) -> all.add(new Announcement(client, text, 5)));
    all.add(new Announcement("d", "9\ta newer format", 5));
    return listFails
        ? CompletableFuture.failedFuture(new IllegalStateException("seeded by the test"))
        : CompletableFuture.completedFuture(all);
  }

  private CompletableFuture<?> announce(String client, String text, Duration keep) {
    assertThat(keep).isEqualTo(Duration.ofSeconds(30));
    announced.add(text);
    texts.put(client, text);
    if (answer != null) {
      return answer;
    }
    return fails
        ? CompletableFuture.failedFuture(new IllegalStateException("seeded by the test"))
        : CompletableFuture.completedFuture(null);
  }

  private Punctual client() {
    return Punctual.builder().store(store()).timer(clock).build();
  }

  @Test
  void workers_whileTheyRun_areRenewedEveryTenSeconds() {
    try (Punctual punctual = client()) {
      clock.advance(Duration.ofMinutes(1));
      assertThat(announced).isEmpty();
      WorkerOptions options = WorkerOptions.builder().name("a\tb\nc").concurrency(3).build();
      Worker worker = punctual.queue("q", Codec.string()).work(options, delivery -> {});
      Worker other = punctual.queue("r", Codec.string()).work(delivery -> {});
      clock.advance(Duration.ofMillis(100));
      assertThat(announced).hasSize(1);
      assertThat(punctual.workers())
          .extracting(WorkerInfo::queue, WorkerInfo::name, WorkerInfo::concurrency)
          .containsExactly(tuple("q", "a b c", 3), tuple("r", "r", other.concurrency()));
      worker.pause();
      fails = true;
      clock.advance(Duration.ofSeconds(10));
      assertThat(announced).hasSize(2);
      assertThat(punctual.workers().get(0).isPaused()).isTrue();
      clock.advance(Duration.ofSeconds(20));
      assertThat(announced).hasSize(4);
      fails = false;
      other.close();
      clock.advance(Duration.ofMillis(100));
      assertThat(punctual.workers()).extracting(WorkerInfo::queue).containsExactly("q");
      worker.close();
      clock.advance(Duration.ofMillis(100));
      assertThat(announced).last().isEqualTo("");
      int before = announced.size();
      clock.advance(Duration.ofMinutes(1));
      assertThat(announced).hasSize(before);
    }
    assertThat(announced).last().isEqualTo("");
  }

  /** The SQL store counts the clients of a queue. */
  @Test
  void announcement_severalWorkers_hasTheirQueues() {
    try (Punctual punctual = client()) {
      punctual.queue("orders", Codec.string()).work(delivery -> {});
      punctual.queue("mails", Codec.string()).work(delivery -> {});
      punctual.queue("mails", Codec.string()).work(delivery -> {});
      clock.advance(Duration.ofSeconds(11));
      String text = texts.values().iterator().next();
      assertThat(new Announcement("client", text, 0).queues())
          .containsExactlyInAnyOrder("orders", "mails");
      assertThat(new Announcement("client", "", 0).queues()).isEmpty();
      assertThat(new Announcement("client", "a\nb\tc\n\n", 0).queues()).isEmpty();
    }
  }

  @Test
  void leaseHolder_messageOfAWorker_namesTheWorkerOfEveryClient() {
    CompletableFuture<Void> end = new CompletableFuture<>();
    try (Punctual punctual = client();
        Punctual other = client()) {
      TimedQueue<String> queue = punctual.queue("q", Codec.string());
      queue.schedule(Message.of("waits").id("later").dueIn(Duration.ofDays(1)));
      queue.schedule(Message.of("runs").id("a"));
      WorkerOptions options = WorkerOptions.builder().name("night").build();
      Worker worker = queue.workStages(options, delivery -> end);
      clock.advance(Duration.ofMillis(100));
      String expected = "night on " + host(punctual) + " (pid " + pid() + ")";
      for (Punctual each : List.of(punctual, other)) {
        TimedQueue<String> view = each.queue("q", Codec.string());
        assertHolder(view.find("a").orElseThrow(), expected);
        assertHolder(view.findAll(List.of("none", "later", "a")).get(2).orElseThrow(), expected);
        assertHolder(view.browse(State.LEASED, 10).items().get(0), expected);
        assertThat(view.find("later").orElseThrow().leaseHolder()).isEmpty();
        assertThat(view.find("later").orElseThrow().createdAt()).isPresent();
      }
      listFails = true;
      assertHolder(queue.find("a").orElseThrow(), expected);
      assertThat(holder(other, "a").describe()).startsWith("session ");
      end.complete(null);
      worker.close();
    }
  }

  @Test
  void leaseHolder_claimWithoutAWorker_isKnownToItsOwnClient() {
    try (Punctual punctual = client();
        Punctual other = client()) {
      TimedQueue<String> queue = punctual.queue("q", Codec.string());
      queue.schedule(Message.of("runs").id("a"));
      Delivery<String> held = queue.claim(1, Duration.ZERO).get(0);
      assertThat(holder(punctual, "a").describe()).startsWith("a client on ").endsWith(")");
      LeaseHolder seen = holder(other, "a");
      assertThat(seen.host()).isEmpty();
      assertThat(seen.describe()).isEqualTo("session " + holder(punctual, "a").session());
      held.ack();
    }
  }

  private static LeaseHolder holder(Punctual client, String id) {
    return client.queue("q", Codec.string()).find(id).orElseThrow().leaseHolder().orElseThrow();
  }

  private static void assertHolder(StoredMessage<String> message, String expected) {
    LeaseHolder holder = message.leaseHolder().orElseThrow();
    assertThat(holder.session()).hasSizeGreaterThan(16);
    assertThat(holder.workers()).containsExactly("night");
    assertThat(holder.claimant()).isEmpty();
    assertThat(holder.pid()).hasValue(pid());
    assertThat(holder.describe()).isEqualTo(expected);
  }

  private static String host(Punctual client) {
    return client.workers().get(0).host();
  }

  private static long pid() {
    return ProcessHandle.current().pid();
  }

  @Test
  void workerEnds_whileARequestHasNoAnswer_isRemovedAfterTheAnswer() {
    try (Punctual punctual = client()) {
      CompletableFuture<?> first = new CompletableFuture<>();
      answer = first;
      Worker worker = punctual.queue("q", Codec.string()).work(delivery -> {});
      clock.advance(Duration.ofMillis(100));
      worker.close();
      clock.advance(Duration.ofSeconds(5));
      assertThat(announced).hasSize(1);
      answer = null;
      first.complete(null);
      clock.advance(Duration.ofSeconds(1));
      assertThat(announced).hasSize(2).last().isEqualTo("");
    }
  }

  @Test
  void workers_moreThanTheListCanHold_areCut() {
    try (Punctual punctual = client()) {
      WorkerOptions options = WorkerOptions.builder().name("n".repeat(200)).build();
      TimedQueue<String> queue = punctual.queue("q", Codec.string());
      for (int i = 0; i < 1_500; i++) {
        queue.work(options, delivery -> {});
      }
      clock.advance(Duration.ofMillis(100));
      String text = announced.get(0);
      assertThat(text.length()).isBetween(Announcement.MAX_BYTES - 300, Announcement.MAX_BYTES);
      assertThat(punctual.workers()).hasSize((int) text.lines().count() - 1);
    }
  }

  @Test
  void close_withRunningWorkers_removesTheList() {
    try (Punctual punctual = client()) {
      punctual.queue("q", Codec.string()).work(delivery -> {});
      clock.advance(Duration.ofSeconds(1));
      assertThat(announced).hasSize(1);
    }
    assertThat(announced).hasSize(2).last().isEqualTo("");
  }

  @Test
  void workers_storeWithoutAList_areThoseOfTheClient() {
    try (Punctual punctual = Punctual.builder().store(memory).timer(clock).build()) {
      assertThat(punctual.workers()).isEmpty();
      punctual.queue("q", Codec.string()).work(delivery -> {});
      assertThat(punctual.workers()).extracting(WorkerInfo::queue).containsExactly("q");
      assertThat(punctual.workers().get(0).lastSeenAt()).isEqualTo(clock.instant());
    }
  }
}
