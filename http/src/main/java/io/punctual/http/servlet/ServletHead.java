package io.punctual.http.servlet;

import io.punctual.http.exchange.RequestHead;
import jakarta.servlet.http.HttpServletRequest;
import java.security.cert.X509Certificate;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request in a container of servlets. An authenticator that trusts the container finds the user
 * in {@link #request()}.
 */
public final class ServletHead implements RequestHead {
  private static final String CERTIFICATES = "jakarta.servlet.request.X509Certificate";

  private final HttpServletRequest request;
  private final String path;

  ServletHead(HttpServletRequest request) {
    this.request = request;
    String mounted = request.getContextPath() + request.getServletPath();
    String uri = request.getRequestURI();
    this.path = uri.startsWith(mounted) ? uri.substring(mounted.length()) : uri;
  }

  /** Returns the request of the container. */
  public HttpServletRequest request() {
    return request;
  }

  @Override
  public String method() {
    return request.getMethod();
  }

  @Override
  public String path() {
    return path;
  }

  @Override
  public @Nullable String query() {
    return request.getQueryString();
  }

  @Override
  public Set<String> headerNames() {
    return new LinkedHashSet<>(Collections.list(request.getHeaderNames()));
  }

  @Override
  public List<String> headers(String name) {
    return Collections.list(request.getHeaders(name));
  }

  @Override
  public String remoteAddress() {
    return request.getRemoteAddr();
  }

  @Override
  public boolean isSecure() {
    return request.isSecure();
  }

  @Override
  public @Nullable X509Certificate clientCertificate() {
    return request.getAttribute(CERTIFICATES) instanceof X509Certificate[] chain && chain.length > 0
        ? chain[0]
        : null;
  }
}
