package io.punctual.lock;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A lock as it is on the server. Immutable.
 *
 * @param kind its kind
 * @param name its name
 * @param holders who holds it, up to 1000; nobody if it is only waited for
 * @param waiting how many stand in its line; of those who wait for a mutex in one client, on the
 *     usual terms, one does
 */
public record LockInfo(LockKind kind, String name, List<Holder> holders, long waiting) {
  /** ReplicaConfirmation the list. */
  public LockInfo {
    holders = List.copyOf(holders);
  }

  /**
   * The holder of a lock.
   *
   * @param handle the id of its handle: client, number, mode and lease in milliseconds
   * @param fencingToken its token, or 0; if a mutex has passed on within a client since, that of
   *     the first who had it there, and the last token is up to 15 more
   * @param remaining what is left of its lease on the server, unless it is renewed
   * @param client its process; empty if that is not known
   */
  public record Holder(
      String handle, long fencingToken, Duration remaining, Optional<Client> client) {
    Holder(String handle, long fencingToken, Duration remaining) {
      this(handle, fencingToken, remaining, Optional.empty());
    }
  }

  /**
   * A process that has locks.
   *
   * @param host the name of its machine
   * @param pid its process id there
   * @param name what {@link RedisLocksBuilder#name} says, or empty
   */
  public record Client(String host, long pid, String name) {
    private static final Pattern TEXT = Pattern.compile("(\\d{1,18})@(\\S{1,300})(?: (.{0,300}))?");

    /** Returns this process; may block to find the name of the machine. */
    static Client here(String name) {
      return new Client(hostName(), ProcessHandle.current().pid(), name);
    }

    private static String hostName() {
      try {
        return InetAddress.getLocalHost().getHostName().replaceAll("\\s", "_");
      } catch (UnknownHostException e) {
        return "unknown-host";
      }
    }

    /** Returns what {@link #toString} has written; empty if it is something else. */
    static Optional<Client> parse(String text) {
      Matcher parts = TEXT.matcher(text);
      return parts.matches()
          ? Optional.of(
              new Client(
                  parts.group(2),
                  Long.parseLong(parts.group(1)),
                  parts.group(3) == null ? "" : parts.group(3)))
          : Optional.empty();
    }

    /** Returns it as {@code 4242@host name}. */
    @Override
    public String toString() {
      return pid + "@" + host + (name.isEmpty() ? "" : " " + name);
    }
  }
}
