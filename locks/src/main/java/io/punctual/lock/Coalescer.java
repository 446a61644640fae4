package io.punctual.lock;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Collects the requests of a millisecond, so that they can be sent together. Thread-safe. */
final class Coalescer<T> {
  private static final long MOMENT_NANOS = 1_000_000;

  private final LockClient client;
  private final Consumer<List<T>> send;
  private List<T> gathered = new ArrayList<>();

  Coalescer(LockClient client, Consumer<List<T>> send) {
    this.client = client;
    this.send = send;
  }

  void add(T one) {
    boolean first;
    synchronized (this) {
      gathered.add(one);
      first = gathered.size() == 1;
    }
    if (first) {
      client.after(MOMENT_NANOS, this::sendAll);
    }
  }

  private void sendAll() {
    List<T> all;
    synchronized (this) {
      all = gathered;
      gathered = new ArrayList<>();
    }
    send.accept(all);
  }
}
