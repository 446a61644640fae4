package io.punctual.kit.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What all processes of this package share: signals, and waits with a generous bound. */
final class Processes {
  /** The bound of waits. A busy machine may pause a process for many seconds. */
  static final Duration PATIENCE = Duration.ofMinutes(2);

  private Processes() {}

  /** Starts a process, which this JVM kills at its own end. */
  static Process start(ProcessBuilder builder) {
    try {
      Process started = builder.start();
      AtExit.kill(started.toHandle());
      return started;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until a process has ended; returns false if it takes too long. */
  static boolean hasEnded(Process process, Duration patience) {
    try {
      return process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /** Kills processes like {@code kill -9}, and returns when they have ended. */
  static void kill(List<ProcessHandle> processes) {
    processes.forEach(ProcessHandle::destroyForcibly);
    processes.forEach(Processes::awaitEnd);
  }

  static void awaitEnd(ProcessHandle process) {
    try {
      ProcessHandle unused = process.onExit().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("Process " + process.pid() + " does not end", e);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /** Sends a signal, such as STOP, to a process that runs. */
  static void signal(String name, ProcessHandle process) {
    if (!signalIfAlive(name, process)) {
      throw new IllegalStateException("Process " + process.pid() + " took no signal " + name);
    }
  }

  /** Sends a signal; returns false if the process has ended. */
  static boolean signalIfAlive(String name, ProcessHandle process) {
    return Command.of("kill", "-" + name, Long.toString(process.pid())).succeeds();
  }

  static IllegalStateException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new IllegalStateException("Interrupted while a process runs", e);
  }
}
