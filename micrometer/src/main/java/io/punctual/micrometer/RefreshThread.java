package io.punctual.micrometer;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A daemon thread that refreshes gauges until this object or the client is closed. Thread-safe. */
final class RefreshThread {
  private final String store;
  private final GaugeRefresh refresh;
  private final CountDownLatch closed = new CountDownLatch(1);

  RefreshThread(String store, GaugeRefresh refresh) {
    this.store = store;
    this.refresh = refresh;
  }

  void start() {
    Thread thread = new Thread(this::run, "punctual-meters");
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    try {
      boolean open = true;
      while (open && closed.getCount() > 0) {
        open = refresh.run() && !closed.await(refresh.interval().toMillis(), TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      refresh.close();
    }
  }

  /** Ends the thread after the refresh in progress; the thread then removes the gauges. */
  void close() {
    closed.countDown();
  }

  @Override
  public String toString() {
    return store;
  }
}
