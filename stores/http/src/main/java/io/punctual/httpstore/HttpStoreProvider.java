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
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
  private static final Pattern TIME = Pattern.compile("(\\d{1,9})(ms|s|m)");

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
    String text = url.option(name).orElse(null);
    if (text == null) {
      return usual;
    }
    Matcher time = TIME.matcher(text.toLowerCase(Locale.ROOT));
    if (!time.matches() || Long.parseLong(time.group(1)) == 0) {
      throw new IllegalArgumentException(
          name + " is a time such as 500ms, 5s or 1m, but was '" + text + "'");
    }
    long number = Long.parseLong(time.group(1));
    return switch (time.group(2)) {
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      default -> Duration.ofMinutes(number);
    };
  }
}
