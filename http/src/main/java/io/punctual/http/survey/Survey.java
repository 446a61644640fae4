package io.punctual.http.survey;

import io.punctual.Punctual;
import io.punctual.http.queue.Queues;
import io.punctual.http.route.Route;
import io.punctual.http.webhook.Webhooks;
import io.punctual.timer.DueTimer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What is true of many queues: the overview, its events, the history of deliveries, and the routes
 * of these. Asks for the workers every ten seconds. Thread-safe.
 */
public final class Survey implements AutoCloseable {
  private static final Duration PERIOD = Duration.ofSeconds(10);

  private final Queues queues;
  private final InstantSource clock;
  private final DueTimer timer;
  private final History history;
  private final Overview overview;
  private final Events events;
  private final BooleanSupplier isReadOnly;
  private volatile boolean closed;

  /**
   * Creates it, and begins to sample.
   *
   * @param mostStreams returns the largest number of streams of events of each caller
   * @param isReadOnly returns whether the API refuses all changes, which a caller may ask
   * @param webhooks the webhooks of the process, or null if it has none
   */
  public Survey(
      Queues queues,
      InstantSource clock,
      DueTimer timer,
      IntSupplier mostStreams,
      BooleanSupplier isReadOnly,
      @Nullable Webhooks webhooks) {
    this.queues = queues;
    this.clock = clock;
    this.timer = timer;
    history = new History(clock);
    overview = new Overview(queues, clock, history, webhooks);
    events = new Events(overview, timer, mostStreams);
    this.isReadOnly = isReadOnly;
    sample();
  }

  /** Returns the routes. */
  public List<Route> routes() {
    return new SurveyRoutes(queues, overview, events, clock, isReadOnly).routes();
  }

  private void sample() {
    if (closed) {
      return;
    }
    CompletableFuture<?> unused =
        CompletableFuture.completedFuture(queues.punctual())
            .thenCompose(Punctual::workersAsync)
            .thenAccept(workers -> history.sample(workers, clock.instant()))
            .whenComplete((done, failure) -> again());
  }

  private void again() {
    try {
      timer.schedule(PERIOD, this::sample);
    } catch (RejectedExecutionException e) {
      closed = true;
    }
  }

  /** Ends the streams of events. */
  public void drain() {
    events.close();
  }

  @Override
  public void close() {
    closed = true;
    events.close();
  }
}
