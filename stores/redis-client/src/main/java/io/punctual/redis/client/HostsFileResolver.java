package io.punctual.redis.client;

import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.SocketAddressResolver;
import io.netty.resolver.HostsFileEntriesProvider;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks names up in the hosts file, which it reads again for each new connection. Netty, which the
 * client library uses, reads the file only once, and so never notices that a name in the file has a
 * new address. Other names are left to the given resolver, and to Netty's look-up by DNS.
 * Thread-safe.
 */
final class HostsFileResolver extends SocketAddressResolver {
  private final SocketAddressResolver given;
  private final Supplier<HostsFileEntriesProvider> file;

  /** Creates a resolver that looks into the hosts file of the operating system. */
  HostsFileResolver(SocketAddressResolver given) {
    this(given, HostsFileEntriesProvider.parser()::parseSilently);
  }

  /**
   * Creates a resolver.
   *
   * @param file reads the hosts file
   */
  HostsFileResolver(SocketAddressResolver given, Supplier<HostsFileEntriesProvider> file) {
    this.given = given;
    this.file = file;
  }

  @Override
  public SocketAddress resolve(RedisURI uri) {
    SocketAddress address = given.resolve(uri);
    if (!(address instanceof InetSocketAddress socket)
        || !socket.isUnresolved()
        || isNumeric(socket.getHostString())) {
      return address;
    }
    InetAddress found = find(socket.getHostString());
    return found == null ? address : new InetSocketAddress(found, socket.getPort());
  }

  private static boolean isNumeric(String host) {
    return NetUtil.isValidIpV4Address(host) || NetUtil.isValidIpV6Address(host);
  }

  private @Nullable InetAddress find(String host) {
    HostsFileEntriesProvider entries = file.get();
    InetAddress found = find(entries.ipv4Entries(), host);
    return found == null ? find(entries.ipv6Entries(), host) : found;
  }

  private static @Nullable InetAddress find(Map<String, List<InetAddress>> entries, String host) {
    List<InetAddress> all = entries.getOrDefault(host.toLowerCase(Locale.ENGLISH), List.of());
    try {
      // The address keeps the name in the form of the URL, with which TLS compares certificates.
      return all.isEmpty() ? null : InetAddress.getByAddress(host, all.get(0).getAddress());
    } catch (UnknownHostException e) {
      throw new IllegalStateException("An address has 4 or 16 bytes", e);
    }
  }
}
