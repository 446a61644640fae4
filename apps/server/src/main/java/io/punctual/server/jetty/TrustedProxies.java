package io.punctual.server.jetty;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The networks of the proxies whose {@code X-Forwarded-*} headers are believed. Nobody else's are.
 * Immutable.
 */
public final class TrustedProxies {
  /** No proxies. */
  public static final TrustedProxies NONE = new TrustedProxies(List.of());

  private static final String BYTE = "(25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])";

  /** An address as digits: no text that would ask a name server, as 999.1.1.1 would. */
  private static final Pattern ADDRESS =
      Pattern.compile(BYTE + "(\\." + BYTE + "){3}|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");

  private final List<Network> networks;

  private TrustedProxies(List<Network> networks) {
    this.networks = networks;
  }

  /**
   * Returns the proxies of these networks.
   *
   * @param networks addresses such as {@code 10.0.0.7}, or networks such as {@code 10.0.0.0/8}
   * @throws IllegalArgumentException if a text is no address or network
   */
  public static TrustedProxies of(List<String> networks) {
    return new TrustedProxies(networks.stream().map(Network::of).toList());
  }

  /** Returns whether an address is one of a trusted proxy. */
  boolean contains(String address) {
    byte[] bytes = networks.isEmpty() ? null : bytes(address);
    return bytes != null && networks.stream().anyMatch(network -> network.contains(bytes));
  }

  /**
   * Returns the address of the client: the last one of the chain that is no trusted proxy. An entry
   * that is no address ends the chain, since anybody may have written it.
   */
  String client(String peer, List<String> forwardedFor) {
    List<String> chain = new ArrayList<>();
    for (String header : forwardedFor) {
      for (String one : header.split(",", -1)) {
        chain.add(one.strip());
      }
    }
    String client = peer;
    for (int i = chain.size() - 1; i >= 0 && contains(client); i--) {
      if (bytes(chain.get(i)) == null) {
        return client;
      }
      client = chain.get(i);
    }
    return client;
  }

  /** Returns null for a text that is no address. */
  private static byte @Nullable [] bytes(String address) {
    if (!ADDRESS.matcher(address).matches()) {
      return null;
    }
    try {
      return InetAddress.getByName(address).getAddress();
    } catch (UnknownHostException e) {
      return null;
    }
  }

  /** The first bits of addresses. */
  private record Network(byte[] address, int bits) {
    static Network of(String text) {
      int slash = text.indexOf('/');
      String address = slash < 0 ? text : text.substring(0, slash);
      byte[] bytes = bytes(address);
      if (bytes == null) {
        throw new IllegalArgumentException(text + " is no address or network");
      }
      int bits = 8 * bytes.length;
      try {
        bits = slash < 0 ? bits : Integer.parseInt(text.substring(slash + 1));
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException(text + " is no address or network", e);
      }
      if (bits < 0 || bits > 8 * bytes.length) {
        throw new IllegalArgumentException(text + " has an impossible number of bits");
      }
      return new Network(bytes, bits);
    }

    boolean contains(byte[] other) {
      if (other.length != address.length) {
        return false;
      }
      for (int bit = 0; bit < bits; bit++) {
        int mask = 0x80 >> (bit % 8);
        if ((other[bit / 8] & mask) != (address[bit / 8] & mask)) {
          return false;
        }
      }
      return true;
    }
  }
}
