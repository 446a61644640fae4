package io.punctual.webhook;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.http.webhook.WebhookAttempt;
import io.punctual.http.webhook.WebhookKey;
import io.punctual.http.webhook.WebhookSpec;
import io.punctual.http.webhook.WebhookState;
import io.punctual.http.webhook.WebhookView;
import io.punctual.memory.MemoryStore;
import io.punctual.test.ManualClock;
import io.punctual.timer.DueTimer;
import io.punctual.timer.WheelTimer;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** Webhooks on the memory store, by a test's clock or the system's. */
final class Fixture implements AutoCloseable {
  final ManualClock manual;
  final InstantSource clock;
  final Punctual punctual;
  private final DueTimer timer;
  private final List<Runnable> resources = new ArrayList<>();
  private final Set<Integer> ports = new HashSet<>();
  HostResolver resolver = HostResolver.SYSTEM;

  private Fixture(boolean isManual) {
    manual = new ManualClock();
    clock = isManual ? manual : Clock.systemUTC();
    WheelTimer wheel = isManual ? null : WheelTimer.create();
    timer = wheel == null ? manual : wheel;
    punctual =
        Punctual.builder().store(MemoryStore.builder().clock(clock).build()).timer(timer).build();
    if (wheel != null) {
      resources.add(wheel::close);
    }
    resources.add(punctual::close);
  }

  DueTimer timer() {
    return timer;
  }

  static Fixture manual() {
    return new Fixture(true);
  }

  static Fixture real() {
    return new Fixture(false);
  }

  static ConditionFactory patiently() {
    return Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(5))
        .pollInSameThread();
  }

  /** Returns the rules that tests need: loopback, the ports of the receivers, and http. */
  NetworkRules rules() {
    return NetworkRules.allowing(List.of("127.0.0.0/8"), ports, true);
  }

  Receiver receiver(Receiver.Behaviour behaviour) {
    Receiver receiver = new Receiver(behaviour);
    ports.add(receiver.port());
    resources.add(receiver::close);
    return receiver;
  }

  WebhookService start() {
    WebhookService service =
        WebhookService.builder(punctual, timer)
            .clock(clock)
            .resolver(resolver)
            .rules(rules())
            .start();
    resources.add(service::close);
    return service;
  }

  /** Returns the targets of a process that never looks into the store. */
  Targets targets() {
    return targets(clock);
  }

  Targets targets(InstantSource source) {
    Sender sender = new Sender(timer, clock, resolver, this::rules);
    Context context =
        new Context(
            punctual,
            timer,
            source,
            sender,
            new Records(punctual, clock),
            new DeliveryLog(punctual, timer, Runnable::run),
            this::rules,
            () -> false,
            Runnable::run);
    Targets targets = new Targets(context, Duration.ZERO);
    resources.add(sender::close);
    resources.add(() -> get(targets.stop(Duration.ZERO)));
    return targets;
  }

  static WebhookSpec spec(String name, String queue, String url) {
    WebhookSpec usual = WebhookSpec.of(name, queue, url);
    // A test's clock must not end calls that a loaded machine delays.
    return new WebhookSpec(
        name,
        queue,
        false,
        url,
        List.of(),
        usual.concurrency(),
        0,
        usual.per(),
        Duration.ofMinutes(5),
        usual.retries());
  }

  WebhookKey key() {
    return WebhookKey.generate(WebhookKey.Kind.HMAC, clock.instant());
  }

  WebhookView put(WebhookService service, WebhookSpec spec) {
    return get(service.put(spec, Optional.of(key())));
  }

  static <T> T get(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  TimedQueue<byte[]> queue(String name) {
    return punctual.queue(name, Codec.bytes());
  }

  void schedule(String queue, String id) {
    queue(queue)
        .schedule(
            Message.of(("{\"id\":\"" + id + "\"}").getBytes(StandardCharsets.UTF_8))
                .id(id)
                .dueIn(Duration.ZERO));
  }

  List<StoredMessage<byte[]>> dead(String queue) {
    return queue(queue).browse(State.DEAD, 100).items();
  }

  static List<WebhookAttempt> log(WebhookService service, String name) {
    return get(service.deliveries(name, Optional.empty(), 100)).items();
  }

  static WebhookState.Kind state(WebhookService service, String name) {
    return service.find(name).orElseThrow().state().kind();
  }

  void advance(Duration time) {
    manual.advance(time);
  }

  /** Advances the clock in steps; what each step causes has real time to happen. */
  void advanceUntil(Duration step, BooleanSupplier condition) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(100))
        .pollDelay(Duration.ZERO)
        .pollInSameThread()
        .until(
            () -> {
              if (!condition.getAsBoolean()) {
                manual.advance(step);
              }
              return condition.getAsBoolean();
            });
  }

  @Override
  public void close() {
    for (int i = resources.size() - 1; i >= 0; i--) {
      resources.get(i).run();
    }
  }
}
