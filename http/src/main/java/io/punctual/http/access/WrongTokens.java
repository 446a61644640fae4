package io.punctual.http.access;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Counts the wrong proofs of each address, so that guessing is slow. Keeps the last 10,000
 * addresses. Safe for use by many threads.
 */
public final class WrongTokens {
  /** How many wrong proofs an address may send in a minute before it must wait. */
  public static final int LIMIT = 20;

  /** How long a wrong proof waits for its answer. */
  public static final Duration DELAY = Duration.ofMillis(200);

  private static final long WINDOW = Duration.ofMinutes(1).toNanos();
  private static final int ADDRESSES = 10_000;

  private final LongSupplier nanoTime;
  private final Map<String, Window> windows = new LinkedHashMap<>();

  /** Creates counters with a source of nanoseconds, such as {@link System#nanoTime}. */
  public WrongTokens(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** Counts a wrong proof, and returns whether the address has exceeded the limit. */
  public synchronized boolean isTooMany(String address) {
    long now = nanoTime.getAsLong();
    String network = network(address);
    Window window = windows.remove(network);
    if (window == null || window.isOver(now)) {
      window = new Window(now);
    }
    if (windows.size() >= ADDRESSES) {
      windows.remove(windows.keySet().iterator().next());
    }
    windows.put(network, window);
    return ++window.count > LIMIT;
  }

  /** Returns the first half of an address of IPv6, since one machine has all of its second half. */
  private static String network(String address) {
    if (address.indexOf(':') < 0) {
      return address;
    }
    try {
      byte[] bytes = InetAddress.getByName(address).getAddress();
      return bytes.length < 16 ? address : HexFormat.of().formatHex(bytes, 0, 8);
    } catch (UnknownHostException e) {
      return address;
    }
  }

  private static final class Window {
    private final long begin;
    private int count;

    Window(long begin) {
      this.begin = begin;
    }

    boolean isOver(long now) {
      return now - begin >= WINDOW;
    }
  }
}
