package io.punctual.webhook;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/** A range of addresses, such as {@code 10.0.0.0/8}. Immutable. */
final class AddressRange {
  private static final Pattern LITERAL = Pattern.compile("[0-9.]+|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*");

  private final byte[] network;
  private final int bits;

  private AddressRange(byte[] network, int bits) {
    this.network = network;
    this.bits = bits;
  }

  static List<AddressRange> all(String... ranges) {
    return Arrays.stream(ranges).map(AddressRange::parse).toList();
  }

  /**
   * Reads a range, or a single address.
   *
   * @throws IllegalArgumentException if the text is something else
   */
  static AddressRange parse(String text) {
    int slash = text.indexOf('/');
    String address = slash < 0 ? text : text.substring(0, slash);
    try {
      if (!LITERAL.matcher(address).matches()) {
        throw new IllegalArgumentException();
      }
      byte[] network = InetAddress.getByName(address).getAddress();
      int bits = slash < 0 ? network.length * 8 : Integer.parseInt(text.substring(slash + 1));
      if (bits < 0 || bits > network.length * 8) {
        throw new IllegalArgumentException();
      }
      return new AddressRange(network, bits);
    } catch (UnknownHostException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "'" + text + "' is no range of addresses; write one such as 10.0.0.0/8 or fd00::/8");
    }
  }

  boolean contains(byte[] address) {
    if (address.length != network.length) {
      return false;
    }
    int whole = bits / 8;
    if (!Arrays.equals(address, 0, whole, network, 0, whole)) {
      return false;
    }
    int mask = bits % 8 == 0 ? 0 : 0xff00 >> (bits % 8) & 0xff;
    return mask == 0 || (address[whole] & mask) == (network[whole] & mask);
  }
}
