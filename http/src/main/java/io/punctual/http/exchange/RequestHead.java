package io.punctual.http.exchange;

import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A request without its body, as the server received it. */
public interface RequestHead {
  /** Returns the method, such as {@code GET}. */
  String method();

  /** Returns the path as it was sent, not decoded, such as {@code /v1/queues/a%2Fb}. */
  String path();

  /** Returns the query as it was sent, without the question mark, or null. */
  @Nullable String query();

  /** Returns the names of the headers, each once, in any case of letters. */
  Set<String> headerNames();

  /** Returns the values of a header, in their order; empty if it is absent. */
  List<String> headers(String name);

  /** Returns the first value of a header, or null. */
  default @Nullable String header(String name) {
    List<String> values = headers(name);
    return values.isEmpty() ? null : values.get(0);
  }

  /** Returns the address of the peer, or of the client behind a configured proxy. */
  String remoteAddress();

  /** Returns whether the request arrived by TLS. */
  boolean isSecure();

  /** Returns the certificate of the client, if the server has verified one. */
  @Nullable X509Certificate clientCertificate();
}
