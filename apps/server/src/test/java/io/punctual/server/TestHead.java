package io.punctual.server;

import io.punctual.http.exchange.RequestHead;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The head of a GET request over plain HTTP.
 *
 * @param token what follows {@code Bearer}, or null for no header
 */
public record TestHead(String path, @Nullable String token) implements RequestHead {
  @Override
  public String method() {
    return "GET";
  }

  @Override
  public @Nullable String query() {
    return null;
  }

  @Override
  public Set<String> headerNames() {
    return token == null ? Set.of() : Set.of("Authorization");
  }

  @Override
  public List<String> headers(String name) {
    return token != null && name.equals("Authorization") ? List.of("Bearer " + token) : List.of();
  }

  @Override
  public String remoteAddress() {
    return "127.0.0.1";
  }

  @Override
  public boolean isSecure() {
    return false;
  }

  @Override
  public @Nullable X509Certificate clientCertificate() {
    return null;
  }
}
