package io.punctual.redis;

import io.punctual.spi.Reply;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Who claims first when many clients wait for a lane: the one that took something last. The others
 * wake later, each at another time, and hear before that whether it was taken. If it was not, since
 * the first one is busy or dead, the next one takes it and is the first from then on. When the last
 * one may have no room for more, the others wait a few milliseconds only. A client that knows of no
 * other is the first. Thread-safe.
 */
final class Turn {
  private static final long NEWS_NANOS = TimeUnit.MILLISECONDS.toNanos(3);

  private enum Place {
    FIRST(0, 1),
    /** Behind one that may be busy. */
    NEXT(3_000, 8_000),
    BEHIND(25_000, 50_000);

    private final long leastMicros;
    private final long mostMicros;

    Place(long leastMicros, long mostMicros) {
      this.leastMicros = leastMicros;
      this.mostMicros = mostMicros;
    }
  }

  private final String client;
  private volatile Place place = Place.FIRST;
  private long newest;

  /** Creates one for a client, whose name is unique and has no space. */
  Turn(String client) {
    this.client = client;
  }

  /** This client has taken something, under a token. */
  synchronized void take(long token) {
    if (token >= newest) {
      newest = token;
      place = Place.FIRST;
    }
  }

  /**
   * Returns whether the one that took something was another client, after all that is known: news
   * and answers come on two connections, and two that both heard of the other one last would both
   * wait for it.
   */
  synchronized boolean isTakenBy(String taker, long token, boolean hasRoomForMore) {
    if (taker.equals(client) || token <= newest) {
      return false;
    }
    newest = token;
    place = hasRoomForMore ? Place.BEHIND : Place.NEXT;
    return true;
  }

  /**
   * Returns whether the others should be told, by one that took something, when the next is due.
   */
  static boolean isWorthTelling(long untilNextMicros, boolean hasRoomForMore) {
    return untilNextMicros >= (hasRoomForMore ? 20_000 : 5_000);
  }

  /**
   * Returns how long after it took something a client tells the others, so that its handler begins
   * before they wake up: at once if it may have no room for more, since they do not wait for long
   * then.
   */
  static long untilNewsNanos(boolean hasRoomForMore) {
    return hasRoomForMore ? NEWS_NANOS : 0;
  }

  /** Returns when this client should claim what is due after so many microseconds. */
  long after(long untilNextMicros) {
    Place here = place;
    return untilNextMicros == Reply.NONE
        ? untilNextMicros
        : untilNextMicros + ThreadLocalRandom.current().nextLong(here.leastMicros, here.mostMicros);
  }
}
