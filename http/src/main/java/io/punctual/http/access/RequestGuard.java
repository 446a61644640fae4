package io.punctual.http.access;

import io.punctual.http.exchange.RequestHead;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Refuses what web pages of other origins send, on every route. A page can't reach a server on the
 * loopback interface by a name of its own, because the {@code Host} must be a known name; and a
 * browser says that a request comes from another site. Immutable.
 */
public final class RequestGuard {
  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");
  private static final Set<String> OTHER_SITES = Set.of("cross-site", "same-site");

  private final Set<String> names = new HashSet<>(LOOPBACK);

  /** Why a request is refused. */
  public enum Refusal {
    /** The host is none of the server's names. */
    UNKNOWN_HOST,
    /** A web page of another site sends the request. */
    OTHER_SITE
  }

  /** Creates a guard that knows loopback names, and these names or addresses. */
  public RequestGuard(Collection<String> names) {
    names.forEach(name -> this.names.add(name.toLowerCase(Locale.ROOT)));
  }

  /** Returns why a request is refused, or null. */
  public @Nullable Refusal refusal(RequestHead head) {
    List<String> hosts = head.headers("Host");
    if (hosts.size() != 1 || !names.contains(name(hosts.get(0)))) {
      return Refusal.UNKNOWN_HOST;
    }
    return isFromOtherSite(head) ? Refusal.OTHER_SITE : null;
  }

  /**
   * Returns whether a web page of another site sends the request, as its browser says: in {@code
   * Sec-Fetch-Site}, or else, since browsers leave that out on plain HTTP and old ones always, in
   * an {@code Origin} that is not the host of the request.
   */
  public static boolean isFromOtherSite(RequestHead head) {
    List<String> sites = head.headers("Sec-Fetch-Site");
    if (!sites.isEmpty()) {
      return sites.stream().anyMatch(site -> OTHER_SITES.contains(site.toLowerCase(Locale.ROOT)));
    }
    String host = head.header("Host");
    return head.headers("Origin").stream()
        .map(origin -> origin.substring(origin.indexOf("//") + 1))
        .anyMatch(origin -> !origin.equalsIgnoreCase("/" + host));
  }

  /** Returns the host without its port and without the dot at its end. */
  private static String name(String host) {
    int colon = host.lastIndexOf(':');
    String name = colon > host.lastIndexOf(']') ? host.substring(0, colon) : host;
    name = name.toLowerCase(Locale.ROOT);
    return name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
  }
}
