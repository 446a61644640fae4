package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.Scheduled;
import io.punctual.TimedQueue;
import io.punctual.collection.DelayedQueue;
import io.punctual.collection.DueQueue;
import io.punctual.spi.Capability;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The collection views of a queue behave like the delay queues that users know from other
 * libraries.
 */
interface CollectionContract {
  @Test
  default void delayedQueue_offeredInAnyOrder_takenInTheOrderOfTheDelays(TestPartition partition) {
    with(
        partition,
        queue -> {
          DelayedQueue<String> delayed = DelayedQueue.of(queue);
          Map<Instant, String> offered = new TreeMap<>();
          offered.put(delayed.offer("third", 60, TimeUnit.MILLISECONDS).dueAt(), "third");
          offered.put(delayed.offer("first", 20, TimeUnit.MILLISECONDS).dueAt(), "first");
          Scheduled second =
              delayed.offerAsync("second", 40, TimeUnit.MILLISECONDS).toCompletableFuture().join();
          offered.put(second.dueAt(), "second");
          partition.advance(Duration.ofMillis(100));
          List<String> taken = new ArrayList<>();
          assertThat(DueQueue.of(queue).drainTo(taken)).isEqualTo(3);
          assertThat(taken).containsExactlyInAnyOrder("first", "second", "third");
          if (queue.partitions() == 1 && offered.size() == 3) {
            assertThat(taken).containsExactlyElementsOf(offered.values());
          }
          assertThat(DueQueue.of(queue)).isEmpty();
          awaitAcks(partition, queue);
        });
  }

  /**
   * Waits for the acks of taken messages: the client sends them a moment after the take, in a
   * shared call.
   */
  private static void awaitAcks(TestPartition partition, TimedQueue<String> queue) {
    for (int i = 0; i < 1000 && queue.counts().pending() > 0; i++) {
      partition.advance(Duration.ofMillis(10));
    }
    assertThat(queue.counts().pending()).isZero();
  }

  @Test
  default void delayedQueue_beforeTheDelays_isACollectionOfItsElements(TestPartition partition) {
    with(
        partition,
        queue -> {
          DelayedQueue<String> delayed = DelayedQueue.of(queue);
          List.of("a", "b", "c", "d").forEach(each -> delayed.offer(each, 1, TimeUnit.HOURS));
          assertThat(delayed).hasSize(4).containsExactlyInAnyOrder("a", "b", "c", "d");
          assertThat(delayed.readAll()).containsExactlyInAnyOrder("a", "b", "c", "d");
          assertThat(delayed.contains("b")).isTrue();
          assertThat(delayed.contains("z")).isFalse();
          assertThat(delayed.remove("b")).isTrue();
          assertThat(delayed.remove("b")).isFalse();
          assertThat(delayed.removeAll(Set.of("a", "z"))).isTrue();
          assertThat(delayed).containsExactlyInAnyOrder("c", "d");
          assertThat(delayed.retainAll(Set.of("d"))).isTrue();
          assertThat(delayed.readAll()).containsExactly("d");
          assertThat(DueQueue.of(queue).poll()).isNull();
          delayed.clear();
          assertThat(delayed).isEmpty();
        });
  }

  @Test
  default void delayedQueue_polledBeforeTheDelays_givesTheNextDueFirst(TestPartition partition) {
    with(
        partition,
        queue -> {
          DelayedQueue<String> delayed = DelayedQueue.of(queue);
          delayed.offer("later", 3, TimeUnit.HOURS);
          delayed.offer("next", 1, TimeUnit.HOURS);
          delayed.offer("second", 2, TimeUnit.HOURS);
          if (queue.partitions() == 1) {
            assertThat(delayed.peek()).isEqualTo("next");
            assertThat(delayed.poll(2)).containsExactly("next", "second");
            assertThat(delayed.poll()).isEqualTo("later");
          } else {
            assertThat(delayed.poll(10)).containsExactlyInAnyOrder("next", "second", "later");
          }
          assertThat(delayed.poll()).isNull();
        });
  }

  @Test
  default void dueQueue_onlyDueElements_areItsElements(TestPartition partition) {
    with(
        partition,
        queue -> {
          DueQueue<String> due = DueQueue.of(queue);
          assertThat(due.poll()).isNull();
          assertThat(due.peek()).isNull();
          assertThatThrownBy(due::remove).isInstanceOf(NoSuchElementException.class);
          queue.schedule("far", Duration.ofHours(1));
          assertThat(due.add("a")).isTrue();
          assertThat(due.offer("b")).isTrue();
          assertThat(due.remainingCapacity()).isEqualTo(Integer.MAX_VALUE);
          assertThat(due).hasSize(2).containsExactlyInAnyOrder("a", "b");
          assertThat(due.contains("far")).isFalse();
          Iterator<String> elements = due.iterator();
          assertThatThrownBy(elements::remove).isInstanceOf(IllegalStateException.class);
          elements.next();
          elements.remove();
          assertThat(due).hasSize(1);
          due.clear();
          assertThat(due).isEmpty();
          assertThat(queue.counts().scheduled()).isEqualTo(1);
        });
  }

  @Test
  default void dueQueue_drainedWithALimit_leavesTheRest(TestPartition partition) {
    with(
        partition,
        queue -> {
          DueQueue<String> due = DueQueue.of(queue);
          List.of("a", "b", "c").forEach(due::add);
          List<String> taken = new ArrayList<>();
          assertThat(due.drainTo(taken, 2)).isEqualTo(2);
          assertThat(due.drainTo(taken, 0)).isZero();
          assertThat(due).hasSize(1);
          assertThatThrownBy(() -> due.drainTo(due)).isInstanceOf(IllegalArgumentException.class);
          assertThat(due.drainTo(taken)).isEqualTo(1);
          assertThat(taken).containsExactlyInAnyOrder("a", "b", "c");
        });
  }

  @Test
  default void dueQueue_interruptedWhileItWaits_swallowsNothing(TestPartition partition) {
    with(
        partition,
        queue -> {
          DueQueue<String> due = DueQueue.of(queue);
          CountDownLatch started = new CountDownLatch(1);
          FutureTask<String> waiting =
              new FutureTask<>(
                  () -> {
                    started.countDown();
                    return due.take();
                  });
          Thread taker = new Thread(waiting, "taker");
          taker.start();
          awaitStart(started);
          taker.interrupt();
          assertThatThrownBy(() -> waiting.get(60, TimeUnit.SECONDS))
              .isInstanceOf(ExecutionException.class)
              .hasCauseInstanceOf(InterruptedException.class);
          due.add("a");
          assertThat(taken(due)).isEqualTo("a");
        });
  }

  @Test
  default void dueQueue_threadIsInterruptedBefore_swallowsNothing(TestPartition partition) {
    with(
        partition,
        queue -> {
          DueQueue<String> due = DueQueue.of(queue);
          due.add("a");
          Thread.currentThread().interrupt();
          assertThatThrownBy(due::take).isInstanceOf(InterruptedException.class);
          Thread.currentThread().interrupt();
          assertThat(due.poll()).isEqualTo("a");
          assertThat(Thread.interrupted()).isTrue();
        });
  }

  @Test
  default void dueQueue_interruptedAtAnyMoment_handsOutEachElementOnce(TestPartition partition) {
    with(
        partition,
        queue -> {
          List<String> elements =
              IntStream.range(0, Thoroughness.size(10, 40)).mapToObj(i -> "element " + i).toList();
          elements.forEach(DueQueue.of(queue)::add);
          List<String> taken = Collections.synchronizedList(new ArrayList<>());
          for (int round = 0; taken.size() < elements.size(); round++) {
            Thread taker = new Thread(() -> takeAll(DueQueue.of(queue), taken), "taker");
            taker.start();
            // The waits differ and become longer, so that elements are taken on a slow machine too.
            LockSupport.parkNanos(round % 20 * 50_000L * (1 + round / 20));
            taker.interrupt();
            join(taker);
          }
          assertThat(taken).containsExactlyInAnyOrderElementsOf(elements);
          assertThat(DueQueue.of(queue).poll()).isNull();
        });
  }

  private static void takeAll(DueQueue<String> due, List<String> taken) {
    try {
      while (true) {
        taken.add(due.take());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void join(Thread taker) {
    try {
      taker.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  default void take_due_returnsMessagesWithTheirIdsAndHeaders(TestPartition partition) {
    with(
        partition,
        queue -> {
          queue.schedule(Message.of("a").id("1").header("tenant", "x"));
          queue.schedule(Message.of("far").id("2").dueIn(Duration.ofHours(1)));
          List<Message<String>> taken = queue.take(10, Duration.ZERO);
          assertThat(taken).extracting(Message::payload).containsExactly("a");
          assertThat(taken.get(0).id()).hasValue("1");
          assertThat(taken.get(0).headers()).containsEntry("tenant", "x");
          queue.schedule(taken.get(0));
          assertThat(queue.take(10, Duration.ZERO)).hasSize(1);
          assertThat(queue.take(10, Duration.ZERO)).isEmpty();
        });
  }

  private static void awaitStart(CountDownLatch started) {
    try {
      assertThat(started.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static @Nullable String taken(DueQueue<String> due) {
    try {
      return due.poll(60, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void with(TestPartition partition, Consumer<TimedQueue<String>> test) {
    partition.needs(Capability.BROWSE, Capability.CANCEL, Capability.PURGE);
    try (Punctual punctual = partition.client()) {
      test.accept(punctual.queue(partition.partition().queue(), Codec.string()));
    }
  }
}
