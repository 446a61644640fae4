package io.punctual.benchmarks.memory;

import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler.IgnoredMeters;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.PunctualBuilder;
import io.punctual.TimedQueue;
import io.punctual.WorkerOptions;
import io.punctual.benchmarks.CpuWatch;
import io.punctual.micrometer.PunctualMeters;
import io.punctual.micrometer.PunctualObservations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The processor time of a message without meters, and with meters, observations or a Spring
 * listener, and the time and size of a scrape, at 10,000 messages a second. All variants take turns
 * in the same JVM.
 *
 * <p>Arguments: the URL of a store, seconds of a turn, and turns of each variant.
 */
public final class MeterCosts {
  static final String QUEUE = "meter-costs";

  private static final int RATE = 10_000;
  private static final int STEP = 100;

  private enum Variant {
    PLAIN,
    LISTENER,
    METERS,
    METERS_AND_OBSERVATIONS,
    /** Observations without the long task timers of running calls. */
    METERS_AND_SHORT_OBSERVATIONS;

    boolean hasMeters() {
      return this == METERS || hasObservations();
    }

    boolean hasObservations() {
      return this == METERS_AND_OBSERVATIONS || this == METERS_AND_SHORT_OBSERVATIONS;
    }
  }

  private final String url;
  private final int seconds;
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final List<Double> scrapes = new ArrayList<>();

  private MeterCosts(String url, int seconds) {
    this.url = url;
    this.seconds = seconds;
  }

  /** Prints the median and the range of each variant, and the costs of a scrape. */
  public static void main(String[] arguments) throws InterruptedException {
    MeterCosts costs = new MeterCosts(arguments[0], Integer.parseInt(arguments[1]));
    Map<Variant, List<Double>> results = new EnumMap<>(Variant.class);
    int turns = Integer.parseInt(arguments[2]);
    for (int turn = 0; turn <= turns; turn++) {
      for (Variant variant : Variant.values()) {
        double micros = costs.turn(variant);
        if (turn > 0) {
          results.computeIfAbsent(variant, key -> new ArrayList<>()).add(micros);
        }
      }
    }
    results.forEach((variant, all) -> print(variant.name().toLowerCase(Locale.ROOT), "µs", all));
    print("scrape", "ms", costs.scrapes);
    System.out.println("series in a scrape: " + costs.series());
  }

  private static void print(String what, String unit, List<Double> all) {
    List<Double> sorted = all.stream().sorted().toList();
    System.out.printf(
        Locale.ROOT,
        "%-32s median %.2f %s, %.2f to %.2f%n",
        what,
        sorted.get(sorted.size() / 2),
        unit,
        sorted.get(0),
        sorted.get(sorted.size() - 1));
  }

  /** Runs a variant for a turn, and returns the processor time of a message, in microseconds. */
  private double turn(Variant variant) throws InterruptedException {
    PunctualBuilder builder = Punctual.builder().url(url);
    PunctualMeters meters = PunctualMeters.builder(registry).build();
    if (variant.hasMeters()) {
      builder.observer(meters);
    }
    if (variant.hasObservations()) {
      ObservationRegistry observations = ObservationRegistry.create();
      observations.observationConfig().observationHandler(handler(variant));
      builder.interceptor(PunctualObservations.builder(observations).build());
    }
    try (Punctual punctual = builder.build();
        meters) {
      if (variant.hasMeters()) {
        meters.bindTo(punctual);
      }
      return work(punctual, variant);
    }
  }

  private DefaultMeterObservationHandler handler(Variant variant) {
    return variant == Variant.METERS_AND_OBSERVATIONS
        ? new DefaultMeterObservationHandler(registry)
        : new DefaultMeterObservationHandler(registry, IgnoredMeters.LONG_TASK_TIMER);
  }

  private double work(Punctual punctual, Variant variant) throws InterruptedException {
    TimedQueue<String> queue = punctual.queue(QUEUE, Codec.string());
    Semaphore handled = new Semaphore(0);
    WorkerOptions options =
        WorkerOptions.builder().concurrency(64).threads(WorkerOptions.Threads.PLATFORM).build();
    if (variant == Variant.LISTENER) {
      ListenerContext context = new ListenerContext(punctual, options, handled);
      try (context) {
        return load(queue, handled, false);
      }
    }
    queue.work(options, delivery -> handled.release());
    return load(queue, handled, variant.hasObservations());
  }

  private double load(TimedQueue<String> queue, Semaphore handled, boolean scrape)
      throws InterruptedException {
    CpuWatch watch = new CpuWatch();
    long start = System.nanoTime();
    int count = RATE * seconds;
    for (int sent = 0; sent < count; sent += STEP) {
      for (int i = 0; i < STEP; i++) {
        CompletionStage<?> unused =
            queue.async().schedule("payload of an order", Duration.ofMillis(20));
      }
      if (scrape && sent % RATE == 0) {
        scrape();
      }
      long next = start + (sent + STEP) * TimeUnit.SECONDS.toNanos(1) / RATE;
      LockSupport.parkNanos(next - System.nanoTime());
    }
    handled.acquire(count);
    return watch.cpuOfEach(count).value();
  }

  private long series() {
    return registry.scrape().lines().filter(line -> line.startsWith("punctual_")).count();
  }

  private void scrape() {
    long start = System.nanoTime();
    if (registry.scrape().isEmpty()) {
      throw new IllegalStateException("The scrape is empty");
    }
    scrapes.add((System.nanoTime() - start) / 1e6);
  }
}
