package io.punctual.cli.transfer;

import io.punctual.IfPresent;
import io.punctual.OutcomeUnknownException;
import io.punctual.ScheduleOutcome;
import io.punctual.Scheduled;
import io.punctual.TimedQueue;
import io.punctual.cli.input.Feed;
import io.punctual.cli.input.LineParser;
import io.punctual.cli.input.LineReader;
import io.punctual.cli.output.Console;
import io.punctual.cli.output.ErrorReporter;
import io.punctual.cli.output.Numbers;
import io.punctual.cli.output.ProgressLine;
import io.punctual.cli.output.Stdout;
import java.io.InputStream;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Schedules lines on a separate thread, and writes them on the caller's thread when they are due.
 * Ends when all scheduled lines are written. A bad line is reported and skipped.
 */
final class Pipe implements Feed.LineListener {
  /**
   * The longest wait of a claim. After each claim, the pipe draws its progress and checks the
   * {@link PipeBalance}.
   */
  private static final Duration WAIT = Duration.ofSeconds(1);

  private static final Duration LEASE = Duration.ofSeconds(30);

  /** The longest wait for the replies in flight if the pipe ends before its input. */
  private static final Duration STOP_WAIT = Duration.ofSeconds(2);

  private final Console console;
  private final TimedQueue<byte[]> queue;
  private final PipeBalance balance;
  private volatile @Nullable Throwable broken;
  private volatile boolean refusedAny;
  private boolean readerGone;

  /**
   * Creates a pipe.
   *
   * @param shared whether the queue may hold messages of other processes
   */
  Pipe(Console console, TimedQueue<byte[]> queue, boolean shared) {
    this.console = console;
    this.queue = queue;
    this.balance = new PipeBalance(queue, shared);
  }

  /**
   * Pipes the input until every line is written, the user ends the command, or the reader of the
   * output is gone. Returns false if the input could not be read, or a line that was read was not,
   * or perhaps not, scheduled.
   */
  boolean run(InputStream in, LineParser parser) throws InterruptedException {
    CompletableFuture<?> unusedStop = console.stop().asked().thenRun(balance::endNow);
    Feed feed = new Feed(queue, parser, IfPresent.REJECT, this);
    CompletableFuture<?> unusedEnd = feed.start(new LineReader(in)).whenComplete(this::fed);
    try {
      drain();
    } catch (Stdout.ReaderGoneException e) {
      readerGone = true;
    } finally {
      boolean unused = feed.stop(STOP_WAIT);
    }
    Throwable failure = broken;
    if (failure != null) {
      console.say("The input can't be read any more: " + ErrorReporter.message(failure));
    }
    return failure == null && !refusedAny;
  }

  private void fed(@Nullable Void done, @Nullable Throwable failure) {
    broken = failure;
    balance.fed();
  }

  private void drain() {
    LineConsumer consumer =
        new LineConsumer(
            queue, DeliveryLine.on(console), LEASE, console.out(), balance.end(), balance);
    try (ProgressLine line = ProgressLine.besideData(console)) {
      // Finds the reader before the first write, because 'head -1', for example, ends after one
      // line.
      readerGone = console.out().isReaderGone();
      while (!readerGone && !balance.end().isDone()) {
        int unused = consumer.next(LineConsumer.MAX_CLAIM, WAIT);
        balance.ask();
        line.show(progress());
        readerGone = console.out().isReaderGone();
      }
    } finally {
      consumer.awaitAcks();
    }
  }

  private String progress() {
    long in = balance.in();
    long out = balance.out();
    return String.format(
        Locale.ROOT,
        "%s in, %s out, %s waiting",
        Numbers.grouped(in),
        Numbers.grouped(out),
        Numbers.grouped(Math.max(0, in - out)));
  }

  /** Returns whether the pipe ended because the reader of its output is gone. */
  boolean isReaderGone() {
    return readerGone;
  }

  /**
   * Returns the number of scheduled lines minus the number of confirmed acks, but at least 0. Some
   * of these lines may have been written.
   */
  long left() {
    return Math.max(0, balance.in() - balance.out());
  }

  @Override
  public void scheduled(long line, Scheduled answer) {
    if (answer.outcome() == ScheduleOutcome.STORED) {
      balance.scheduled();
    } else {
      refused(line, "has the id '" + answer.id() + "' of a line that still waits");
    }
  }

  @Override
  public void refused(long line, String why) {
    refusedAny = true;
    console.say("line " + line + " " + why);
  }

  @Override
  public void failed(long first, long last, Throwable failure) {
    Throwable cause = ErrorReporter.cause(failure);
    refusedAny = true;
    balance.maybeScheduled();
    String fate =
        cause instanceof OutcomeUnknownException
            ? " may be scheduled or not: "
            : " not scheduled: ";
    console.say("lines " + first + " to " + last + fate + ErrorReporter.message(cause));
    console.say("No more lines are read; scheduled lines are still written");
  }
}
