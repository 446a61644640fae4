package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.SettleOutcome;
import io.punctual.Settlement;
import io.punctual.TimedQueue;
import io.punctual.collection.DelayedQueue;
import io.punctual.collection.DueQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Requests for many messages. Their number of calls to the store does not grow with each message.
 */
@Timeout(300)
class BoundedCallsTest {
  private static final int MESSAGES = 1000;

  private final ManualWorld world = new ManualWorld();
  private final Queue<String> calls = new ConcurrentLinkedQueue<>();
  private final Punctual client =
      Punctual.builder()
          .store(RecordedRequests.of(world.store, calls))
          .timer(world.clock)
          .blockingTimeout(Duration.ofMinutes(1))
          .build();
  private final TimedQueue<String> queue = client.queue("orders", Codec.string());
  private final List<String> all = IntStream.range(0, MESSAGES).mapToObj(i -> "m" + i).toList();

  @AfterEach
  void close() {
    client.close(Duration.ZERO);
    world.close();
  }

  private void schedule(Duration delay) {
    queue.scheduleAll(all.stream().map(id -> Message.of(id).id(id).dueIn(delay)).toList());
    calls.clear();
  }

  @Test
  void findAll_manyIds_isACallForAThousand() {
    schedule(Duration.ZERO);
    List<String> ids = IntStream.range(0, 2500).mapToObj(i -> "m" + i).toList();
    assertThat(queue.findAll(ids)).filteredOn(found -> found.isPresent()).hasSize(MESSAGES);
    assertThat(calls).containsExactly("find", "find", "find");
  }

  @Test
  void settle_messagesToRemember_looksThemUpInOneCall() {
    queue.scheduleAll(
        all.stream().map(id -> Message.of(id).id(id).rememberFor(Duration.ofHours(1))).toList());
    List<Delivery<String>> held =
        queue.claim(MESSAGES, ClaimOptions.DEFAULT.lease(Duration.ofMinutes(1)));
    assertThat(held).hasSize(MESSAGES);
    calls.clear();
    assertThat(queue.settle(held.stream().map(it -> new Settlement.Ack(it.receipt())).toList()))
        .containsOnly(SettleOutcome.DONE);
    assertThat(calls).containsExactly("find", "call");
  }

  @Test
  void dueQueue_manyElements_needsFewCalls() {
    DueQueue<String> due = DueQueue.of(queue);
    assertThat(due.addAll(all)).isTrue();
    assertThat(calls.size()).isLessThan(5);
    expectFewCalls(due);
    assertThat(due.isEmpty()).isTrue();
  }

  @Test
  void delayedQueue_manyElements_needsFewCalls() {
    schedule(Duration.ofHours(1));
    DelayedQueue<String> delayed = DelayedQueue.of(queue);
    expectFewCalls(delayed);
    schedule(Duration.ofHours(1));
    assertThat(delayed.poll(MESSAGES)).containsExactlyInAnyOrderElementsOf(all);
    assertThat(calls.size()).isLessThan(20);
    delayed.offer("last", 1, TimeUnit.HOURS);
    assertThat(delayed.isEmpty()).isFalse();
  }

  /** Removes all of a view's elements in several ways. */
  private void expectFewCalls(Collection<String> view) {
    calls.clear();
    assertThat(view.isEmpty()).isFalse();
    assertThat(calls).containsExactly("browse");
    assertThat(view.containsAll(all)).isTrue();
    assertThat(view.containsAll(List.of("none"))).isFalse();
    assertThat(view.removeAll(all.subList(0, 400))).isTrue();
    assertThat(view.removeAll(all.subList(0, 400))).isFalse();
    assertThat(view.retainAll(all.subList(0, 700))).isTrue();
    List<String> left = new ArrayList<>();
    view.iterator().forEachRemaining(left::add);
    assertThat(left).containsExactlyInAnyOrderElementsOf(all.subList(400, 700));
    assertThat(view.removeIf(element -> true)).isTrue();
    assertThat(calls.size()).isLessThan(60);
    assertThat(calls).doesNotContain("counts", "countsNow");
  }
}
