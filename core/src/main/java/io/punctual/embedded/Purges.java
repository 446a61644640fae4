package io.punctual.embedded;

import io.punctual.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * The running purges of a partition. Each purge is notified of the messages that enter a {@link
 * Place} after its beginning.
 *
 * <p>Used under the partition's lock, or on the partition's thread.
 */
public final class Purges {
  private final List<Purge> running = new ArrayList<>(1);

  /** Begins a purge of the messages in these states. */
  public Purge begin(PartitionTable<?> table, Set<State> states, LongSupplier clockMillis) {
    Purge purge = new Purge(this, table, states, clockMillis);
    running.add(purge);
    return purge;
  }

  /**
   * Notes that a message has entered a place: it is new, waits again, was leased, buried or
   * finished.
   */
  public void arrived(int slot) {
    for (int i = 0; i < running.size(); i++) {
      running.get(i).arrived(slot);
    }
  }

  void end(Purge purge) {
    running.remove(purge);
  }
}
