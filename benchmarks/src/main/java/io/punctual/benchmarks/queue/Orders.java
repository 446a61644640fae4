package io.punctual.benchmarks.queue;

import java.util.List;
import tools.jackson.databind.json.JsonMapper;

/**
 * The parameters of a {@link QueueChild}.
 *
 * @param url the queue's URL
 * @param backlog the number of messages to schedule first, due within the next hour or, if rates
 *     are measured, in the hour after that
 * @param warmUpSeconds how long to schedule uncounted messages before the measurement
 * @param count the number of messages to schedule
 * @param perSecond the rate of scheduling, with delays of 1 to 5 s; 0 for the maximum rate
 * @param dueInMillis the common due time of all messages, in milliseconds after the start; used
 *     only if {@code perSecond} is 0
 * @param handlers the number of handler threads
 * @param handlerMillis the duration of a handler
 * @param measureMillis the duration of the measurement of each rate
 * @param scheduledLog the log of scheduled messages
 * @param deliveredLog the log of delivered messages
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

  /** The number of warm-up messages per second. */
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
