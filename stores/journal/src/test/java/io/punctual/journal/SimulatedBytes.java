package io.punctual.journal;

import java.util.Arrays;
import java.util.Random;

/**
 * The written and the forced bytes of a file on a {@link SimulatedDisk}. Guarded by the lock of the
 * disk.
 */
final class SimulatedBytes {
  private static final int PAGE = 512;

  byte[] bytes = {};
  byte[] safe = {};
  boolean failed;

  byte[] read() {
    return bytes.clone();
  }

  byte[] afterPowerLoss(Random random) {
    int length = random.nextBoolean() ? bytes.length : safe.length;
    if (random.nextInt(3) == 0) {
      int low = Math.min(bytes.length, safe.length);
      length = low + random.nextInt(Math.abs(bytes.length - safe.length) + 1);
    }
    byte[] found = Arrays.copyOf(safe, length);
    for (int page = 0; page < Math.min(length, bytes.length); page += PAGE) {
      int end = Math.min(Math.min(length, bytes.length), page + PAGE);
      int written =
          switch (random.nextInt(3)) {
            case 0 -> 0;
            case 1 -> end - page;
            default -> random.nextInt(end - page + 1);
          };
      System.arraycopy(bytes, page, found, page, written);
    }
    return found;
  }
}
