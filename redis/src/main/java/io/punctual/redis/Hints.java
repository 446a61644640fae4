package io.punctual.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.redis.client.Subscriber;
import io.punctual.spi.Reply;
import io.punctual.spi.WakeUp;

/**
 * Hears that a lane's earliest time has become earlier, {@code microseconds}, or that a client has
 * taken what was due, {@code microseconds token client}, with {@code none} if nothing is left, and
 * a fourth word if it may have no room for more. Hints that were published before the subscription
 * began are missed, so its beginning is a hint as well.
 */
final class Hints implements Subscriber {
  private static final String NONE = "none";

  private final WakeUp listener;
  private final Turn turn;

  Hints(WakeUp listener, Turn turn) {
    this.listener = listener;
    this.turn = turn;
  }

  @Override
  public void begun() {
    listener.wakeUp(0);
  }

  @Override
  public void message(byte[] message) {
    String[] parts = new String(message, UTF_8).split(" ", 4);
    if (parts.length == 1) {
      listener.wakeUp(turn.after(micros(parts[0])));
    } else if (parts.length > 2 && turn.isTakenBy(parts[2], micros(parts[1]), parts.length == 3)) {
      listener.postponed(turn.after(micros(parts[0])));
    }
  }

  private static long micros(String text) {
    try {
      return text.equals(NONE) ? Reply.NONE : Math.max(0, Long.parseLong(text));
    } catch (NumberFormatException foreign) {
      return 0;
    }
  }
}
