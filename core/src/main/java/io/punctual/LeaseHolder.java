package io.punctual;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The holder of a lease: the client that claimed the message, as far as {@link Punctual#workers}
 * knows it. Immutable.
 *
 * @param session the id of the session that claimed the message; the store keeps this id for each
 *     lease
 * @param workers the names of the client's workers of the queue. The holder is one of them, or code
 *     of the same client that claims without a worker. Empty if no such worker is listed
 * @param host the name of the client's host, or empty if the client is neither listed nor this
 *     client
 * @param pid the id of the client's process on its host, or empty if the client is neither listed
 *     nor this client
 */
public record LeaseHolder(
    String session, List<String> workers, Optional<String> host, OptionalLong pid) {
  /**
   * Returns the holder as a line, such as {@code orders-1 on web-3 (pid 4711)}, or {@code session
   * 3f…} if the host is not known.
   */
  public String describe() {
    if (host.isEmpty()) {
      return "session " + session;
    }
    String name = workers.isEmpty() ? "a client" : String.join(", ", workers);
    return name + " on " + host.get() + (pid.isEmpty() ? "" : " (pid " + pid.getAsLong() + ")");
  }
}
