package io.punctual.spring.boot.autoconfigure;

import io.punctual.Codec;
import io.punctual.Counts;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.WorkerInfo;
import io.punctual.event.Event;
import io.punctual.event.EventObserver;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;

/**
 * Watches the queues into which this application schedules. Warns of a queue that has messages
 * which are due for a minute, while no worker of any process has it, perhaps because its name is
 * misspelled. Safe for use by many threads.
 */
final class QueueWatch implements EventObserver, SmartLifecycle {
  private static final Logger log = LoggerFactory.getLogger("io.punctual.spring.queues");
  private static final Duration INTERVAL = Duration.ofSeconds(30);
  private static final Duration OVERDUE = Duration.ofMinutes(1);
  private static final Duration PING = Duration.ofSeconds(2);

  /** A program that creates queues without end must not cost memory without end. */
  private static final int MOST = 100;

  private final ObjectProvider<Punctual> client;
  private final Set<String> scheduled = ConcurrentHashMap.newKeySet();
  private final Set<String> worked = ConcurrentHashMap.newKeySet();
  private final Set<String> unworked = ConcurrentHashMap.newKeySet();
  private @Nullable ScheduledExecutorService timer;

  QueueWatch(ObjectProvider<Punctual> client) {
    this.client = client;
  }

  @Override
  public void on(Event event) {
    if (event instanceof Event.MessageScheduled) {
      if (!scheduled.contains(event.queue()) && scheduled.size() < MOST) {
        scheduled.add(event.queue());
      }
    } else if (event instanceof Event.WorkerStarted) {
      worked.add(event.queue());
    }
  }

  Set<String> workedQueues() {
    return Set.copyOf(worked);
  }

  /** Returns the queues with due messages that had no worker at the last check. */
  Set<String> unworkedQueues() {
    return new TreeSet<>(unworked);
  }

  @Override
  public synchronized void start() {
    ScheduledThreadPoolExecutor created =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "punctual-queue-watch");
              thread.setDaemon(true);
              return thread;
            });
    Object unused =
        created.scheduleWithFixedDelay(
            this::check, INTERVAL.toSeconds(), INTERVAL.toSeconds(), TimeUnit.SECONDS);
    timer = created;
  }

  /** Checks the queues; an exception or an error would end the checks of the timer. */
  void check() {
    try {
      client.ifUnique(punctual -> check(punctual, OVERDUE));
    } catch (RuntimeException | Error e) {
      log.warn("The queues can't be checked", e);
    }
  }

  /** Checks the queues whose oldest due message waits for at least this time. */
  void check(Punctual punctual, Duration overdue) {
    Set<String> candidates = new TreeSet<>(scheduled);
    candidates.removeAll(worked);
    unworked.retainAll(candidates);
    if (candidates.isEmpty()) {
      return;
    }
    try {
      Set<String> elsewhere =
          punctual.workers().stream().map(WorkerInfo::queue).collect(Collectors.toSet());
      for (String queue : candidates) {
        check(punctual, queue, overdue, elsewhere);
      }
    } catch (PunctualException e) {
      // The client logs outages of the store.
      log.debug("The queues can't be checked now", e);
    }
  }

  private void check(Punctual punctual, String queue, Duration overdue, Set<String> elsewhere) {
    Counts counts = elsewhere.contains(queue) ? null : counts(punctual, queue);
    if (counts == null
        || counts.paused()
        || counts.ready() == 0
        || counts.overdue().compareTo(overdue) < 0) {
      unworked.remove(queue);
    } else if (unworked.add(queue)) {
      Set<String> names = new TreeSet<>(worked);
      names.addAll(elsewhere);
      log.warn(
          "Queue '{}' has {} due messages, the oldest for {} s, but no worker of any process{}",
          queue,
          counts.ready(),
          counts.overdue().toSeconds(),
          NearestName.question(queue, names));
    }
  }

  /**
   * Counts the messages of a queue. Returns null if that fails although the store answers: the
   * queue may be too large to be counted in time, and the other queues still have to be checked.
   */
  private static @Nullable Counts counts(Punctual punctual, String queue) {
    try {
      return punctual.queue(queue, Codec.bytes()).counts();
    } catch (PunctualException e) {
      Duration unused = punctual.ping(PING);
      log.debug("Queue '{}' can't be counted now", queue, e);
      return null;
    }
  }

  @Override
  public synchronized void stop() {
    ScheduledExecutorService running = timer;
    timer = null;
    if (running != null) {
      running.shutdownNow();
    }
  }

  @Override
  public synchronized boolean isRunning() {
    return timer != null;
  }
}
