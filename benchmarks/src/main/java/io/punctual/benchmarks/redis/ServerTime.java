package io.punctual.benchmarks.redis;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.TimedQueue;
import io.punctual.benchmarks.Sample;
import io.punctual.benchmarks.TrialOutcome;
import java.time.Duration;
import java.time.Instant;

/**
 * The processor time of servers for messages that a worker process settles.
 *
 * @param concurrency the concurrency of the worker
 * @param perSecond how many messages come due in a second; 0 if all messages are due at the same
 *     time
 */
record ServerTime(int messages, int concurrency, int perSecond) {
  private static final Duration LEAD = Duration.ofSeconds(3);

  /** Measures after a warm-up of the same size. */
  TrialOutcome measure(Servers.Kind kind) throws Exception {
    try (Servers servers = kind.start();
        WorkerProcesses unused = WorkerProcesses.startQuiet(1, servers.url(), concurrency, "cpu");
        Punctual punctual = Punctual.open(servers.url())) {
      TimedQueue<String> queue = punctual.queue("cpu", Codec.string());
      settle(queue);
      CommandStats stats = servers.stats();
      stats.reset();
      double before = servers.cpuSeconds();
      settle(queue);
      double micros = (servers.cpuSeconds() - before) * 1e6 / messages;
      double claims = stats.calls("zremrangebyrank");
      return TrialOutcome.of(
          Sample.cost("processor time of a message", "µs", micros),
          Sample.rate("messages of a script", "messages", messages / stats.scripts()),
          Sample.rate("messages of a claim", "messages", messages / claims));
    }
  }

  private void settle(TimedQueue<String> queue) throws InterruptedException {
    Duration apart = perSecond == 0 ? Duration.ZERO : Duration.ofSeconds(1).dividedBy(perSecond);
    QueueLoad.schedule(queue, messages, Instant.now().plus(LEAD), apart);
    QueueLoad.awaitSettled(queue);
  }
}
