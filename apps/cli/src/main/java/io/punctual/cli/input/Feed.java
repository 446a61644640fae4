package io.punctual.cli.input;

import io.punctual.BatchException;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.PunctualException;
import io.punctual.Scheduled;
import io.punctual.TimedQueue;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Schedules the lines of an input. A batch holds the lines that can be read without waiting, up to
 * a limit. The number of batches in flight is bounded, so that a slow store also slows down the
 * reading. A bad line is reported and skipped; a failure of the store ends the reading.
 */
public final class Feed {
  private static final int BATCH = 1000;
  private static final int UNDER_WAY = 4;

  private final TimedQueue<byte[]> queue;
  private final LineParser parser;
  private final IfPresent ifPresent;
  private final LineListener listener;

  /**
   * The permits for batches in flight. The semaphore is fair: {@link #stop} gets its permits before
   * later batches.
   */
  private final Semaphore inFlight = new Semaphore(UNDER_WAY, true);

  private volatile boolean failed;
  private List<Line> batch = new ArrayList<>();

  private record Line(long number, Message<byte[]> message) {}

  /**
   * Receives the results of the lines. Several threads call it, but the calls for one batch never
   * overlap.
   */
  public interface LineListener {
    void scheduled(long line, Scheduled answer);

    /** A line is invalid, and was not scheduled. */
    void refused(long line, String why);

    /** The store failed; it is unknown which lines from the first to the last were scheduled. */
    void failed(long first, long last, Throwable failure);

    /** All results of a batch, or its failure, have been reported. */
    default void batchEnded() {}
  }

  public Feed(
      TimedQueue<byte[]> queue, LineParser parser, IfPresent ifPresent, LineListener listener) {
    this.queue = queue;
    this.parser = parser;
    this.ifPresent = ifPresent;
    this.listener = listener;
  }

  /**
   * Reads and schedules the lines on a separate thread, since a read can't be interrupted.
   *
   * @return a future that completes after the last reply, also if the store failed; it completes
   *     exceptionally if the input can't be read
   */
  public CompletableFuture<@Nullable Void> start(LineReader lines) {
    CompletableFuture<@Nullable Void> end = new CompletableFuture<>();
    Thread thread = new Thread(() -> run(lines, end), "punctual-feed");
    thread.setDaemon(true);
    thread.start();
    return end;
  }

  /**
   * Waits for the replies in flight, and prevents further batches meanwhile. Returns whether the
   * replies came in time; if so, no line is scheduled afterwards.
   */
  public boolean stop(Duration wait) throws InterruptedException {
    return inFlight.tryAcquire(UNDER_WAY, wait.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void run(LineReader lines, CompletableFuture<@Nullable Void> end) {
    try {
      run(lines);
      end.complete(null);
    } catch (Throwable e) {
      end.completeExceptionally(e);
    }
  }

  private void run(LineReader lines) throws IOException, InterruptedException {
    while (!failed && lines.next()) {
      add(lines);
      if (batch.size() >= BATCH || !lines.isReady()) {
        send();
      }
    }
    if (!failed) {
      send();
    }
    inFlight.acquire(UNDER_WAY);
    inFlight.release(UNDER_WAY);
  }

  private void add(LineReader lines) {
    try {
      String text = lines.text();
      if (text != null) {
        batch.add(new Line(lines.number(), parser.parse(text)));
      }
    } catch (BadLineException e) {
      listener.refused(lines.number(), String.valueOf(e.getMessage()));
    }
  }

  private void send() throws InterruptedException {
    if (batch.isEmpty()) {
      return;
    }
    List<Line> sent = batch;
    batch = new ArrayList<>();
    inFlight.acquire();
    try {
      CompletionStage<?> unused =
          queue
              .async()
              .scheduleAll(sent.stream().map(Line::message).toList(), ifPresent)
              .whenComplete((answers, failure) -> answered(sent, answers, failure));
    } catch (PunctualException e) {
      answered(sent, null, e);
    }
  }

  private void answered(
      List<Line> sent, @Nullable List<Scheduled> answers, @Nullable Throwable failure) {
    try {
      if (answers == null) {
        failed = true;
        Throwable why = failure == null ? new IllegalStateException("no answer") : failure;
        Throwable cause = why instanceof CompletionException ? why.getCause() : why;
        if (cause instanceof BatchException batch) {
          partlyAnswered(sent, batch.outcomes());
        } else {
          listener.failed(sent.get(0).number(), sent.get(sent.size() - 1).number(), why);
        }
      } else {
        for (int i = 0; i < answers.size(); i++) {
          listener.scheduled(sent.get(i).number(), answers.get(i));
        }
      }
      listener.batchEnded();
    } finally {
      inFlight.release();
    }
  }

  /** Reports the lines that were scheduled, and the spans of lines that failed in the same way. */
  private void partlyAnswered(List<Line> sent, List<BatchException.Outcome> outcomes) {
    for (int from = 0, to; from < sent.size(); from = to) {
      BatchException.Outcome first = outcomes.get(from);
      to = from + 1;
      if (first.result().isPresent() && first.result().get() instanceof Scheduled scheduled) {
        listener.scheduled(sent.get(from).number(), scheduled);
        continue;
      }
      while (to < sent.size()
          && outcomes.get(to).status() == first.status()
          && outcomes.get(to).result().isEmpty()) {
        to++;
      }
      RuntimeException why =
          first.failure().orElseGet(() -> new IllegalStateException("no answer"));
      listener.failed(sent.get(from).number(), sent.get(to - 1).number(), why);
    }
  }
}
