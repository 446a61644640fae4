package io.punctual.spring.boot.autoconfigure;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.ConnectionFactory;
import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.rabbitmq.RabbitBridge;
import io.punctual.rabbitmq.RabbitIntake;
import io.punctual.spring.ListenerDefaults;
import io.punctual.spring.PunctualListenerRegistry;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The intakes and bridges of {@code punctual.rabbitmq.*}. They start and stop with the listeners. A
 * child context has further ones. Safe for use by many threads.
 */
final class RabbitLinks implements SmartLifecycle {
  private static final Logger log = LoggerFactory.getLogger(RabbitLinks.class);

  private final Punctual punctual;
  private final PunctualRabbitProperties properties;
  private final ListenerDefaults defaults;
  private final Supplier<Connection> connections;
  private final Meters meters;
  private final @Nullable RabbitLinks parent;
  private final List<RabbitLinks> children = new CopyOnWriteArrayList<>();

  /** The health reads it while a start or a stop, which may take long, holds the monitor. */
  private final List<Link> links = new CopyOnWriteArrayList<>();

  private CountDownLatch stopped = new CountDownLatch(0);
  private volatile boolean running;

  record Connection(ConnectionFactory factory, List<Address> addresses) {}

  /** Registers meters; the result removes them. */
  interface Meters {
    Meters NONE = new Meters() {};

    default Runnable of(RabbitIntake intake) {
      return () -> {};
    }

    default Runnable of(RabbitBridge bridge) {
      return () -> {};
    }
  }

  private record Link(String name, BooleanSupplier isAvailable, Runnable close) {}

  RabbitLinks(
      Punctual punctual,
      PunctualRabbitProperties properties,
      ListenerDefaults defaults,
      Supplier<Connection> connections,
      Meters meters,
      @Nullable RabbitLinks parent) {
    this.punctual = punctual;
    this.properties = properties;
    this.defaults = defaults;
    this.connections = connections;
    this.meters = meters;
    this.parent = parent;
  }

  @Override
  public synchronized void start() {
    running = true;
    if (parent != null) {
      parent.children.add(this);
    }
    try {
      if (properties.intakes().isEmpty() && properties.bridges().isEmpty()) {
        return; // an application without links may have any number of connection factories
      }
      Connection to = connections.get();
      properties.intakes().forEach((name, each) -> links.add(start(name, each, to)));
      properties.bridges().forEach((name, each) -> links.add(start(name, each, to)));
      keepAlive();
    } catch (RuntimeException | Error e) {
      stop();
      throw e;
    }
  }

  /** Keeps a process without a web server alive, as listeners do. */
  private void keepAlive() {
    if (links.isEmpty()) {
      return;
    }
    CountDownLatch end = new CountDownLatch(1);
    stopped = end;
    Thread thread = new Thread(() -> await(end), "punctual-rabbitmq-keep-alive");
    thread.setDaemon(false);
    thread.start();
  }

  private static void await(CountDownLatch end) {
    try {
      end.await();
    } catch (InterruptedException e) {
      await(end);
    }
  }

  private Link start(String name, PunctualRabbitProperties.Intake intake, Connection to) {
    RabbitIntake.Builder builder =
        RabbitIntake.builder(queue(name), to.factory)
            .addresses(to.addresses)
            .workerOptions(options(name, intake.inFlight()))
            .confirmTimeout(intake.confirmTimeout())
            .declare(intake.declare())
            .messageIds(intake.messageIds())
            .mandatory(intake.mandatory());
    String prefix = "punctual.rabbitmq.intakes." + name + ".";
    RabbitIntake started =
        WrongSettingException.check(
            () -> {
              builder
                  .source(required(prefix + "source", intake.source()), intake.sourceType())
                  .target(
                      required(prefix + "target", intake.target()),
                      required(prefix + "target-type", intake.targetType()))
                  .queueType(intake.queueType())
                  .prefetch(intake.prefetch());
              if (intake.intakeQueue() != null) {
                builder.intakeQueue(intake.intakeQueue());
              }
              return builder.start();
            });
    Runnable close = closing(started::close, () -> meters.of(started));
    return new Link("intake " + name, started::isAvailable, close);
  }

  private Link start(String name, PunctualRabbitProperties.Bridge bridge, Connection to) {
    RabbitBridge.Builder builder =
        RabbitBridge.builder(queue(name), to.factory)
            .addresses(to.addresses)
            .workerOptions(options(name, bridge.inFlight()))
            .confirmTimeout(bridge.confirmTimeout())
            .mandatory(bridge.mandatory())
            .routingKey(bridge.routingKey());
    if (bridge.exchange() == null && bridge.exchangeHeader() == null) {
      String unused = required("punctual.rabbitmq.bridges." + name + ".exchange", null);
    }
    if (bridge.exchange() != null) {
      builder.exchange(bridge.exchange());
    }
    if (bridge.exchangeHeader() != null) {
      builder.exchangeHeader(bridge.exchangeHeader());
    }
    if (bridge.routingKeyHeader() != null) {
      builder.routingKeyHeader(bridge.routingKeyHeader());
    }
    RabbitBridge started = builder.start();
    Runnable close = closing(started::close, () -> meters.of(started));
    return new Link("bridge " + name, started::isAvailable, close);
  }

  /** Registers the meters, or closes what was started if that fails. */
  private static Runnable closing(Runnable close, Supplier<Runnable> metering) {
    try {
      Runnable unmeter = metering.get();
      return () -> {
        try {
          close.run();
        } finally {
          unmeter.run();
        }
      };
    } catch (RuntimeException | Error e) {
      close.run();
      throw e;
    }
  }

  private static String required(String property, @Nullable String value) {
    return WrongSettingException.check(
        () -> {
          if (value == null) {
            throw new IllegalArgumentException("The property " + property + " is missing");
          }
          return value;
        });
  }

  private TimedQueue<byte[]> queue(String name) {
    return punctual.queue(name, Codec.bytes());
  }

  private WorkerOptions options(String queue, @Nullable Integer inFlight) {
    int concurrency = inFlight == null ? RabbitBridge.defaultOptions().concurrency() : inFlight;
    return WrongSettingException.check(
        () ->
            defaults.options(queue).toBuilder()
                .concurrency(concurrency)
                // The defaults are for any listener, and may have options of batches.
                .batchSize(WorkerOptions.DEFAULT.batchSize())
                .batchLinger(WorkerOptions.DEFAULT.batchLinger())
                .build());
  }

  /** Returns whether each intake and each bridge of all contexts works, by its name. */
  Map<String, Boolean> available() {
    if (parent != null) {
      return parent.available();
    }
    Map<String, Boolean> all = new LinkedHashMap<>();
    addTo(all);
    return all;
  }

  private void addTo(Map<String, Boolean> all) {
    links.forEach(
        link -> all.merge(link.name, link.isAvailable.getAsBoolean(), Boolean::logicalAnd));
    children.forEach(child -> child.addTo(all));
  }

  /** Closes all at the same time, because each may need its grace period. */
  @Override
  public synchronized void stop() {
    running = false;
    if (parent != null) {
      parent.children.remove(this);
    }
    stopped.countDown();
    CompletableFuture<?>[] closes =
        links.stream()
            .map(link -> CompletableFuture.runAsync(() -> close(link), RabbitLinks::thread))
            .toArray(CompletableFuture<?>[]::new);
    CompletableFuture.allOf(closes).join();
    links.clear();
  }

  /** Closes a link. A failure must not keep the others from their end. */
  private static void close(Link link) {
    try {
      link.close.run();
    } catch (RuntimeException | Error e) {
      log.warn("The {} can't be closed", link.name, e);
    }
  }

  private static void thread(Runnable task) {
    new Thread(task, "punctual-rabbitmq-close").start();
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  @Override
  public int getPhase() {
    return PunctualListenerRegistry.PHASE;
  }
}
