package io.punctual.lock;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A lock as the server knows it. Immutable.
 *
 * @param kind its kind
 * @param name its name
 * @param holders its holders, up to 1000; empty if the lock only has waiters
 * @param waiting the number of waiting handles; a client that waits for a mutex with the default
 *     options counts once
 */
public record LockInfo(LockKind kind, String name, List<Holder> holders, long waiting) {
  /** Copies the list. */
  public LockInfo {
    holders = List.copyOf(holders);
  }

  /**
   * The holder of a lock.
   *
   * @param handle the id of its handle: client, number, mode and lease in milliseconds
   * @param fencingToken its fencing token, or 0; if a mutex has passed on within a client, the
   *     token of the client's first holder, and the token of the current holder is up to 15 higher
   * @param remaining the rest of its lease on the server, without further renewals
   * @param client its process; empty if unknown
   */
  public record Holder(
      String handle, long fencingToken, Duration remaining, Optional<Client> client) {
    Holder(String handle, long fencingToken, Duration remaining) {
      this(handle, fencingToken, remaining, Optional.empty());
    }
  }

  /**
   * A process that holds locks.
   *
   * @param host the name of its machine
   * @param pid its process id on that machine
   * @param name the name that {@link RedisLocksBuilder#name} set, or empty
   */
  public record Client(String host, long pid, String name) {
    private static final Pattern TEXT = Pattern.compile("(\\d{1,18})@(\\S{1,300})(?: (.{0,300}))?");

    /** Returns this process. May block to look up the name of the machine. */
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

    /** Parses the text that {@link #toString} returns; empty if the text has a different form. */
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

    /** Returns a text such as {@code 4242@host name}. */
    @Override
    public String toString() {
      return pid + "@" + host + (name.isEmpty() ? "" : " " + name);
    }
  }
}
