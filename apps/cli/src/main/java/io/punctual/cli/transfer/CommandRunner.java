package io.punctual.cli.transfer;

import io.punctual.Delivery;
import io.punctual.ReportedException;
import io.punctual.SettleOutcome;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import io.punctual.cli.input.Payload;
import io.punctual.cli.output.Console;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Runs a command for each message of a queue, with the payload on its standard input. */
final class CommandRunner {
  /** A shell's exit codes for commands that SIGHUP, SIGINT or SIGTERM ended. */
  private static final Set<Integer> STOPPED = Set.of(129, 130, 143);

  private static final long SIGNAL_MILLIS = 500;

  private final Console console;
  private final TimedQueue<byte[]> queue;
  private final String command;
  private final WorkerOptions options;
  private final boolean raw;
  private final long max;
  private final AtomicLong started = new AtomicLong();
  private final AtomicLong ended = new AtomicLong();
  private final CompletableFuture<@Nullable Void> enough = new CompletableFuture<>();
  private final CompletableFuture<Worker> working = new CompletableFuture<>();

  /**
   * Creates a runner.
   *
   * @param raw whether a command receives a JSON string with its quotes and escapes, instead of the
   *     text of the string
   * @param max the number of messages after which to end
   */
  CommandRunner(
      Console console,
      TimedQueue<byte[]> queue,
      String command,
      WorkerOptions options,
      boolean raw,
      long max) {
    this.console = console;
    this.queue = queue;
    this.command = command;
    this.options = options;
    this.raw = raw;
    this.max = max;
  }

  /**
   * Runs until the idle time has passed, the maximum number of messages is handled, the user ends
   * the CLI, or the reader of the output is gone.
   */
  void run(IdleWatch watch) throws InterruptedException {
    CompletableFuture<?> end = CompletableFuture.anyOf(enough, console.stop().asked());
    try (Worker worker = queue.work(options, this::handle)) {
      working.complete(worker);
      while (!watch.isOver() && !isReaderGone() && !isDone(end, watch)) {
        watch.look(worker.running() > 0);
      }
    }
  }

  /**
   * Returns whether the reader of the output is gone; if so, ends the run. The commands inherit the
   * output: without a reader, each command would fail or its output would be lost.
   */
  private boolean isReaderGone() {
    boolean gone = console.out().isReaderGone();
    if (gone) {
      endClaims();
      enough.complete(null);
    }
    return gone;
  }

  /**
   * Pauses the worker, which would otherwise claim and release messages until the last command
   * ends.
   */
  private void endClaims() {
    CompletableFuture<?> unused = working.thenAccept(Worker::pause);
  }

  private static boolean isDone(CompletableFuture<?> end, IdleWatch watch)
      throws InterruptedException {
    try {
      Object unused = end.get(watch.interval().toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException goOn) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  private void handle(Delivery<byte[]> delivery) throws Exception {
    long number = started.incrementAndGet();
    if (number >= max) {
      endClaims();
    }
    if (number > max || isReaderGone()) {
      SettleOutcome unused = delivery.release();
      return;
    }
    try {
      execute(delivery);
    } catch (ReportedException e) {
      report(delivery, e.toString());
      throw e;
    } catch (IOException e) {
      report(delivery, String.valueOf(e.getMessage()));
      throw e;
    } finally {
      if (ended.incrementAndGet() == max) {
        enough.complete(null);
      }
    }
  }

  private void execute(Delivery<byte[]> delivery) throws Exception {
    byte[] input = raw ? delivery.payload() : Payload.unquoted(delivery.payload());
    try (ChildCommand child = ChildCommand.start(console, command, environment(delivery), input)) {
      int exitCode = child.await();
      String errors = child.lastErrors();
      if (exitCode != 0 && (wasInterrupted(exitCode) || isReaderGone())) {
        SettleOutcome unused = delivery.release();
      } else if (exitCode != 0) {
        throw new ReportedException("The command ended with " + exitCode, errors, "");
      }
    }
  }

  private static Map<String, String> environment(Delivery<byte[]> delivery) {
    return Map.of(
        "PUNCTUAL_ID", delivery.id(),
        "PUNCTUAL_QUEUE", delivery.queue(),
        "PUNCTUAL_ATTEMPT", Integer.toString(delivery.attempt()));
  }

  /**
   * Returns whether the user ends this process; a command may have failed for this reason. After an
   * exit code in {@link #STOPPED}, waits briefly for the signal: the terminal sends it to the
   * command as well, and the command may end before this process handles the signal.
   */
  private boolean wasInterrupted(int exitCode) throws InterruptedException {
    try {
      Object unused =
          console
              .stop()
              .asked()
              .get(STOPPED.contains(exitCode) ? SIGNAL_MILLIS : 0, TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException notAsked) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  private void report(Delivery<byte[]> delivery, String failure) {
    console.say(
        String.format(
            Locale.ROOT,
            "Message '%s', attempt %d: %s%s",
            delivery.id(),
            delivery.attempt(),
            failure.replaceAll("\\R\\s*", "; ").replace('\t', ' '),
            delivery.isLost() ? "; its lease was lost meanwhile" : ""));
  }
}
