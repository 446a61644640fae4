package io.punctual.rabbitmq.delay;

import io.punctual.WorkerOptions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Refuses options of a worker that have no effect on a worker of a delay queue. */
final class ApplicableOptions {
  /** The concurrency is also the prefetch of the consumer, which the broker limits. */
  static final int MAX_CONCURRENCY = 10_000;

  /** The options that need a store, or threads of its client. */
  private static final Map<String, Function<WorkerOptions, Object>> OTHERS = new LinkedHashMap<>();

  static {
    OTHERS.put("prefetch", WorkerOptions::prefetch);
    OTHERS.put("batchSize", WorkerOptions::batchSize);
    OTHERS.put("batchLinger", WorkerOptions::batchLinger);
    OTHERS.put("lease", WorkerOptions::lease);
    OTHERS.put("renew", WorkerOptions::renew);
    OTHERS.put("interruptOnLeaseLost", WorkerOptions::interruptOnLeaseLost);
    OTHERS.put("handlerTimeout", WorkerOptions::handlerTimeout);
    OTHERS.put("executor", WorkerOptions::executor);
    OTHERS.put("threads", WorkerOptions::threads);
    OTHERS.put("pool", WorkerOptions::pool);
    OTHERS.put("name", WorkerOptions::name);
    OTHERS.put("deadLetterRetention", WorkerOptions::deadLetterRetention);
  }

  private ApplicableOptions() {}

  /**
   * Checks the options.
   *
   * @throws IllegalArgumentException if one has no effect, or the concurrency is above {@link
   *     #MAX_CONCURRENCY}
   */
  static void check(WorkerOptions options) {
    List<String> set = new ArrayList<>();
    OTHERS.forEach(
        (name, value) -> {
          if (!value.apply(options).equals(value.apply(WorkerOptions.DEFAULT))) {
            set.add(name);
          }
        });
    if (!set.isEmpty()) {
      throw new IllegalArgumentException(
          "A worker of a RabbitDelayQueue can't have the options "
              + set
              + "; leave them out, and set only concurrency, retryPolicy and shutdownGrace");
    }
    if (options.concurrency() > MAX_CONCURRENCY) {
      throw new IllegalArgumentException(
          "concurrency must be between 1 and "
              + MAX_CONCURRENCY
              + " on a RabbitDelayQueue, but was "
              + options.concurrency());
    }
  }
}
