package io.punctual.webhook;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.eclipse.jetty.util.Promise;
import org.eclipse.jetty.util.SocketAddressResolver;

/**
 * Finds the addresses of a host for the HTTP client, and gives it only those that are allowed. The
 * client connects to exactly these addresses and asks for no others, so a name whose addresses
 * change between two look-ups gains nothing. Thread-safe.
 */
final class JudgedResolver implements SocketAddressResolver {
  private final HostResolver resolver;
  private final Supplier<NetworkRules> rules;
  private final Executor executor;

  /**
   * Creates it.
   *
   * @param executor runs look-ups, which block
   */
  JudgedResolver(HostResolver resolver, Supplier<NetworkRules> rules, Executor executor) {
    this.resolver = resolver;
    this.rules = rules;
    this.executor = executor;
  }

  @Override
  public void resolve(
      String host,
      int port,
      Map<String, Object> context,
      Promise<List<InetSocketAddress>> promise) {
    try {
      executor.execute(() -> resolve(host, port, promise));
    } catch (RuntimeException e) {
      promise.failed(e);
    }
  }

  private void resolve(String host, int port, Promise<List<InetSocketAddress>> promise) {
    List<InetSocketAddress> good = new ArrayList<>();
    try {
      NetworkRules now = rules.get();
      for (InetAddress address : resolver.resolve(bare(host))) {
        if (now.allows(address)) {
          good.add(new InetSocketAddress(address, port));
        }
      }
      if (good.isEmpty() || !now.allowsPort(port)) {
        throw new RefusedAddressException(host);
      }
    } catch (Exception e) {
      promise.failed(e);
      return;
    }
    promise.succeeded(good);
  }

  private static String bare(String host) {
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }
}
