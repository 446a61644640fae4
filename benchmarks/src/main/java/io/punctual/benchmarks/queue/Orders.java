package io.punctual.benchmarks.queue;

import java.util.List;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a {@link QueueChild} is to do.
 *
 * @param url where the queue is
 * @param backlog how many messages to schedule first, due over the next hour or, when rates are
 *     measured, after it
 * @param count how many messages to schedule
 * @param perSecond how many of them in a second; 0 for as fast as it goes
 * @param dueInMillis how long after the beginning all are due at one moment; 0 for delays of 1 to 5
 *     s
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
    long count,
    long perSecond,
    long dueInMillis,
    int handlers,
    long handlerMillis,
    long measureMillis,
    String scheduledLog,
    String deliveredLog) {
  private static final JsonMapper JSON = JsonMapper.builder().build();

  static Orders of(String word) {
    return JSON.readValue(word, Orders.class);
  }

  String word() {
    return JSON.writeValueAsString(this);
  }

  List<String> jvmOptions() {
    return List.of("-Xmx" + (kind.isShared() ? "1g" : "3g"));
  }
}
