package io.punctual.internal;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The lanes of a queue. An id belongs to the lane whose index is the CRC-32C of its UTF-8 bytes
 * modulo their number; stores rely on every client agreeing. Immutable.
 */
record QueueLanes(String queue, List<LaneClient> all) {
  LaneClient of(String id) {
    if (all.size() == 1) {
      return all.get(0);
    }
    CRC32C crc = new CRC32C();
    crc.update(id.getBytes(StandardCharsets.UTF_8));
    return all.get((int) (crc.getValue() % all.size()));
  }
}
