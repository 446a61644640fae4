package io.punctual.lock.internal.protocol;

import java.util.HexFormat;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/**
 * Creates ids of handles, which are unique among all clients: {@code client:number:mode:lease}. The
 * scripts read the mode and the lease from the id. Thread-safe.
 *
 * <p>Two processes that were restored from one image, for example of a virtual machine, begin with
 * the same state. So each number is random. If the two processes still create the same id, a server
 * notices that the first request with the id is not the first, and {@link #renew} is called.
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

  private final RandomGenerator random;
  private volatile String client;

  /**
   * Creates ids with a random part.
   *
   * @param random a source that does not repeat itself after the restore of an image, such as
   *     {@link java.security.SecureRandom}
   */
  public HandleIds(RandomGenerator random) {
    this.random = random;
    this.client = newClient();
  }

  private String newClient() {
    byte[] bytes = new byte[CLIENT_BYTES];
    random.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  /**
   * Returns the random part that all ids of this client share, which is also the end of the
   * client's channel.
   */
  public String client() {
    return client;
  }

  /** Replaces {@link #client}, unless it was replaced since this id was created. */
  public synchronized void renew(String taken) {
    if (taken.startsWith(client + ':')) {
      client = newClient();
    }
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
        + Long.toString(random.nextLong() >>> 1, RADIX)
        + ':'
        + mode
        + ':'
        + leaseMillis;
  }
}
