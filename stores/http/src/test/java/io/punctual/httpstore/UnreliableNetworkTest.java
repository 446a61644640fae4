package io.punctual.httpstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.Scheduled;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import io.punctual.spi.Store;
import io.punctual.spi.StoreUrl;
import io.punctual.spi.Stores;
import io.punctual.timer.WheelTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests requests that are repeated, overtake each other, and lose their answers. */
final class UnreliableNetworkTest {
  private static final int MESSAGES = 150;

  private final WheelTimer timer = WheelTimer.create();
  private final TestServer server = TestServer.of(MemoryStore.builder().build());
  private final ReverseProxy proxy = ReverseProxy.to(server.port());

  @AfterEach
  void stop() {
    proxy.close();
    server.close();
    timer.close();
  }

  private void handleAll() {
    List<String> handled = new CopyOnWriteArrayList<>();
    try (Punctual punctual = Punctual.open(proxy.url() + "?timeout=2s")) {
      TimedQueue<String> queue = punctual.queue("orders", Codec.string());
      queue.work(delivery -> handled.add(delivery.id()));
      List<CompletableFuture<Scheduled>> scheduled = new ArrayList<>();
      for (int i = 0; i < MESSAGES; i++) {
        scheduled.add(
            queue
                .async()
                .schedule(Message.of("payload").id("m" + i).dueIn(Duration.ofMillis(i)))
                .toCompletableFuture());
      }
      scheduled.forEach(CompletableFuture::join);
      await().atMost(Duration.ofSeconds(60)).until(() -> handled.size() >= MESSAGES);
      // The answer to a question can be lost as well.
      await()
          .atMost(Duration.ofSeconds(60))
          .ignoreExceptionsInstanceOf(StoreUnavailableException.class)
          .until(() -> queue.counts().leased() == 0);
    }
    assertThat(handled)
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, MESSAGES).mapToObj(i -> "m" + i).toList());
  }

  @Test
  void requests_overtakeEachOther_eachMessageIsHandledOnce() {
    proxy.delay(50);
    handleAll();
  }

  @Test
  void answers_lost_eachMessageIsHandledOnce() {
    proxy.lose(10);
    handleAll();
    assertThat(proxy.lost()).isPositive();
  }

  /**
   * The copy of a request that a proxy makes is not marked as repeated, so its answer says that the
   * session is in use elsewhere. The client then opens a new session; nothing happens twice.
   */
  @Test
  void requests_repeated_haveOneEffect() {
    try (Punctual punctual = Punctual.open(proxy.url())) {
      TimedQueue<String> queue = punctual.queue("orders", Codec.string());
      List<String> handled = new CopyOnWriteArrayList<>();
      queue.work(delivery -> handled.add(delivery.id()));
      proxy.repeat(30);
      int confirmed = 0;
      for (int i = 0; i < 60; i++) {
        try {
          queue.schedule(Message.of("payload").id("m" + i).dueIn(Duration.ofMillis(1)));
          confirmed++;
        } catch (io.punctual.OutcomeUnknownException known) {
          assertThat(known.getMessage()).isNotEmpty();
        }
      }
      proxy.repeat(0);
      int all = confirmed;
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> handled.stream().distinct().count() >= all);
      assertThat(proxy.repeated()).isPositive();
      assertThat(confirmed).isGreaterThan(30);
    }
  }

  @Test
  void secondCall_withoutTheFirst_isAnsweredWithAGap() {
    try (Store store = Stores.open(StoreUrl.parse(server.url()), timer)) {
      Partition partition = store.partitions("orders").toCompletableFuture().join().get(0);
      partition.openSession("s1", null).toCompletableFuture().join();
      assertThat(call(partition, 2, "b").join()).isEqualTo(new Reply.Gap(1));
    }
  }

  private static CompletableFuture<Reply> call(Partition partition, long number, String id) {
    return partition
        .call(
            new Call(
                "s1",
                number,
                1,
                new Call.Apply(
                    List.of(
                        new Operation.Schedule(
                            id,
                            new DueTime(true, 1000),
                            io.punctual.IfPresent.KEEP,
                            Content.of(new byte[0]))),
                    null),
                false))
        .toCompletableFuture();
  }
}
