package io.punctual.jdbc.sql;

import io.punctual.internal.log.Logs;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;

/**
 * A data source that the stores of this process share with the application. All of them use the
 * same {@link Connections}, so that the number of connections that stay with them does not grow
 * with the number of stores. Safe for use by many threads.
 */
final class SharedPool {
  private static final Logger log = Logs.of(SharedPool.class);

  /** The most connections that the stores keep: for two look-ups, and for the other calls. */
  private static final int RESERVE = 3;

  /** The stores keep at most a third of a pool. */
  private static final int PART = 3;

  /** A smaller pool has no connection to spare. */
  private static final int SMALLEST_SHARED = 5;

  /** A smaller pool has no connection to listen. */
  private static final int SMALLEST_LISTENING = 3;

  /** How many connections a pool of unknown size is asked for. */
  private static final int TRIED_OUT = 6;

  /** The default number of handlers of a worker. */
  private static final int HANDLERS = 16;

  private static final long TRY_OUT_MILLIS = 2_000;
  private static final long LINGER_MILLIS = 2_000;

  /** The data sources of open stores. The monitor of this list guards {@link #stores}, too. */
  private static final List<SharedPool> OPEN = new ArrayList<>();

  private final Lender lender;
  private final Connections connections;
  private final Listener listener;
  private int stores;

  // The monitor guards the following fields.

  /** The most connections that a pool of unknown size has lent so far. */
  private int triedOut;

  /** What each store uses. */
  private final List<Integer> uses = new ArrayList<>();

  private int listening;

  private SharedPool(Lender lender) {
    this.lender = lender;
    connections = new Connections(lender);
    listener = new Listener(lender);
  }

  /** Lends connections to a further store, as {@link StoreConnections#shared}. */
  static StoreConnections lend(Lender lender, int used, boolean listens) {
    SharedPool pool;
    synchronized (OPEN) {
      pool =
          OPEN.stream()
              .filter(each -> each.lender.lendsTheSame(lender))
              .findFirst()
              .orElseGet(() -> opened(lender));
      pool.stores++;
    }
    try {
      return pool.lend(used, listens);
    } catch (RuntimeException | Error e) { // for example no memory
      pool.leave();
      throw e;
    }
  }

  private static SharedPool opened(Lender lender) {
    SharedPool pool = new SharedPool(lender);
    OPEN.add(pool);
    return pool;
  }

  private synchronized StoreConnections lend(int used, boolean listens) {
    Optional<Integer> known = lender.size();
    if (known.isEmpty() && triedOut < TRIED_OUT) {
      triedOut = Math.max(triedOut, connections.tryOut(TRIED_OUT, TRY_OUT_MILLIS));
    }
    boolean isListening = listens && size() >= SMALLEST_LISTENING;
    uses.add(used);
    listening += isListening ? 1 : 0;
    try {
      keep();
      warnIfSmall(known.isPresent(), listens && !isListening);
      return new StoreConnections(
          connections, isListening ? listener : null, () -> giveBack(used, isListening));
    } catch (RuntimeException | Error e) {
      remove(used, isListening);
      throw e;
    }
  }

  private void warnIfSmall(boolean isKnown, boolean isDeaf) {
    if (isSmall()) {
      log.warn(
          "There are {} connections in {}. {} can use {} at a time and keep {}, so calls wait for"
              + " the application's transactions{}",
          size(),
          lender.name(),
          stores(),
          used(),
          kept(),
          isDeaf
              ? ". It does not listen: other processes learn of new messages by a check each second"
              : "");
    } else if (isKnown && size() < kept() + HANDLERS) {
      log.warn(
          "There are {} connections in {}. {} can keep {}, so {} handlers can hold one at a time. A"
              + " worker has {} handlers by default: if they use the database, set maximumPoolSize"
              + " to {} or a lower concurrency",
          size(),
          lender.name(),
          stores(),
          kept(),
          size() - kept(),
          HANDLERS,
          kept() + HANDLERS);
    }
  }

  private String stores() {
    return uses.size() == 1 ? "The store" : "The " + uses.size() + " stores of this process";
  }

  private int size() {
    return lender.size().orElse(triedOut);
  }

  private int reserve() {
    return size() < SMALLEST_SHARED ? 0 : Math.min(RESERVE, size() / PART);
  }

  /** The number of connections that stay with the stores. */
  private int kept() {
    return reserve() + (listening > 0 ? 1 : 0);
  }

  /** The largest number of connections that the stores use. */
  private int used() {
    return uses.stream().mapToInt(each -> each).sum() + (listening > 0 ? 1 : 0);
  }

  /** Returns whether the stores can use all connections. */
  private boolean isSmall() {
    return size() < (lender.size().isPresent() ? used() + 1 : TRIED_OUT);
  }

  private void keep() {
    connections.keep(reserve(), isSmall() ? 0 : LINGER_MILLIS);
  }

  private void giveBack(int used, boolean wasListening) {
    remove(used, wasListening);
    leave();
  }

  private synchronized void remove(int used, boolean wasListening) {
    uses.remove((Integer) used);
    listening -= wasListening ? 1 : 0;
  }

  /** Ends the part of a store; the last store closes the connections. */
  private void leave() {
    boolean isLast;
    synchronized (OPEN) {
      isLast = --stores == 0;
      if (isLast) {
        OPEN.remove(this);
      }
    }
    if (isLast) {
      connections.close();
      return;
    }
    synchronized (this) {
      keep();
    }
  }
}
