package io.punctual.lock.internal.protocol;

import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/**
 * Creates ids of handles, which are unique among all clients: {@code client:number:mode:lease}. The
 * scripts read the mode and the lease from the id. Thread-safe.
 */
public final class HandleIds {
  /** The mode in the handles of an unfair mutex; bucket.lua lists the modes. */
  public static final String PUSHING = "x";

  /** The mode in the handles of a fair mutex. */
  public static final String FAIR = "f";

  private static final int CLIENT_BYTES = 12;
  private static final int RADIX = 36;
  private static final Pattern PERMIT =
      Pattern.compile("[0-9a-z]{1,64}:[0-9a-z]{1,16}:p\\d{1,5}(\\.\\d{1,5})?:\\d{1,10}");

  private final String client;
  private final AtomicLong last = new AtomicLong();

  /** Creates ids with a random part. */
  public HandleIds(RandomGenerator random) {
    byte[] bytes = new byte[CLIENT_BYTES];
    random.nextBytes(bytes);
    client = HexFormat.of().formatHex(bytes);
  }

  /** Returns the random part of the ids, which is also the end of the client's channel. */
  public String client() {
    return client;
  }

  /** Returns whether an id belongs to a semaphore's handle. */
  public static boolean hasPermits(String handle) {
    return PERMIT.matcher(handle).matches();
  }

  /** Returns the mode in a handle's id. */
  public static String mode(String handle) {
    int number = handle.indexOf(':');
    int mode = handle.indexOf(':', number + 1) + 1;
    return handle.substring(mode, handle.indexOf(':', mode));
  }

  /** Returns a new id, of a handle or of a call; bucket.lua defines the modes of handles. */
  public String next(String mode, long leaseMillis) {
    return client
        + ':'
        + Long.toString(last.incrementAndGet(), RADIX)
        + ':'
        + mode
        + ':'
        + leaseMillis;
  }
}
