package io.punctual.webhook;

import java.net.InetAddress;
import java.util.List;
import java.util.Set;

/**
 * Which addresses, ports and schemes webhooks may use. By default, these are public addresses, the
 * ports 443 and 80, and https. Whatever is not known to be public is refused. Immutable.
 */
public final class NetworkRules {
  private static final Set<Integer> USUAL_PORTS = Set.of(443, 80);

  /** Ranges of IPv4 that are not on the public internet (RFC 6890 and its successors). */
  private static final List<AddressRange> REFUSED_IPV4 =
      AddressRange.all(
          "0.0.0.0/8",
          "10.0.0.0/8",
          "100.64.0.0/10",
          "127.0.0.0/8",
          "169.254.0.0/16",
          "172.16.0.0/12",
          "192.0.0.0/24",
          "192.0.2.0/24",
          "192.31.196.0/24",
          "192.52.193.0/24",
          "192.88.99.0/24",
          "192.168.0.0/16",
          "192.175.48.0/24",
          "198.18.0.0/15",
          "198.51.100.0/24",
          "203.0.113.0/24",
          "224.0.0.0/3");

  /** All public addresses of IPv6. */
  private static final AddressRange PUBLIC_IPV6 = AddressRange.parse("2000::/3");

  /** What is within them, but carries IPv4 addresses or is for documentation. */
  private static final List<AddressRange> REFUSED_IPV6 =
      AddressRange.all("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20");

  /** The rules for targets on the public internet. */
  public static final NetworkRules PUBLIC = new NetworkRules(List.of(), Set.of(), false);

  private final List<String> allowed;
  private final List<AddressRange> allowedRanges;
  private final Set<Integer> ports;
  private final boolean isHttpAllowed;

  private NetworkRules(List<String> allowed, Set<Integer> ports, boolean isHttpAllowed) {
    this.allowed = List.copyOf(allowed);
    this.allowedRanges = allowed.stream().map(AddressRange::parse).toList();
    this.ports = Set.copyOf(ports);
    this.isHttpAllowed = isHttpAllowed;
  }

  /**
   * Returns rules that allow more.
   *
   * @param addresses ranges of addresses such as {@code 10.1.0.0/16}, which targets in a network of
   *     one's own need
   * @param ports further ports
   * @param http whether {@code http://} is allowed
   * @throws IllegalArgumentException if a range or a port is not valid
   */
  public static NetworkRules allowing(List<String> addresses, Set<Integer> ports, boolean http) {
    for (int port : ports) {
      if (port < 1 || port > 65_535) {
        throw new IllegalArgumentException("a port is 1 to 65535, not " + port);
      }
    }
    return new NetworkRules(addresses, ports, http);
  }

  boolean allowsPort(int port) {
    return USUAL_PORTS.contains(port) || ports.contains(port);
  }

  boolean allowsHttp() {
    return isHttpAllowed;
  }

  /** Returns whether an address may be connected to. */
  boolean allows(InetAddress address) {
    byte[] bytes = address.getAddress();
    if (allowedRanges.stream().anyMatch(range -> range.contains(bytes))) {
      return true;
    }
    if (bytes.length == 4) {
      return REFUSED_IPV4.stream().noneMatch(range -> range.contains(bytes));
    }
    return PUBLIC_IPV6.contains(bytes)
        && REFUSED_IPV6.stream().noneMatch(range -> range.contains(bytes));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof NetworkRules that
        && allowed.equals(that.allowed)
        && ports.equals(that.ports)
        && isHttpAllowed == that.isHttpAllowed;
  }

  @Override
  public int hashCode() {
    return allowed.hashCode() * 31 + ports.hashCode();
  }

  @Override
  public String toString() {
    return "NetworkRules[" + allowed + ", " + ports + ", http " + isHttpAllowed + "]";
  }
}
