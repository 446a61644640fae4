package io.punctual.kit.history;

import java.util.ArrayList;
import java.util.List;

/**
 * A scripted history of queue "q". The engine's clock and the clock of the processes always agree,
 * and each event takes a nanosecond.
 */
final class Script {
  static final String QUEUE = "q";

  private final List<List<HistoryEvent>> processes = new ArrayList<>();
  private long now;

  /** Moves all clocks to this time. */
  Script at(long millis) {
    now = Math.max(now, millis * 1_000_000);
    return this;
  }

  ScriptedProcess process(String name) {
    List<HistoryEvent> events = new ArrayList<>();
    processes.add(events);
    events.add(new HistoryEvent.ProcessBegan(tick(), name));
    return new ScriptedProcess(this, events);
  }

  long tick() {
    return now++;
  }

  long engineMicros() {
    return now / 1000;
  }

  History history() {
    return History.of(processes);
  }

  HistoryReport check() {
    return history().check();
  }
}
