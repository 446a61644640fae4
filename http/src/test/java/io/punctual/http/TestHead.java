package io.punctual.http;

import io.punctual.http.exchange.RequestHead;
import java.security.cert.X509Certificate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A head of a request without a server. */
record TestHead(String method, String target, Map<String, List<String>> headers)
    implements RequestHead {
  static TestHead of(String method, String target, String... headers) {
    Map<String, List<String>> all = new LinkedHashMap<>();
    for (int i = 0; i < headers.length; i += 2) {
      String value = headers[i + 1];
      all.merge(
          headers[i],
          List.of(value),
          (old, more) -> {
            List<String> both = new java.util.ArrayList<>(old);
            both.addAll(more);
            return both;
          });
    }
    return new TestHead(method, target, all);
  }

  @Override
  public String path() {
    int mark = target.indexOf('?');
    return mark < 0 ? target : target.substring(0, mark);
  }

  @Override
  public @Nullable String query() {
    int mark = target.indexOf('?');
    return mark < 0 ? null : target.substring(mark + 1);
  }

  @Override
  public Set<String> headerNames() {
    return headers.keySet();
  }

  @Override
  public List<String> headers(String name) {
    return headers.entrySet().stream()
        .filter(header -> header.getKey().equalsIgnoreCase(name))
        .flatMap(header -> header.getValue().stream())
        .toList();
  }

  @Override
  public String remoteAddress() {
    return "127.0.0.1";
  }

  @Override
  public boolean isSecure() {
    return true;
  }

  @Override
  public @Nullable X509Certificate clientCertificate() {
    return null;
  }
}
