package io.punctual.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.Delivery;
import io.punctual.WorkerOptions;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.MapPropertySource;

/**
 * Tests starts that fail, starts that overlap with stops, and options that the application sets.
 */
@Timeout(180)
class ListenerLifecycleTest extends ContextFixture {
  static class Options {
    final AtomicBoolean broken = new AtomicBoolean();
    final List<String> customized = new CopyOnWriteArrayList<>();

    @Bean
    ListenerDefaults defaults() {
      return new ListenerDefaults() {
        @Override
        public WorkerOptions options(String queue) {
          return WorkerOptions.DEFAULT;
        }

        @Override
        public void customize(String listener, String queue, WorkerOptions.Builder options) {
          customized.add(queue);
          if (broken.get() && queue.equals("second")) {
            throw new IllegalArgumentException("no such tenant");
          }
        }
      };
    }
  }

  @Lazy
  static class Late extends Received {
    @PunctualListener(value = "first", id = "one")
    void one(String order) {}

    @PunctualListener(value = "second", id = "two")
    void two(String order) {}
  }

  @Test
  void failedStartOfALateBean_leavesItsIdsFree() {
    context.register(Base.class, Late.class, Options.class);
    context.refresh();
    Options options = context.getBean(Options.class);
    options.broken.set(true);
    assertThatThrownBy(() -> context.getBean(Late.class))
        .isInstanceOf(BeanCreationException.class)
        .hasRootCauseMessage("no such tenant")
        .hasStackTraceContaining("Late.two(String)")
        .hasStackTraceContaining("queue 'second'");
    assertThat(registry().listeners()).isEmpty();
    options.broken.set(false);
    assertThat(context.getBean(Late.class)).isNotNull();
    assertThat(registry().listeners()).hasSize(2).allMatch(RegisteredListener::isRunning);
  }

  static class Queues extends Received {
    @PunctualListener(
        value = {"a", "b", "a"},
        id = "queues",
        batchSize = "${size:}")
    void handle(String order) {}
  }

  @Test
  void optionsOfAQueue_areCustomizedOnce_andEachQueueHasOneWorker() {
    start(Queues.class, Options.class);
    assertThat(context.getBean(Options.class).customized).containsExactly("a", "b");
    assertThat(registry().find("queues").orElseThrow().workers()).hasSize(2);
  }

  @Test
  void startOfAListener_afterTheStopOfTheContext_waitsForItsNextStart() {
    start(Busy.class);
    RegisteredListener listener = registry().find("busy").orElseThrow();
    context.stop();
    listener.start();
    assertThat(listener.isRunning()).isFalse();
    context.start();
    assertThat(listener.isRunning()).isTrue();
  }

  static class Slow {
    final CountDownLatch starts = new CountDownLatch(1);
    final CountDownLatch goOn = new CountDownLatch(1);

    @Bean
    ListenerDefaults defaults() {
      return new ListenerDefaults() {
        @Override
        public WorkerOptions options(String queue) {
          starts.countDown();
          try {
            goOn.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
          return WorkerOptions.DEFAULT;
        }
      };
    }
  }

  /** Runs a task on a new thread, because the common pool may have a single thread. */
  private static CompletableFuture<?> inThread(Runnable task) {
    return CompletableFuture.runAsync(task, each -> new Thread(each).start());
  }

  @Test
  void stopDuringAStart_leavesNoWorkers() throws Exception {
    context.register(Base.class, Late.class, Slow.class);
    context.refresh();
    Slow slow = context.getBean(Slow.class);
    CompletableFuture<?> start = inThread(() -> context.getBean(Late.class));
    slow.starts.await();
    CompletableFuture<?> stop = inThread(() -> registry().stop());
    await().atMost(Duration.ofMinutes(1)).until(() -> !registry().isRunning());
    slow.goOn.countDown();
    CompletableFuture.allOf(start, stop).get(60, TimeUnit.SECONDS);
    assertThat(registry().listeners())
        .hasSize(2)
        .noneMatch(RegisteredListener::isRunning)
        .allMatch(each -> each.workers().isEmpty());
  }

  static class Busy extends Received {
    final CountDownLatch release = new CountDownLatch(1);

    @PunctualListener(value = "orders", id = "busy")
    void handle(String order) throws InterruptedException {
      add(order);
      release.await();
      add("ended");
    }
  }

  @Test
  void secondStop_waitsForTheCallsOfTheFirst() throws Exception {
    Busy listener = start(Busy.class);
    schedule("orders", "a");
    assertThat(listener.next()).isEqualTo("a");
    CompletableFuture<?> first = new CompletableFuture<>();
    registry().stop(() -> first.complete(null));
    CompletableFuture<?> second = inThread(() -> registry().stop());
    CompletableFuture<?> third = inThread(() -> registry().find("busy").orElseThrow().stop());
    assertThatThrownBy(() -> second.get(200, TimeUnit.MILLISECONDS)).isNotNull();
    assertThat(first).isNotDone();
    assertThat(third).isNotDone();
    listener.release.countDown();
    CompletableFuture.allOf(first, second, third).get(60, TimeUnit.SECONDS);
    assertThat(listener.next()).isEqualTo("ended");
  }

  static class Same {
    @PunctualListener("a")
    void on(String order) {}

    @PunctualListener("b")
    void on(Integer order) {}
  }

  @Test
  void overloads_failWithTheNameOfTheOtherMethod() {
    context.register(Base.class, Same.class);
    assertThatThrownBy(context::refresh)
        .isInstanceOf(ListenerDefinitionException.class)
        .hasMessageContaining("Same.on(String)")
        .hasMessageContaining("Same.on(Integer)")
        .hasMessageContaining("attribute id");
  }

  @Test
  void batchSizeOfAPlaceholder_withANumber_isRefusedForSingleMessages() {
    context
        .getEnvironment()
        .getPropertySources()
        .addFirst(new MapPropertySource("test", java.util.Map.of("size", "5")));
    context.register(Base.class, Queues.class);
    assertThatThrownBy(context::refresh)
        .isInstanceOf(ListenerDefinitionException.class)
        .hasMessageContaining("batchSize");
  }

  static class Two extends Received {
    @PunctualListener("orders")
    @PunctualListener("more")
    void handle(Order order) {
      add(order.id());
    }
  }

  @Test
  void stoppedContext_startsTheListenersThatRan() throws Exception {
    Two listener = start(Two.class);
    RegisteredListener stopped =
        registry().listeners().stream().filter(l -> l.queues().contains("more")).findFirst().get();
    stopped.stop();
    assertThat(stopped.isRunning()).isFalse();
    context.stop();
    assertThat(registry().listeners()).noneMatch(RegisteredListener::isRunning);
    template().schedule("orders", order("1"));
    template().schedule("more", order("2"));
    context.start();
    assertThat(listener.next()).isEqualTo("1");
    assertThat(stopped.isRunning()).isFalse();
    stopped.start();
    assertThat(listener.next()).isEqualTo("2");
  }

  static class StopsItself extends Received {
    @PunctualListener(value = "orders", id = "self")
    void handle(Order order, Delivery<Order> delivery) {
      ((Supplier<PunctualListenerRegistry>) () -> registry).get().find("self").get().stop();
      add(order.id());
    }

    PunctualListenerRegistry registry;
  }

  @Test
  void stop_inTheListenersOwnMethod_returns() throws Exception {
    StopsItself listener = start(StopsItself.class);
    listener.registry = registry();
    template().schedule("orders", order("1"));
    assertThat(listener.next()).isEqualTo("1");
    await().atMost(Duration.ofMinutes(1)).until(() -> count("orders") == 0);
  }

  static class Unequal {
    @Bean
    ListenerDefaults defaults() {
      return queue -> WorkerOptions.builder().concurrency(queue.equals("b") ? 5 : 3).build();
    }
  }

  @Test
  void queuesOfAListener_withDifferentConcurrency_areRefused() {
    assertThatThrownBy(() -> start(Queues.class, Unequal.class))
        .hasRootCauseInstanceOf(ListenerDefinitionException.class)
        .rootCause()
        .hasMessageContainingAll("Queues.handle", "concurrency", "'a'", "[b]", "of their own");
  }

  @Test
  void queuesOfAListener_withTheSameConcurrency_areNotReported() {
    assertThat(logOf(() -> start(Queues.class))).doesNotContain("WARN");
  }

  private static String logOf(Runnable action) {
    PrintStream errors = System.err;
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    try {
      action.run();
    } finally {
      System.setErr(errors);
    }
    return log.toString(StandardCharsets.UTF_8);
  }
}
