package io.punctual.internal.queue;

import io.punctual.AnnouncedWorker;
import io.punctual.WorkerAnnouncement;
import io.punctual.internal.delivery.Announced;
import io.punctual.internal.delivery.Consumers;
import io.punctual.internal.log.Logs;
import io.punctual.internal.message.Checks;
import io.punctual.internal.runtime.Environment;
import io.punctual.internal.runtime.ProcessInfo;
import io.punctual.internal.runtime.WorkerCounters;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** A worker that is not a worker of this client, as the list of workers shows it. Thread-safe. */
final class ForeignWorker implements AnnouncedWorker, Announced {
  private static final String UNKNOWN = "unknown";
  private static final Logger log = Logs.of(ForeignWorker.class);

  private final WorkerAnnouncement announcement;
  private final Consumers.WorkerWatch watch;
  private final WorkerCounters counters;
  private final @Nullable ProcessInfo elsewhere;
  private volatile Runnable onPause = () -> {};
  private volatile boolean paused;
  private volatile String id = "";
  private volatile int concurrency;
  private volatile int running;

  ForeignWorker(WorkerAnnouncement announcement, Environment env, Consumers.WorkerWatch watch) {
    this.announcement = announcement;
    this.watch = watch;
    this.counters = new WorkerCounters(env.nanoTime());
    this.concurrency = announcement.concurrency();
    this.elsewhere =
        announcement
            .host()
            .map(
                host ->
                    new ProcessInfo(
                        host, announcement.pid().orElse(0), announcement.version().orElse(UNKNOWN)))
            .orElse(null);
  }

  /** Sets the id, before the caller receives this worker. */
  void id(String given) {
    id = given;
  }

  @Override
  public String id() {
    return id;
  }

  @Override
  public String name() {
    return announcement.name();
  }

  @Override
  public String queue() {
    return announcement.queue();
  }

  @Override
  public void received(Duration lateness) {
    counters.handedOver(lateness);
  }

  @Override
  public void handled() {
    counters.handled(1);
  }

  @Override
  public void failed() {
    counters.failed();
  }

  @Override
  public void setRunning(int messages) {
    Checks.range(messages, 0, Integer.MAX_VALUE, "running");
    running = messages;
  }

  @Override
  public void setConcurrency(int messages) {
    Checks.range(messages, 1, 100_000, "concurrency");
    concurrency = messages;
  }

  @Override
  public int concurrency() {
    return concurrency;
  }

  @Override
  public int running() {
    return running;
  }

  @Override
  public WorkerCounters counters() {
    return counters;
  }

  @Override
  public @Nullable ProcessInfo elsewhere() {
    return elsewhere;
  }

  @Override
  public boolean isPaused() {
    return paused;
  }

  @Override
  public boolean isPausedByOperator() {
    return paused;
  }

  @Override
  public void pauseByOperator(boolean wanted) {
    paused = wanted;
    if (!wanted) {
      return;
    }
    try {
      onPause.run();
    } catch (RuntimeException | Error e) {
      log.warn("The action after a pause of worker '{}' of queue '{}' failed", name(), queue(), e);
    }
  }

  @Override
  public void onPause(Runnable action) {
    onPause = Objects.requireNonNull(action, "action");
  }

  @Override
  public void close() {
    watch.ended(this);
  }

  @Override
  public String toString() {
    return "AnnouncedWorker[" + name() + " of queue " + queue() + ", " + id + "]";
  }
}
