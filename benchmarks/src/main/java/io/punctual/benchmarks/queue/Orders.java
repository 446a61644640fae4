package io.punctual.benchmarks.queue;

import java.util.List;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a {@link QueueChild} is to do.
 *
 * @param url where the queue is
 * @param backlog how many messages to schedule first, due over the next hour or, when rates are
 *     measured, after it
 * @param warmUpSeconds how long to schedule messages before that do not count
 * @param count how many messages to schedule
 * @param perSecond how many of them in a second, with delays of 1 to 5 s; 0 for as fast as it goes
 * @param dueInMillis how long after the beginning all are due at one moment, when there is no rate
 * @param handlers how many handler threads
 * @param handlerMillis how long a handler takes
 * @param measureMillis how long to measure each rate
 * @param scheduledLog where to log what was scheduled
 * @param deliveredLog where to log what was delivered
 */
record Orders(
    QueueKind kind,
    String url,
    long backlog,
    long warmUpSeconds,
    long count,
    long perSecond,
    long dueInMillis,
    int handlers,
    long handlerMillis,
    long measureMillis,
    String scheduledLog,
    String deliveredLog) {
  private static final int WARM_UP_RATE = 5_000;
  private static final JsonMapper JSON = JsonMapper.builder().build();

  static Orders of(String word) {
    return JSON.readValue(word, Orders.class);
  }

  String word() {
    return JSON.writeValueAsString(this);
  }

  /** How many of the messages that do not count are scheduled in a second. */
  long warmUpRate() {
    return perSecond > 0 ? perSecond : WARM_UP_RATE;
  }

  long warmUpCount() {
    return warmUpRate() * warmUpSeconds;
  }

  List<String> jvmOptions() {
    return List.of("-Xmx" + (kind.isShared() ? "1g" : "3g"));
  }
}
