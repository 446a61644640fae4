package io.punctual.server.jetty;

import io.punctual.http.exchange.RequestHead;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/** The head of a request to Jetty. Immutable. */
final class JettyHead implements RequestHead {
  private final Request request;
  private final TrustedProxies proxies;

  JettyHead(Request request, TrustedProxies proxies) {
    this.request = request;
    this.proxies = proxies;
  }

  @Override
  public String method() {
    return request.getMethod();
  }

  @Override
  public String path() {
    String path = request.getHttpURI().getPath();
    return path == null ? "" : path;
  }

  @Override
  public @Nullable String query() {
    return request.getHttpURI().getQuery();
  }

  @Override
  public Set<String> headerNames() {
    return request.getHeaders().getFieldNamesCollection();
  }

  @Override
  public List<String> headers(String name) {
    if (!request.getHeaders().contains(name)) {
      return List.of();
    }
    return request.getHeaders().getValuesList(name);
  }

  @Override
  public @Nullable String header(String name) {
    return request.getHeaders().get(name);
  }

  private String peer() {
    SocketAddress address = request.getConnectionMetaData().getRemoteSocketAddress();
    return address instanceof InetSocketAddress inet && inet.getAddress() != null
        ? inet.getAddress().getHostAddress()
        : String.valueOf(address);
  }

  @Override
  public String remoteAddress() {
    return proxies.client(peer(), headers("X-Forwarded-For"));
  }

  @Override
  public boolean isSecure() {
    return request.getConnectionMetaData().isSecure()
        || (proxies.contains(peer()) && "https".equalsIgnoreCase(header("X-Forwarded-Proto")));
  }

  @Override
  public @Nullable X509Certificate clientCertificate() {
    EndPoint.SslSessionData tls =
        request.getConnectionMetaData().getConnection().getEndPoint().getSslSessionData();
    X509Certificate[] chain = tls == null ? null : tls.peerCertificates();
    return chain == null || chain.length == 0 ? null : chain[0];
  }
}
