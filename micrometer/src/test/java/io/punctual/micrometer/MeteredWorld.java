package io.punctual.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.punctual.Codec;
import io.punctual.Interceptor;
import io.punctual.Punctual;
import io.punctual.PunctualBuilder;
import io.punctual.StoreUnavailableException;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.memory.MemoryStore;
import io.punctual.spi.Partition;
import io.punctual.spi.Store;
import io.punctual.test.ManualClock;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A client with meters, on a memory store with a manual clock. A test can make the store fail. */
final class MeteredWorld implements AutoCloseable {
  final ManualClock clock = new ManualClock();
  final PunctualMeters meters;
  final Punctual punctual;
  final TimedQueue<String> queue;
  final GaugeRefresh refresh;
  volatile boolean storeIsOff;

  /** Runs while the store answers a ping, for example to let time pass. */
  volatile Runnable duringPing = () -> {};

  /** The name of a queue whose messages the store fails to count; empty for none. */
  volatile String uncountable = "";

  MeteredWorld(PunctualMeters.Builder builder, List<Interceptor> interceptors) {
    meters = builder.nanoTime(clock::nanoTime).build();
    PunctualBuilder client = Punctual.builder().store(store()).timer(clock).observer(meters);
    interceptors.forEach(client::interceptor);
    punctual = client.build();
    queue = punctual.queue("orders", Codec.string());
    refresh = meters.refresh(punctual);
  }

  MeteredWorld(MeterRegistry registry) {
    this(PunctualMeters.builder(registry), List.of());
  }

  private Store store() {
    MemoryStore store = MemoryStore.builder().clock(clock).build();
    return (Store)
        Proxy.newProxyInstance(
            Store.class.getClassLoader(),
            new Class<?>[] {Store.class},
            (proxy, method, arguments) -> {
              if (storeIsOff && CompletionStage.class.isAssignableFrom(method.getReturnType())) {
                return CompletableFuture.failedFuture(
                    new StoreUnavailableException("off for the test", null));
              }
              if (method.getName().equals("ping")) {
                duringPing.run();
              }
              if (method.getName().equals("counts")
                  && ((List<?>) arguments[0]).contains(uncountable)) {
                return CompletableFuture.failedFuture(
                    new StoreUnavailableException("slow for the test", null));
              }
              try {
                return method.getName().equals("partitions")
                    ? store.partitions((String) arguments[0]).thenApply(this::countable)
                    : method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** Returns the partitions, whose counts fail while their queue is {@link #uncountable}. */
  private List<Partition> countable(List<Partition> partitions) {
    return partitions.stream().map(this::countable).toList();
  }

  private Partition countable(Partition partition) {
    return (Partition)
        Proxy.newProxyInstance(
            Partition.class.getClassLoader(),
            new Class<?>[] {Partition.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("counts") && partition.queue().equals(uncountable)) {
                return CompletableFuture.failedFuture(
                    new StoreUnavailableException("slow for the test", null));
              }
              try {
                return method.invoke(partition, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** Options for handlers that run on the thread that moves the clock. */
  static WorkerOptions.Builder inline() {
    return WorkerOptions.builder().executor(Runnable::run);
  }

  void advance(Duration time) {
    clock.advance(time);
  }

  @Override
  public void close() {
    punctual.close(Duration.ZERO);
    meters.close();
  }
}
