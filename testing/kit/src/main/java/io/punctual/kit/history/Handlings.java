package io.punctual.kit.history;

import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * How often the ids of a run were handed to handlers, and the leases that were lost meanwhile.
 * Counts only leases that were handed to a handler. Immutable.
 *
 * @param ids the number of ids that were handled at least once
 * @param again the number of further handlings of these ids
 * @param lost the number of leases without a confirmed ack, by cause
 * @param unexplained the ids that were handled again more often than they lost leases
 */
public record Handlings(long ids, long again, Map<Loss, Long> lost, List<String> unexplained) {
  /** Why a lease has no confirmed ack. */
  public enum Loss {
    /** The process that had the lease was killed before the ack was confirmed. */
    HOLDER_KILLED,
    /** The store refused the ack, or the process noticed the end of its lease. */
    REFUSED,
    /**
     * The ack was neither confirmed nor refused, or there was no ack. Does not count as a lost
     * lease, so it does not explain a further handling of the id.
     */
    UNCONFIRMED
  }

  /** Keeps copies of the map and the list. */
  public Handlings {
    lost = Map.copyOf(lost);
    unexplained = List.copyOf(unexplained);
  }

  /** Returns the number of leases that were certainly lost. */
  public long leasesLost() {
    return lost.getOrDefault(Loss.HOLDER_KILLED, 0L) + lost.getOrDefault(Loss.REFUSED, 0L);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%d ids handled, %d times again; leases lost: %s; not explained: %s",
        ids,
        again,
        new EnumMap<>(ordered()),
        unexplained);
  }

  private Map<Loss, Long> ordered() {
    Map<Loss, Long> all = new EnumMap<>(Loss.class);
    for (Loss loss : Loss.values()) {
      all.put(loss, lost.getOrDefault(loss, 0L));
    }
    return all;
  }
}
