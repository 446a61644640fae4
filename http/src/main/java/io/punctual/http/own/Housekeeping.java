package io.punctual.http.own;

import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.http.queue.Queues;
import io.punctual.timer.DueTimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The workers of the server's own queues. Thread-safe. */
public final class Housekeeping implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger("io.punctual.http");

  /** The pause before a store that did not answer is asked again. */
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final Queues queues;
  private final DueTimer timer;
  private final List<Worker> workers = new ArrayList<>();
  private boolean closed;

  /** Creates it without workers. */
  public Housekeeping(Queues queues, DueTimer timer) {
    this.queues = queues;
    this.timer = timer;
  }

  /** Starts a worker as soon as the store answers. */
  public void start(String queue, Function<TimedQueue<byte[]>, Worker> starting) {
    start(queue, starting, false);
  }

  private void start(
      String queue, Function<TimedQueue<byte[]>, Worker> starting, boolean isRepeated) {
    CompletableFuture<?> unused =
        CompletableFuture.completedFuture(queue)
            .thenCompose(queues::open)
            .thenAccept(opened -> keep(starting, opened))
            .whenComplete(
                (done, failure) -> {
                  if (failure != null) {
                    again(queue, starting);
                    if (!isRepeated) {
                      LOG.warn(
                          "No worker of {} runs in this process until the store answers: {}",
                          queue,
                          failure.toString());
                    }
                  }
                });
  }

  private synchronized void again(String queue, Function<TimedQueue<byte[]>, Worker> starting) {
    if (!closed) {
      timer.schedule(PAUSE, () -> start(queue, starting, true));
    }
  }

  private synchronized void keep(
      Function<TimedQueue<byte[]>, Worker> starting, TimedQueue<byte[]> queue) {
    if (!closed) {
      workers.add(starting.apply(queue));
    }
  }

  @Override
  public void close() {
    List<Worker> all;
    synchronized (this) {
      closed = true;
      all = List.copyOf(workers);
    }
    all.forEach(Worker::close);
  }
}
