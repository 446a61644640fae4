package io.punctual.error;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.Recurrence;
import io.punctual.RetryPolicy;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.memory.MemoryStore;
import io.punctual.test.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** A client's life on the thread of the caller, with an error at one point of its middle. */
public final class ErrorScenario implements BiFunction<Object[], @Nullable Error, String> {
  private static final int CONCURRENCY = 4;
  private static final int ATTEMPTS = 5;
  private static final Duration LEASE = Duration.ofSeconds(10);

  /** What differs between the runs. */
  public enum Variant {
    PLAIN,
    EXECUTOR,
    PREFETCH,
    /** Never paused: a pause and a resume would mend much. */
    PREFETCH_UNPAUSED,
    BATCHES,
    BATCHES_UNPAUSED,
    BATCHES_PREFETCH,
    PARTITIONS,
    /** The number of partitions changes while operations wait. */
    CORRECTED
  }

  private final ManualClock clock = new ManualClock();
  private final Set<String> confirmed = new HashSet<>();
  private final Set<String> handled = new HashSet<>();
  private final Set<String> handedOver = new HashSet<>();
  private final List<String> handedOverTwice = new ArrayList<>();
  private final Map<String, Integer> attempts = new TreeMap<>();
  private final List<Delivery<String>> together = new ArrayList<>();
  private final List<CompletableFuture<Void>> ends = new ArrayList<>();
  private final List<CompletionStage<?>> stages = new ArrayList<>();
  private final List<String> taken = new ArrayList<>();
  private final Message<String> recurring =
      Message.of("x").id("r").recurring(Recurrence.every(Duration.ofDays(1)));

  @Override
  public String apply(Object[] run, @Nullable Error error) {
    Variant variant = Variant.valueOf((String) run[0]);
    MemoryStore store =
        MemoryStore.builder()
            .clock(clock)
            .partitions(variant == Variant.PARTITIONS ? 4 : 1)
            .build();
    RecountedStore recounted = new RecountedStore(store, 2);
    Punctual client =
        Punctual.builder()
            .store(variant == Variant.CORRECTED ? recounted.store() : store)
            .timer(clock)
            .observer(e -> {})
            .operationTimeout(Duration.ofSeconds(20))
            .blockingTimeout(Duration.ofMillis(50))
            .build();
    TimedQueue<String> queue = client.queue("q", Codec.string());
    WorkerOptions.Builder options =
        WorkerOptions.builder()
            .concurrency(CONCURRENCY)
            .lease(LEASE)
            .executor(
                variant == Variant.EXECUTOR ? task -> clock.schedule(1_000, task) : Runnable::run)
            .retryPolicy(RetryPolicy.fixed(Duration.ofSeconds(1)).maxAttempts(ATTEMPTS));
    if (variant == Variant.PREFETCH
        || variant == Variant.PREFETCH_UNPAUSED
        || variant == Variant.BATCHES_PREFETCH) {
      options.prefetch(6);
    }
    Worker worker =
        variant == Variant.BATCHES
                || variant == Variant.BATCHES_UNPAUSED
                || variant == Variant.BATCHES_PREFETCH
            ? queue.workBatches(
                options.batchSize(3).batchLinger(Duration.ofMillis(200)).build(), this::handleAll)
            : queue
                .withDeadHandler((delivery, reason, failure) -> handled.add(delivery.id()))
                .workStages(options.build(), this::handle);
    TimedQueue<String> other = client.queue("other", Codec.string());
    TimedQueue<String> replaced = client.queue("replaced", Codec.string());
    TimedQueue<String> takes = client.queue("takes", Codec.string());
    Injection.at((Long) run[1], error);
    act(queue, other, () -> recounted.recount(3));
    replace(replaced);
    take(takes);
    if (variant != Variant.PREFETCH_UNPAUSED && variant != Variant.BATCHES_UNPAUSED) {
      attempt(worker::pause);
    }
    advance(Duration.ofSeconds(1));
    for (int i = 0; worker.isPaused() && i < 2; i++) {
      attempt(worker::resume); // a user would try again
    }
    long points = Injection.end();
    for (int i = 0; i < 200; i++) {
      advance(Duration.ofSeconds(1));
    }
    String fault = fault(queue, other);
    fault = fault.isEmpty() ? faultOfTakes(takes) : fault;
    return fault.isEmpty() ? closes(client) ? "ok " + points : "the client does not close" : fault;
  }

  /** Closes the client on another thread, while the time goes on. */
  private boolean closes(Punctual client) {
    Thread closing = new Thread(() -> client.close(Duration.ZERO));
    closing.setDaemon(true);
    closing.start();
    try {
      closing.join(1);
      for (int i = 0; i < 10_000 && closing.isAlive(); i++) {
        advance(Duration.ofSeconds(1));
        closing.join(2);
      }
    } catch (InterruptedException e) {
      return false;
    }
    return !closing.isAlive();
  }

  private void act(TimedQueue<String> queue, TimedQueue<String> other, Runnable recount) {
    for (int i = 0; i < 3; i++) {
      String id = "a" + i;
      attempt(() -> schedule(queue, id, "x", 1));
    }
    attempt(() -> schedule(queue, "fails", "fails", 1));
    attempt(() -> schedule(queue, "dies", "dies", 1));
    attempt(() -> schedule(queue, "slow", "slow", 1));
    recount.run();
    attempt(
        () ->
            queue
                .async()
                .schedule("x", Duration.ofSeconds(2))
                .thenAccept(s -> confirmed.add(s.id())));
    attempt(() -> schedule(queue, "cancelled", "x", 100));
    attempt(() -> queue.cancel("cancelled"));
    for (int i = 0; i < 5; i++) {
      advance(Duration.ofMillis(500));
    }
    for (int i = 0; i < 12; i++) {
      advance(Duration.ofSeconds(2));
    }
    attempt(() -> schedule(other, "c", "x", 0));
    attempt(() -> claim(other, 0));
    attempt(() -> schedule(other, "d", "x", 1));
    attempt(() -> claim(other, 5));
    advance(Duration.ofSeconds(2));
  }

  /** Replaces a recurring message, which looks the message up before. */
  private void replace(TimedQueue<String> queue) {
    for (int i = 0; i < 2; i++) {
      attempt(() -> stages.add(queue.async().schedule(recurring, IfPresent.REPLACE)));
      attempt(() -> stages.add(queue.async().cancel("r")));
    }
  }

  private void take(TimedQueue<String> queue) {
    for (int i = 0; i < 4; i++) {
      String text = "t" + i;
      attempt(() -> queue.schedule(Message.of(text).dueIn(Duration.ZERO)));
    }
    attempt(() -> takeNow(queue, 2));
    attempt(() -> takeNow(queue, 10));
    advance(Duration.ofSeconds(1));
  }

  private void takeNow(TimedQueue<String> queue, int max) {
    stages.add(
        queue
            .async()
            .take(max, Duration.ZERO)
            .thenAccept(all -> all.forEach(each -> taken.add(each.payload()))));
  }

  private void schedule(TimedQueue<String> queue, String id, String payload, int seconds) {
    queue.schedule(Message.of(payload).id(id).dueIn(Duration.ofSeconds(seconds)));
    confirmed.add(id);
  }

  private void claim(TimedQueue<String> queue, int seconds) {
    queue
        .async()
        .claim(10, ClaimOptions.DEFAULT.lease(LEASE).maxWait(Duration.ofSeconds(seconds)))
        .thenAccept(
            all ->
                all.forEach(
                    each -> {
                      handled.add(each.id());
                      each.async().ack();
                    }));
  }

  private void note(Delivery<String> delivery) {
    String claimed = delivery.id() + " of claim " + delivery.fencingToken();
    if (!handedOver.add(claimed)) {
      handedOverTwice.add(claimed);
    }
  }

  private CompletionStage<?> handle(Delivery<String> delivery) {
    note(delivery);
    int attempt = attempts.merge(delivery.id(), 1, Integer::sum);
    if (delivery.payload().equals("dies") || (delivery.payload().equals("fails") && attempt < 3)) {
      throw new IllegalStateException("seeded");
    }
    CompletableFuture<Void> end = new CompletableFuture<>();
    if (delivery.payload().equals("together")) {
      together.add(delivery);
      ends.add(end);
      return end;
    }
    if (delivery.payload().equals("slow")) {
      clock.schedule(
          Duration.ofSeconds(15).toNanos(),
          () -> {
            handled.add(delivery.id());
            end.complete(null);
          });
      return end;
    }
    handled.add(delivery.id());
    end.complete(null);
    return end;
  }

  private void handleAll(List<Delivery<String>> batch) {
    for (Delivery<String> each : batch) {
      note(each);
      if (each.payload().equals("together")) {
        together.add(each);
      }
      handled.add(each.id());
    }
  }

  private void advance(Duration time) {
    attempt(() -> clock.advance(time));
  }

  private static void attempt(Runnable call) {
    try {
      call.run();
    } catch (Throwable e) {
      // The injected error, or its effect on the caller.
    }
  }

  private String faultOfTakes(TimedQueue<String> queue) {
    attempt(() -> queue.schedule(Message.of("last").dueIn(Duration.ZERO)));
    attempt(() -> takeNow(queue, 10));
    advance(Duration.ofSeconds(1));
    attempt(() -> takeNow(queue, 10));
    advance(Duration.ofSeconds(1));
    if (stages.stream().anyMatch(each -> !each.toCompletableFuture().isDone())) {
      return "a stage does not end: " + stages;
    }
    boolean twice = new HashSet<>(taken).size() < taken.size();
    return twice || !taken.contains("last") ? "taken " + taken : "";
  }

  private String fault(TimedQueue<String> queue, TimedQueue<String> other) {
    attempt(() -> claim(other, 0));
    advance(Duration.ofSeconds(1));
    if (!handedOverTwice.isEmpty()) {
      return "handed over twice: " + handedOverTwice;
    }
    confirmed.remove("cancelled");
    Set<String> missing = new HashSet<>(confirmed);
    missing.removeAll(handled);
    if (!missing.isEmpty()) {
      return "not handled: " + missing + " " + queue.counts();
    }
    long pending = queue.counts().pending();
    for (int i = 0; i < CONCURRENCY; i++) {
      String id = "t" + i;
      attempt(() -> schedule(queue, id, "together", 1));
    }
    advance(Duration.ofSeconds(1));
    advance(Duration.ofSeconds(1));
    advance(Duration.ofSeconds(1));
    int size = together.size();
    List.copyOf(ends).forEach(end -> end.complete(null));
    if (size != CONCURRENCY) {
      return "only " + size + " handlers run at once";
    }
    advance(Duration.ofSeconds(1));
    if (queue.counts().pending() > 0) {
      return pending + " messages stay, then " + queue.counts();
    }
    attempt(() -> schedule(other, "e", "x", 0));
    attempt(() -> claim(other, 0));
    advance(Duration.ofSeconds(1));
    return handled.contains("e") ? "" : "nothing to claim";
  }
}
