package io.punctual.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.QueueLimits;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.spi.Call;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Consumers that are killed between a claim and its settlement, in queues with limits. The other
 * consumers receive the rest of the queue within two leases of a worker.
 */
@Timeout(300)
class KilledConsumerTest {
  private static final int MESSAGES = 20;
  private static final Duration TWO_LEASES = WorkerOptions.DEFAULT.lease().multipliedBy(2);
  private static final Duration STEP = Duration.ofMillis(500);

  private final ManualWorld world = new ManualWorld();

  @AfterEach
  void close() {
    world.close();
  }

  private enum Kind {
    WORKER {
      @Override
      void consume(TimedQueue<String> queue) {
        queue.work(ManualWorld.inline().concurrency(4).build(), delivery -> {});
      }
    },
    BATCH {
      @Override
      void consume(TimedQueue<String> queue) {
        queue.workBatches(
            ManualWorld.inline().concurrency(4).batchSize(4).build(), deliveries -> {});
      }
    },
    CLAIM {
      @Override
      void consume(TimedQueue<String> queue) {
        queue
            .async()
            .claim(
                4,
                ClaimOptions.DEFAULT
                    .lease(WorkerOptions.DEFAULT.lease())
                    .maxWait(Duration.ofHours(1)));
      }
    },
    TAKE {
      @Override
      void consume(TimedQueue<String> queue) {
        for (int i = 0; i < 4; i++) {
          queue.async().take(1, Duration.ofHours(1));
        }
      }
    },
    TAKE_WITH_PREFETCH {
      @Override
      void consume(TimedQueue<String> queue) {
        for (int i = 0; i < 4; i++) {
          queue.async().take(1, ClaimOptions.DEFAULT.maxWait(Duration.ofHours(1)).prefetch(4));
        }
      }
    };

    abstract void consume(TimedQueue<String> queue);
  }

  private static Stream<Arguments> cases() {
    QueueLimits concurrency = QueueLimits.none().concurrency(2);
    QueueLimits rate = QueueLimits.none().rate(10, Duration.ofSeconds(1), 2);
    List<QueueLimits> all =
        List.of(QueueLimits.none(), concurrency, rate, rate.concurrency(2), rate.concurrency(1));
    return Stream.of(Kind.values())
        .flatMap(kind -> all.stream().map(limits -> Arguments.of(kind, limits)))
        .flatMap(
            each ->
                Stream.of(true, false)
                    .map(answered -> Arguments.of(each.get()[0], each.get()[1], answered)));
  }

  /**
   * Kills a consumer.
   *
   * @param answered whether the killed consumer receives the replies to its claims
   */
  @ParameterizedTest
  @MethodSource("cases")
  void consumerKilled_beforeTheSettlement_othersGetTheRestWithinTwoLeases(
      Kind kind, QueueLimits limits, boolean answered) {
    world.queue.setLimits(limits);
    world.queue.scheduleAll(
        IntStream.range(0, MESSAGES).mapToObj(i -> Message.of("m").id("m" + i)).toList());
    DyingStore dying = new DyingStore(answered);
    Punctual killed = Punctual.builder().store(dying.of(world.store)).timer(world.clock).build();
    kind.consume(killed.queue("orders", Codec.string()));
    world.advance(Duration.ofMillis(300));
    dying.isDead = true;
    int lost = MESSAGES - (int) world.queue.counts().pending();

    Set<String> received = new HashSet<>();
    for (Duration time = Duration.ZERO; time.compareTo(TWO_LEASES) < 0; time = time.plus(STEP)) {
      world.advance(STEP);
      List<Delivery<String>> next =
          world.queue.claim(MESSAGES, ClaimOptions.DEFAULT.lease(Duration.ofSeconds(30)));
      next.forEach(each -> received.add(each.id()));
      next.forEach(Delivery::ack);
    }
    assertThat(received).hasSize(MESSAGES - lost);
    assertThat(world.queue.counts().pending()).isZero();
    assertThat(lost)
        .isLessThanOrEqualTo(kind == Kind.TAKE || kind == Kind.TAKE_WITH_PREFETCH ? 16 : 0);
  }

  /**
   * Executes the claims of a client, but no operation, so that each claim is the last call of its
   * process. Once dead, executes and answers nothing.
   */
  private static final class DyingStore {
    private final boolean answersClaims;
    private boolean isDead;

    DyingStore(boolean answersClaims) {
      this.answersClaims = answersClaims;
    }

    Store of(Store store) {
      return proxy(
          Store.class,
          (proxy, method, args) -> {
            Object result = method.invoke(store, args);
            return method.getName().equals("partitions")
                ? ((CompletionStage<?>) result)
                    .thenApply(all -> ((List<?>) all).stream().map(this::partition).toList())
                : result;
          });
    }

    private Partition partition(Object partition) {
      return proxy(
          Partition.class,
          (proxy, method, args) -> {
            boolean isCall = method.getName().equals("call");
            if (isCall && (isDead || ((Call) args[0]).body() instanceof Call.Apply)) {
              return new CompletableFuture<>();
            }
            Object result = method.invoke(partition, args);
            return isCall && !answersClaims ? new CompletableFuture<>() : result;
          });
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
      return type.cast(
          Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
  }
}
