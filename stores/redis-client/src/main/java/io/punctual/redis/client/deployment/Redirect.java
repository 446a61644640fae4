package io.punctual.redis.client.deployment;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A reply in which a node names a different node, because that node serves the slot. Immutable.
 *
 * @param slot the slot
 * @param node the node that serves the slot
 */
record Redirect(int slot, NodeAddress node) {
  private static final Pattern MOVED =
      Pattern.compile("\\bMOVED (?<slot>\\d{1,5}) (?<host>\\S*):(?<port>\\d{1,5})");

  /**
   * Returns the redirect in the failure of a request to this node, or empty if the failure is not a
   * redirect.
   */
  static Optional<Redirect> of(Throwable failure, NodeAddress asked) {
    Matcher moved = MOVED.matcher(String.valueOf(failure.getMessage()));
    if (!moved.find()) {
      return Optional.empty();
    }
    int port = Integer.parseInt(moved.group("port"));
    return Optional.of(
        new Redirect(
            Integer.parseInt(moved.group("slot")), asked.named(moved.group("host"), port)));
  }
}
