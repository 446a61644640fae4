package io.punctual.benchmarks.queue;

import java.util.ArrayList;
import java.util.List;

/** Daemon threads that repeat an action until they are interrupted. */
final class RepeatingThreads {
  private static final long PAUSE_MILLIS = 100;

  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean stopped;

  /** A single repetition. */
  @FunctionalInterface
  interface Turn {
    void run() throws Exception;
  }

  void start(int count, Turn turn) {
    for (int i = 0; i < count; i++) {
      Thread thread = new Thread(() -> repeat(turn), "handler-" + i);
      thread.setDaemon(true);
      threads.add(thread);
      thread.start();
    }
  }

  void stop() {
    stopped = true;
    threads.forEach(Thread::interrupt);
  }

  private void repeat(Turn turn) {
    while (!stopped) {
      try {
        turn.run();
      } catch (InterruptedException e) {
        return;
      } catch (Exception e) {
        if (!stopped) {
          System.err.println(Thread.currentThread().getName() + ": " + e);
          pause();
        }
      }
    }
  }

  private void pause() {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      stopped = true;
    }
  }
}
