package io.punctual.jdbc.sql;

import io.punctual.internal.log.Logs;
import java.util.Optional;
import org.slf4j.Logger;

/** The use of a data source that the store shares with the application. */
public final class SharedPool {
  private static final Logger log = Logs.of(SharedPool.class);

  /** The most connections that the store keeps: for two look-ups, and for the other calls. */
  private static final int RESERVE = 3;

  /** The store keeps at most a third of a pool. */
  private static final int PART = 3;

  /** A smaller pool has no connection to spare. */
  private static final int SMALLEST_SHARED = 5;

  /** How many connections a pool of unknown size is asked for. */
  private static final int TRIED_OUT = 6;

  /** The default number of handlers of a worker. */
  private static final int HANDLERS = 16;

  private static final long TRY_OUT_MILLIS = 2_000;
  private static final long LINGER_MILLIS = 2_000;

  private SharedPool() {}

  /**
   * Decides how many connections the store keeps.
   *
   * @param used the largest number of connections that the store uses, without listening
   * @param listens whether the store needs a further connection to listen
   * @return whether there is a connection to listen
   */
  public static boolean share(Connections connections, Lender lender, int used, boolean listens) {
    Optional<Integer> known = lender.size();
    int size = known.orElseGet(() -> connections.tryOut(TRIED_OUT, TRY_OUT_MILLIS));
    boolean isListening = listens && size > 2;
    int reserve = size < SMALLEST_SHARED ? 0 : Math.min(RESERVE, size / PART);
    boolean isSmall = size < (known.isPresent() ? used + 2 : TRIED_OUT);
    connections.keep(reserve, isSmall ? 0 : LINGER_MILLIS);
    int kept = reserve + (isListening ? 1 : 0);
    if (isSmall) {
      log.warn(
          "There are {} connections in {}. The store alone uses up to {}, and keeps {}, so its"
              + " calls wait for the application's transactions{}",
          size,
          lender.name(),
          used + (listens ? 1 : 0),
          kept,
          listens && !isListening
              ? ". It does not listen: other processes learn of new messages by a check each second"
              : "");
    } else if (known.isPresent() && size < kept + HANDLERS) {
      log.warn(
          "There are {} connections in {}, and the store keeps {}, so {} handlers can hold one at a"
              + " time. A worker has {} handlers by default: if they use the database, set"
              + " maximumPoolSize to {} or a lower concurrency",
          size,
          lender.name(),
          kept,
          size - kept,
          HANDLERS,
          kept + HANDLERS);
    }
    return isListening;
  }
}
