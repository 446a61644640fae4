package io.punctual.httpstore.client;

import io.punctual.spi.StoreUrl;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The address of a server in a store's URL: {@code http://token:TOKEN@host:port/path}. The text
 * form has no secret. Immutable.
 */
public final class ServerAddress {
  private static final String USER = "token:";

  private final String shown;
  private final URI base;
  private final @Nullable String token;

  private ServerAddress(String shown, @Nullable String token) {
    this.shown = shown;
    this.token = token;
    try {
      base = new URI(shown);
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(
          "'" + shown + "' is not the address of a server; write https://queue.example");
    }
    if (base.getHost() == null) {
      throw new IllegalArgumentException(
          "'" + shown + "' has no valid host; write https://queue.example");
    }
  }

  /**
   * Parses the address.
   *
   * @throws IllegalArgumentException if it is wrong; the message shows no secret
   */
  public static ServerAddress of(StoreUrl url) {
    String location = url.location();
    if (!location.startsWith("//")) {
      throw new IllegalArgumentException(
          "The URL of a server begins with " + url.scheme() + "://, as in https://queue.example");
    }
    int at = location.lastIndexOf('@');
    String host = location.substring(at < 0 ? 2 : at + 1);
    if (host.indexOf('#') >= 0) {
      throw new IllegalArgumentException("The URL of a server has no part after a #");
    }
    String end = host.endsWith("/") ? host.substring(0, host.length() - 1) : host;
    return new ServerAddress(
        url.scheme().toLowerCase(Locale.ROOT) + "://" + end,
        at < 0 ? null : token(location.substring(2, at)));
  }

  private static String token(String user) {
    if (!user.startsWith(USER) || user.length() == USER.length()) {
      throw new IllegalArgumentException(
          "Before the @, the URL of a server has the word token, a colon and the token, as in"
              + " https://token:pnc_…@queue.example; better name a file with ?tokenFile=…");
    }
    return StoreUrl.decode(user.substring(USER.length()));
  }

  /** Returns the address of a request. */
  URI request(String path) {
    return URI.create(shown + path);
  }

  /** Returns the token in the address, or null if there is none. */
  public @Nullable String token() {
    return token;
  }

  /** Returns whether the address is of TLS. */
  public boolean isTls() {
    return base.getScheme().equals("https");
  }

  /** Returns the address without the token. */
  @Override
  public String toString() {
    return shown;
  }
}
