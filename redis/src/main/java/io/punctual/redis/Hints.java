package io.punctual.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.redis.client.Subscriber;
import io.punctual.spi.WakeUp;

/**
 * Hears that a lane's earliest time has become earlier. Hints that were published before the
 * subscription began are missed, so its beginning is a hint as well.
 */
final class Hints implements Subscriber {
  private final WakeUp listener;

  Hints(WakeUp listener) {
    this.listener = listener;
  }

  @Override
  public void begun() {
    listener.wakeUp(0);
  }

  @Override
  public void message(byte[] message) {
    listener.wakeUp(Math.max(0, micros(new String(message, UTF_8))));
  }

  private static long micros(String message) {
    try {
      return Long.parseLong(message);
    } catch (NumberFormatException foreign) {
      return 0;
    }
  }
}
