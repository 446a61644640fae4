package io.punctual.httpstore;

import io.punctual.httpstore.client.ServerAddress;
import io.punctual.httpstore.client.TlsTrust;
import io.punctual.httpstore.client.TokenSource;
import io.punctual.httpstore.client.Transport;
import io.punctual.spi.Store;
import io.punctual.spi.StoreProvider;
import io.punctual.spi.StoreUrl;
import io.punctual.timer.DueTimer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Opens URLs of Punctual servers, such as {@code https://queue.example?tokenFile=/etc/token}, as an
 * {@link HttpStore}. Stateless, so safe for use by many threads.
 */
public final class HttpStoreProvider implements StoreProvider {
  private static final String TOKEN_FILE = "tokenFile";
  private static final String TIMEOUT = "timeout";
  private static final String CONNECT_TIMEOUT = "connectTimeout";
  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(15);
  private static final Duration DEFAULT_CONNECT_TIMEOUT = Duration.ofSeconds(5);

  /** Called by {@link java.util.ServiceLoader}. */
  public HttpStoreProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of("http", "https");
  }

  @Override
  public Store open(StoreUrl url, DueTimer timer) {
    ServerAddress address = ServerAddress.of(url);
    List<String> known = new ArrayList<>(List.of(TOKEN_FILE, TIMEOUT, CONNECT_TIMEOUT));
    if (address.isTls()) {
      known.addAll(TlsTrust.NAMES);
    }
    url.requireKnownOptions(known);
    return HttpStore.open(
        new Transport(
            address,
            token(url, address),
            time(url, CONNECT_TIMEOUT, DEFAULT_CONNECT_TIMEOUT),
            time(url, TIMEOUT, DEFAULT_TIMEOUT),
            TlsTrust.of(url).orElse(null),
            timer),
        timer);
  }

  private static TokenSource token(StoreUrl url, ServerAddress address) {
    String file = url.option(TOKEN_FILE).orElse(null);
    if (file != null && address.token() != null) {
      throw new IllegalArgumentException(
          "The URL has a token before the host and the option " + TOKEN_FILE + "; remove one");
    }
    return file == null ? TokenSource.of(address.token()) : TokenSource.inFile(Path.of(file));
  }

  private static Duration time(StoreUrl url, String name, Duration usual) {
    Duration time = url.time(name).orElse(usual);
    if (time.isZero()) {
      throw new IllegalArgumentException(name + " must be 1 millisecond or more");
    }
    return time;
  }
}
