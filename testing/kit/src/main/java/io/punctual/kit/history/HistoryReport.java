package io.punctual.kit.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The result of checking a history. {@link #toString()} is a readable table. Immutable.
 *
 * @param scheduled how many schedules were called
 * @param confirmed how many schedules were confirmed as stored
 * @param delivered how many ids were delivered at least once
 * @param handedOver how many deliveries handlers and manual claims received
 * @param redelivered how many claimed messages were at a second or later attempt, after a retry or
 *     an expired lease
 * @param acked how many acks were confirmed
 * @param cancelled how many cancels removed a pending message
 * @param buried how many messages were buried
 * @param buriedUnseen how many ids were buried without any delivery to a handler; their messages
 *     had expired, were unreadable, or ended the processes of their workers
 * @param left the number of messages and remembered ids in the inventories, without dead letters
 * @param unknown how many invocations have an unknown outcome
 * @param leasesLost how many lost leases the processes noticed
 * @param troubles how many times a process noticed a failure of the store
 * @param inventories how many inventories were taken; without an inventory, a message counts as
 *     lost only if a later call shows it
 * @param undecided the queues and ids whose history the checker could not explain within its limit
 * @param longestSilence the longest time in which a queue had a claimable message and no message of
 *     the queue was claimed
 * @param breaches the breaches, as few as the unknown outcomes allow
 */
public record HistoryReport(
    long scheduled,
    long confirmed,
    long delivered,
    long handedOver,
    long redelivered,
    long acked,
    long cancelled,
    long buried,
    long buriedUnseen,
    long left,
    long unknown,
    long leasesLost,
    long troubles,
    long inventories,
    List<String> undecided,
    Duration longestSilence,
    List<Found> breaches) {
  private static final int SHOWN = 20;

  /**
   * A breach.
   *
   * @param breach the kind
   * @param queue the queue
   * @param id the message's id
   * @param step the step that showed it
   */
  public record Found(Breach breach, String queue, String id, String step) {}

  /** Keeps copies of the lists. */
  public HistoryReport {
    undecided = List.copyOf(undecided);
    breaches = List.copyOf(breaches);
  }

  /** Returns how often this promise was broken. */
  public long count(Breach breach) {
    return breaches.stream().filter(found -> found.breach == breach).count();
  }

  /** Returns whether no promise was broken, and every id could be judged. */
  public boolean isClean() {
    return breaches.isEmpty() && undecided.isEmpty();
  }

  @Override
  public String toString() {
    StringBuilder table = new StringBuilder();
    row(table, "scheduled", scheduled);
    row(table, "scheduled and confirmed", confirmed);
    row(table, "delivered", delivered);
    row(table, "handed over", handedOver);
    row(table, "redelivered", redelivered);
    row(table, "acked", acked);
    row(table, "cancelled", cancelled);
    row(table, "buried", buried);
    row(table, "buried unseen", buriedUnseen);
    row(table, "left in the store", inventories == 0 ? "not looked" : left);
    row(table, "outcome unknown", unknown);
    row(table, "leases lost", leasesLost);
    row(table, "store troubles", troubles);
    row(table, "longest silence", longestSilence);
    row(table, "undecided", undecided.size());
    countBreaches().forEach((breach, count) -> row(table, breach.label(), count));
    breaches.stream().limit(SHOWN).forEach(found -> table.append(line(found)));
    return table.toString();
  }

  private Map<Breach, Long> countBreaches() {
    Map<Breach, Long> counts = new EnumMap<>(Breach.class);
    for (Breach breach : Breach.values()) {
      counts.put(breach, count(breach));
    }
    return counts;
  }

  private static void row(StringBuilder table, String name, Object value) {
    table.append(String.format(Locale.ROOT, "%-28s %s%n", name, value));
  }

  private static String line(Found found) {
    return String.format(
        Locale.ROOT,
        "  %s: %s in %s: %s%n",
        found.breach.label(),
        found.id,
        found.queue,
        found.step);
  }

  /** Builds a report. For use by a single thread. */
  static final class Builder {
    long scheduled;
    long confirmed;
    long delivered;
    long handedOver;
    long redelivered;
    long acked;
    long cancelled;
    long buried;
    long buriedUnseen;
    long left;
    long unknown;
    long leasesLost;
    long troubles;
    long inventories;
    private Duration longestSilence = Duration.ZERO;
    private final List<String> undecided = new ArrayList<>();
    private final List<Found> breaches = new ArrayList<>();

    void add(Breach breach, String queue, String id, String step) {
      breaches.add(new Found(breach, queue, id, step));
    }

    void undecided(String queue, String id) {
      undecided.add(queue + " " + id);
    }

    void longestSilence(Duration silence) {
      longestSilence = silence;
    }

    HistoryReport build() {
      return new HistoryReport(
          scheduled,
          confirmed,
          delivered,
          handedOver,
          redelivered,
          acked,
          cancelled,
          buried,
          buriedUnseen,
          left,
          unknown,
          leasesLost,
          troubles,
          inventories,
          undecided,
          longestSilence,
          breaches);
    }
  }
}
