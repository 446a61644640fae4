package io.punctual.webhook;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Finds the addresses of a host. May block. Implementations are safe for use by many threads. */
@FunctionalInterface
public interface HostResolver {
  /** The resolver of the system. */
  HostResolver SYSTEM = host -> List.of(InetAddress.getAllByName(host));

  /** Returns the addresses of a name, or the address of a text that is one. */
  List<InetAddress> resolve(String host) throws UnknownHostException;
}
