package io.punctual.server;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a server has begun, and must end. The latest ends first, because it uses those before it. A
 * part that fails to end does not keep the others open. For use by one thread.
 */
final class Parts implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Parts.class);

  private final Deque<Part> parts = new ArrayDeque<>();

  private record Part(String name, AutoCloseable end) {}

  /**
   * Adds a part that has begun.
   *
   * @param name the part, for the log
   */
  void add(String name, AutoCloseable end) {
    parts.push(new Part(name, end));
  }

  /** Ends all parts. A second call does nothing. */
  @Override
  public void close() {
    while (!parts.isEmpty()) {
      Part part = parts.pop();
      try {
        part.end.close();
      } catch (Exception | Error e) {
        LOG.warn("The end of the {} failed; the rest ends, too", part.name, e);
      }
    }
  }
}
