package io.punctual.internal.queue;

import io.punctual.WorkerFigures;
import io.punctual.WorkerInfo;
import io.punctual.internal.delivery.Announced;
import io.punctual.internal.runtime.CountedFigures;
import io.punctual.internal.runtime.ProcessInfo;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A worker in the list of an announcement. Immutable.
 *
 * @param process the process that the list shows
 */
record ListedWorker(
    String id,
    String name,
    String queue,
    int concurrency,
    boolean isPaused,
    boolean isPausedByOperator,
    ProcessInfo process,
    Instant startedAt,
    Instant lastSeenAt,
    Optional<WorkerFigures> figures)
    implements WorkerInfo {
  /**
   * A worker of this client.
   *
   * @param number the number of the worker in this client, which no other worker gets
   */
  record Own(Announced worker, Instant startedAt, long number) {
    CountedFigures figures(long nowNanos) {
      return worker.counters().figures(worker.running(), nowNanos);
    }

    /** Returns the worker without figures. */
    ListedWorker listed(String client, ProcessInfo here, Instant now) {
      ProcessInfo elsewhere = worker.elsewhere();
      return new ListedWorker(
          id(client, Long.toString(number)),
          WorkerText.plain(worker.name()),
          worker.queue(),
          worker.concurrency(),
          worker.isPaused(),
          worker.isPausedByOperator(),
          elsewhere == null ? here : elsewhere,
          startedAt,
          now,
          Optional.empty());
    }
  }

  /** Returns the id of the worker with this number in its client. */
  static String id(String client, String number) {
    return client + '-' + number;
  }

  /** Returns the client of the worker with this id, which has a number. */
  static String client(String id) {
    return id.substring(0, id.lastIndexOf('-'));
  }

  /** Returns the number in an id; empty if an earlier version of Punctual runs the worker. */
  static OptionalLong number(String id) {
    String digits = id.substring(id.lastIndexOf('-') + 1);
    return id.contains("-") && digits.matches("[0-9]{1,18}")
        ? OptionalLong.of(Long.parseLong(digits))
        : OptionalLong.empty();
  }

  ListedWorker withFigures(WorkerFigures now) {
    return new ListedWorker(
        id,
        name,
        queue,
        concurrency,
        isPaused,
        isPausedByOperator,
        process,
        startedAt,
        lastSeenAt,
        Optional.of(now));
  }

  @Override
  public String host() {
    return process.host();
  }

  @Override
  public long pid() {
    return process.pid();
  }

  @Override
  public String version() {
    return process.version();
  }
}
