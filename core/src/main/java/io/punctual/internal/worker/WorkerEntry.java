package io.punctual.internal.worker;

import io.punctual.Worker;
import io.punctual.internal.delivery.Announced;
import io.punctual.internal.runtime.WorkerCounters;

/** A worker as the list of workers shows it. Thread-safe. */
record WorkerEntry(Worker worker, WorkerCounters counters, Claimers claimers) implements Announced {
  @Override
  public String name() {
    return worker.name();
  }

  @Override
  public String queue() {
    return worker.queue();
  }

  @Override
  public int concurrency() {
    return worker.concurrency();
  }

  @Override
  public int running() {
    return worker.running();
  }

  @Override
  public boolean isPaused() {
    return worker.isPaused();
  }

  @Override
  public boolean isPausedByOperator() {
    return claimers.isPausedBy(Claimers.Pauser.OPERATOR);
  }

  @Override
  public void pauseByOperator(boolean paused) {
    claimers.pause(Claimers.Pauser.OPERATOR, paused);
  }
}
