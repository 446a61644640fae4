package io.punctual.kit.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The output of a process, which daemon threads read, so that the process never waits for a reader.
 * Safe for use by many threads.
 */
final class Output {
  private final List<String> lines = new ArrayList<>();

  /** The lines of the standard output and of the error output. */
  private final List<String> log = new ArrayList<>();

  private int taken;
  private int open = 2;

  /** Begins to read. */
  Output(BufferedReader standard, BufferedReader errors) {
    read(standard, true);
    read(errors, false);
  }

  private void read(BufferedReader reader, boolean standard) {
    Thread thread = new Thread(() -> readAll(reader, standard), "process-output");
    thread.setDaemon(true);
    thread.start();
  }

  private void readAll(BufferedReader reader, boolean standard) {
    try (reader) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        add(line, standard);
      }
    } catch (IOException e) {
      add("(The output can't be read: " + e + ")", false);
    } finally {
      end();
    }
  }

  private synchronized void add(String line, boolean standard) {
    log.add(line);
    if (standard) {
      lines.add(line);
    }
    notifyAll();
  }

  private synchronized void end() {
    open--;
    notifyAll();
  }

  synchronized List<String> log() {
    return List.copyOf(log);
  }

  synchronized List<String> startingWith(String begin) {
    return lines.stream().filter(line -> line.startsWith(begin)).toList();
  }

  /**
   * Waits until the standard output has this number of lines that start with a text, or until the
   * output ends, or for the patience. Returns the lines that were found.
   */
  synchronized List<String> await(String begin, int number, Duration patience) {
    boolean unused = await(() -> startingWith(begin).size() >= number || open == 0, patience);
    return startingWith(begin).stream().limit(number).toList();
  }

  /** Waits for a text in a line of any output; returns false if it does not come. */
  synchronized boolean awaitText(String text, Duration patience) {
    boolean unused = await(() -> hasText(text) || open == 0, patience);
    return hasText(text);
  }

  private boolean hasText(String text) {
    return log.stream().anyMatch(line -> line.contains(text));
  }

  /**
   * Waits for the next line of the standard output. Returns null if the output has ended, or if the
   * line takes too long.
   */
  synchronized @Nullable String take(Duration patience) {
    boolean unused = await(() -> taken < lines.size() || open == 0, patience);
    return taken < lines.size() ? lines.get(taken++) : null;
  }

  /** Waits for the end of the output; returns false if it takes too long. */
  synchronized boolean awaitEnd(Duration patience) {
    return await(() -> open == 0, patience);
  }

  private synchronized boolean await(BooleanSupplier condition, Duration patience) {
    long deadline = System.nanoTime() + patience.toNanos();
    while (!condition.getAsBoolean()) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      try {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      } catch (InterruptedException e) {
        throw Processes.interrupted(e);
      }
    }
    return true;
  }
}
