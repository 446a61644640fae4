package io.punctual.spi;

import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A partition's transfers of shares of its queue's limits: how much the partition has given to
 * other partitions, and received from other partitions, in total. The totals only grow. So a client
 * can complete a transfer that a different client began: in the ledger of the receiver, the client
 * raises the total that was received from the giver to the total in the giver's ledger. A second
 * completion has no effect. Immutable.
 *
 * @param born a number that distinguishes the partition from a partition of a deleted queue with
 *     the same name
 * @param rate the transfers of the rate and of the burst
 * @param places the transfers of the concurrency
 */
public record ShareLedger(long born, Transfers rate, Transfers places) {
  /** The limits whose shares clients move, independently of each other. */
  public enum Kind {
    /** The rate and the burst. */
    RATE,
    /** The concurrency. */
    PLACES
  }

  /** Returns the transfers of one limit. */
  public Transfers of(Kind kind) {
    return kind == Kind.RATE ? rate : places;
  }

  /** Returns this ledger with other transfers of one limit. */
  public ShareLedger with(Kind kind, Transfers transfers) {
    return kind == Kind.RATE
        ? new ShareLedger(born, transfers, places)
        : new ShareLedger(born, rate, transfers);
  }

  /** Returns the ledger of a partition without transfers. */
  public static ShareLedger empty(long born) {
    return new ShareLedger(born, Transfers.NONE, Transfers.NONE);
  }

  /**
   * Returns the ledger as a text: the units of the rate, the units of the places, {@link #born},
   * the transfers of the rate, and the transfers of the places, separated by spaces.
   */
  public String text() {
    return rate.units() + " " + places.units() + " " + born + " " + rate + " " + places;
  }

  /**
   * Reads the result of {@link #text}.
   *
   * @throws IllegalArgumentException if the text is not a result of {@link #text}
   */
  public static ShareLedger parse(String text) {
    String[] parts = text.split(" ", -1);
    if (parts.length != 7) {
      throw new IllegalArgumentException("'" + text + "' are not the shares of a partition");
    }
    return new ShareLedger(
        Long.parseLong(parts[2]),
        Transfers.parse(parts[3], parts[4]),
        Transfers.parse(parts[5], parts[6]));
  }

  /**
   * The transfers of one limit, in units as in {@link LimitShare#UNITS}.
   *
   * @param given the total that the partition has given to each other partition, by its index
   * @param received the total that the partition has received from each other partition
   */
  public record Transfers(SortedMap<Integer, Long> given, SortedMap<Integer, Long> received) {
    /** No transfers. */
    public static final Transfers NONE = new Transfers(new TreeMap<>(), new TreeMap<>());

    /** Keeps copies of the maps. */
    public Transfers {
      given = new TreeMap<>(given);
      received = new TreeMap<>(received);
    }

    /** Returns the units of the partition, 0 or more. */
    public long units() {
      return Math.max(0, LimitShare.UNITS - sum(given) + sum(received));
    }

    /** Returns the total that the partition has given to a different partition. */
    public long givenTo(int index) {
      return given.getOrDefault(index, 0L);
    }

    /** Returns the total that the partition has received from a different partition. */
    public long receivedFrom(int index) {
      return received.getOrDefault(index, 0L);
    }

    /** Returns these transfers with a total that was given, unless the present total is higher. */
    public Transfers withGiven(int to, long total) {
      return total <= givenTo(to) ? this : new Transfers(with(given, to, total), received);
    }

    /**
     * Returns these transfers with a total that was received, unless the present total is higher.
     */
    public Transfers withReceived(int from, long total) {
      return total <= receivedFrom(from) ? this : new Transfers(given, with(received, from, total));
    }

    private static SortedMap<Integer, Long> with(
        SortedMap<Integer, Long> totals, int index, long total) {
      SortedMap<Integer, Long> changed = new TreeMap<>(totals);
      changed.put(index, total);
      return changed;
    }

    private static long sum(SortedMap<Integer, Long> totals) {
      return totals.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns the given totals and the received totals, separated by a space. */
    @Override
    public String toString() {
      return text(given) + " " + text(received);
    }

    private static String text(SortedMap<Integer, Long> totals) {
      return totals.isEmpty()
          ? "-"
          : String.join(
              ",",
              totals.entrySet().stream()
                  .map(each -> each.getKey() + "=" + each.getValue())
                  .toList());
    }

    private static Transfers parse(String given, String received) {
      return new Transfers(parse(given), parse(received));
    }

    private static SortedMap<Integer, Long> parse(String text) {
      SortedMap<Integer, Long> totals = new TreeMap<>();
      if (!text.equals("-")) {
        for (String total : text.split(",", -1)) {
          int equals = total.indexOf('=');
          totals.put(
              Integer.valueOf(total.substring(0, Math.max(0, equals))),
              Long.valueOf(total.substring(equals + 1)));
        }
      }
      return totals;
    }
  }
}
