package io.punctual.cli.transfer;

import io.punctual.cli.output.Console;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running shell command, which inherits standard output. If the command still runs, {@link
 * #close} ends it and its descendants. Not thread-safe.
 */
final class ChildCommand implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ChildCommand.class);

  /**
   * The time that processes have between SIGTERM and SIGKILL. Shorter than the time that a worker
   * waits for an interrupted handler.
   */
  private static final long END_SECONDS = 1;

  private final Process process;
  private final ErrorTail errors;

  private ChildCommand(Process process, ErrorTail errors) {
    this.process = process;
    this.errors = errors;
  }

  /**
   * Starts a command.
   *
   * @param variables environment variables in addition to those of this process
   * @param input the bytes of the command's standard input
   */
  static ChildCommand start(
      Console console, String command, Map<String, String> variables, byte[] input)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder("/bin/sh", "-c", command)
            .redirectOutput(ProcessBuilder.Redirect.INHERIT);
    builder.environment().putAll(variables);
    Process process = builder.start();
    ChildCommand child = new ChildCommand(process, ErrorTail.of(console, process));
    child.feed(input);
    return child;
  }

  /**
   * Writes the input on a separate thread, because a write to a command that does not read can't be
   * interrupted.
   */
  private void feed(byte[] input) {
    Thread thread = new Thread(() -> write(input), "punctual-command-input");
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Writes the input. A command that does not read its input has not failed; only its exit code
   * shows a failure.
   */
  private void write(byte[] input) {
    try (OutputStream in = process.getOutputStream()) {
      in.write(input);
    } catch (IOException itDoesNotRead) {
      log.debug("A command did not read its input", itDoesNotRead);
    }
  }

  /** Waits until the command ends; returns its exit code. */
  int await() throws InterruptedException {
    return process.waitFor();
  }

  /** Returns the last lines of the command's standard error. Called after the command has ended. */
  String lastErrors() throws InterruptedException {
    return errors.lines();
  }

  /**
   * Ends the command if it still runs. Signals the shell before its current program. Otherwise the
   * shell would start its next program when the current one ends.
   */
  @Override
  public void close() {
    if (!process.isAlive()) {
      return;
    }
    List<ProcessHandle> all =
        Stream.concat(Stream.of(process.toHandle()), process.descendants()).toList();
    all.forEach(ProcessHandle::destroy);
    if (!haveEnded(all)) {
      all.forEach(ProcessHandle::destroyForcibly);
    }
  }

  private static boolean haveEnded(List<ProcessHandle> processes) {
    CompletableFuture<?>[] ends =
        processes.stream().map(ProcessHandle::onExit).toArray(CompletableFuture<?>[]::new);
    try {
      Object unused = CompletableFuture.allOf(ends).get(END_SECONDS, TimeUnit.SECONDS);
      return true;
    } catch (TimeoutException | ExecutionException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
