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
 * @param kind the lock's kind
 * @param name the lock's name
 * @param holders the lock's holders, up to 1000; empty if the lock only has waiters
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
   * @param handle the id of the holder's handle: client, number, mode and lease in milliseconds
   * @param fencingToken the holder's fencing token; 0 for kinds without tokens. If a mutex has
   *     passed from holder to holder within a client, this is the token of the first of these
   *     holders; the token of the current holder is up to 15 higher
   * @param remaining the rest of the holder's lease on the server, without further renewals
   * @param client the holder's process; empty if unknown
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
   * @param host the name of the machine
   * @param pid the id of the process on that machine
   * @param name the name that {@link RedisLocksBuilder#name} set; empty if none was set
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
