package io.punctual;

import io.punctual.internal.message.Checks;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A worker to announce: code that claims messages for itself, or for a different process, without a
 * {@link Worker}. Immutable.
 *
 * @param queue the name of the worker's queue
 * @param name the name of the worker, 1 to 256 bytes of UTF-8 without control characters
 * @param concurrency how many messages the worker handles at once, 1 to 100,000
 * @param host the name of the worker's host, up to 256 bytes without control characters; empty if
 *     the worker is in this process
 * @param pid the id of the worker's process on its host; empty if it is not known, or the worker is
 *     in this process
 * @param version the version of the worker's program, up to 64 bytes without control characters;
 *     empty if it is not known, or the worker is in this process
 */
public record WorkerAnnouncement(
    String queue,
    String name,
    int concurrency,
    Optional<String> host,
    OptionalLong pid,
    Optional<String> version) {
  /**
   * Creates an announcement.
   *
   * @throws IllegalArgumentException if a part is out of range, or a process has an id or a version
   *     but no host
   */
  public WorkerAnnouncement {
    Checks.queueName(queue);
    Checks.name(name, "The name of a worker");
    Checks.range(concurrency, 1, 100_000, "concurrency");
    host.ifPresent(text -> Checks.line(text, 256, "The host of a worker"));
    version.ifPresent(text -> Checks.line(text, 64, "The version of a worker"));
    if (host.isEmpty() && (pid.isPresent() || version.isPresent())) {
      throw new IllegalArgumentException(
          "A worker with a process id or a version needs a host; without a host, it is in this"
              + " process");
    }
  }

  /** Returns the announcement of a worker in this process that handles one message at a time. */
  public static WorkerAnnouncement of(String queue, String name) {
    return new WorkerAnnouncement(
        queue, name, 1, Optional.empty(), OptionalLong.empty(), Optional.empty());
  }

  /** Returns this announcement with this concurrency. */
  public WorkerAnnouncement concurrency(int messages) {
    return new WorkerAnnouncement(queue, name, messages, host, pid, version);
  }

  /** Returns this announcement for a worker in an unknown process on this host. */
  public WorkerAnnouncement host(String name) {
    return new WorkerAnnouncement(queue, this.name, concurrency, Optional.of(name), pid, version);
  }

  /** Returns this announcement with the id of the worker's process on its host. */
  public WorkerAnnouncement pid(long id) {
    return new WorkerAnnouncement(queue, name, concurrency, host, OptionalLong.of(id), version);
  }

  /** Returns this announcement with the version of the worker's program. */
  public WorkerAnnouncement version(String text) {
    return new WorkerAnnouncement(queue, name, concurrency, host, pid, Optional.of(text));
  }
}
