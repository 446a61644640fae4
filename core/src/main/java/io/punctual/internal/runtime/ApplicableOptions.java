package io.punctual.internal.runtime;

import io.punctual.WorkerOptions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Refuses options of a worker that would have no effect. */
public final class ApplicableOptions {
  private static final Map<String, Function<WorkerOptions, Object>> ALL =
      Map.ofEntries(
          Map.entry("concurrency", WorkerOptions::concurrency),
          Map.entry("prefetch", WorkerOptions::prefetch),
          Map.entry("batchSize", WorkerOptions::batchSize),
          Map.entry("batchLinger", WorkerOptions::batchLinger),
          Map.entry("lease", WorkerOptions::lease),
          Map.entry("renew", WorkerOptions::renew),
          Map.entry("interruptOnLeaseLost", WorkerOptions::interruptOnLeaseLost),
          Map.entry("handlerTimeout", WorkerOptions::handlerTimeout),
          Map.entry("retryPolicy", WorkerOptions::retryPolicy),
          Map.entry("executor", WorkerOptions::executor),
          Map.entry("threads", WorkerOptions::threads),
          Map.entry("pool", WorkerOptions::pool),
          Map.entry("name", WorkerOptions::name),
          Map.entry("shutdownGrace", WorkerOptions::shutdownGrace),
          Map.entry("deadLetterRetention", WorkerOptions::deadLetterRetention));

  private ApplicableOptions() {}

  /**
   * Checks that each option that does not apply has its default, and that options with an executor
   * have no threads.
   *
   * @param applies returns whether the option with a name applies
   * @param owner names what the options are for, at the beginning of the exception's message
   * @param remedy says what to do, at its end
   * @throws IllegalArgumentException if an option has no effect; the message names the option
   */
  public static void check(
      WorkerOptions options, Predicate<String> applies, String owner, String remedy) {
    Objects.requireNonNull(options, "options");
    List<String> refused =
        names().filter(applies.negate()).filter(name -> isSet(options, name)).toList();
    if (options.executor().isPresent() && isSet(options, "threads")) {
      throw new IllegalArgumentException(
          owner + " with an executor has no threads of its own; set the executor or the threads");
    }
    if (!refused.isEmpty()) {
      throw new IllegalArgumentException(
          owner + " can't have the options " + refused + "; leave them out, and " + remedy);
    }
  }

  private static boolean isSet(WorkerOptions options, String name) {
    Function<WorkerOptions, Object> option = ALL.get(name);
    return option != null && !option.apply(options).equals(option.apply(WorkerOptions.DEFAULT));
  }

  /** Returns the names of all options. */
  public static Stream<String> names() {
    return ALL.keySet().stream().sorted();
  }
}
