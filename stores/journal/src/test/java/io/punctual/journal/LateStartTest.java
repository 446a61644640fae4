package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.PunctualBuilder;
import io.punctual.Startup;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.event.Event;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the startup of clients, mostly while another owner has the folder. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class LateStartTest {
  @TempDir Path folder;

  private PunctualBuilder builder(Startup startup) {
    return Punctual.builder().url("journal:" + folder).startup(startup);
  }

  @Test
  void background_folderHasAnotherOwner_queuesWorkWhenItIsFree() {
    List<Event> events = new CopyOnWriteArrayList<>();
    List<String> handled = new CopyOnWriteArrayList<>();
    Punctual owner = Punctual.open("journal:" + folder);
    owner.queue("orders", Codec.string()).schedule(Message.of("of the owner").id("a"));
    try (Punctual punctual = builder(Startup.BACKGROUND).observer(events::add).build()) {
      TimedQueue<String> queue = punctual.queue("orders", Codec.string());
      queue.work(delivery -> handled.add(delivery.payload()));
      assertThat(punctual.status().reachable()).isFalse();
      assertThatThrownBy(() -> queue.withTimeout(Duration.ofMillis(200)).cancel("a"))
          .isInstanceOf(StoreUnavailableException.class);
      CompletableFuture<Boolean> found =
          queue
              .async()
              .find("a")
              .thenApply(message -> true)
              .exceptionally(e -> false)
              .toCompletableFuture();
      assertThat(found).isCompletedWithValue(false);
      owner.close();
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(() -> assertThat(handled).containsExactly("of the owner"));
      assertThat(punctual.status().reachable()).isTrue();
      assertThat(punctual.ping(Duration.ofSeconds(10))).isPositive();
    }
    assertThat(events).filteredOn(Event.StoreTrouble.class::isInstance).hasSize(1);
    assertThat(events).filteredOn(Event.StoreRecovered.class::isInstance).hasSize(1);
  }

  @Test
  void background_closedBeforeTheStoreIsOpen_leavesTheFolderFree() {
    try (Punctual owner = Punctual.open("journal:" + folder)) {
      Punctual punctual = builder(Startup.BACKGROUND).build();
      punctual.queue("orders", Codec.string()).work(delivery -> {});
      punctual.close(Duration.ZERO);
      assertThat(owner.ping(Duration.ofSeconds(10))).isPositive();
    }
    Punctual.open("journal:" + folder).close();
  }

  @Test
  void fail_folderHasAnotherOwner_throws() {
    try (Punctual owner = Punctual.open("journal:" + folder)) {
      PunctualBuilder second = builder(Startup.FAIL);
      assertThatThrownBy(second::build).isInstanceOf(StoreUnavailableException.class);
      assertThat(owner.status().reachable()).isTrue();
    }
  }

  @Test
  void background_storeIsThere_takesACall() {
    try (Punctual punctual = builder(Startup.BACKGROUND).build()) {
      assertThat(punctual.queue("orders", Codec.string()).schedule("a", Duration.ZERO).id())
          .isNotEmpty();
    }
  }
}
