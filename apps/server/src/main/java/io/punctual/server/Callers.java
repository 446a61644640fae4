package io.punctual.server;

import io.punctual.http.access.Authenticator;
import io.punctual.http.access.Caller;
import io.punctual.http.access.CertificateAuthenticator;
import io.punctual.http.access.Grant;
import io.punctual.http.access.LinkSignIn;
import io.punctual.http.access.Right;
import io.punctual.http.access.Roles;
import io.punctual.http.access.TokenAuthenticator;
import io.punctual.http.exchange.RequestHead;
import io.punctual.http.token.StoredTokens;
import io.punctual.server.config.AccessConfig;
import io.punctual.server.jwt.JwtAuthenticator;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds the caller of a request by its token, by the session of the console, or else by its
 * certificate. Without a configuration, everybody may do everything. Can be replaced while requests
 * arrive. Safe for use by many threads.
 */
final class Callers implements Authenticator, Roles {
  private static final Caller ANYBODY = withAllRights("a caller without a token");

  private static final String TERMINAL = "terminal";

  private final InstantSource clock;
  private final LinkSignIn links;
  private volatile Ways ways;
  private volatile @Nullable StoredTokens stored;

  private record Ways(
      AccessConfig config,
      TokenAuthenticator tokens,
      JwtAuthenticator signed,
      CertificateAuthenticator certificates) {}

  Callers(AccessConfig access, InstantSource clock) {
    this.clock = clock;
    links = new LinkSignIn(withAllRights(TERMINAL), clock);
    ways = ways(access, JwtAuthenticator.none(clock));
  }

  private static Caller withAllRights(String name) {
    return new Caller(
        name,
        Arrays.stream(Right.values())
            .map(right -> new Grant(right, ""))
            .collect(Collectors.toSet()));
  }

  /** Returns the sign-in of whoever sees the terminal of the server, who may do everything. */
  LinkSignIn links() {
    return links;
  }

  private Ways ways(AccessConfig access, JwtAuthenticator before) {
    return new Ways(
        access,
        new TokenAuthenticator(access.tokens(), clock),
        before.withIssuers(access.issuers()),
        new CertificateAuthenticator(access.certificates()));
  }

  /** Accepts the tokens that the API has made, too. */
  void accept(StoredTokens made) {
    stored = made;
  }

  void reload(AccessConfig access) {
    ways = ways(access, ways.signed);
  }

  @Override
  public Caller authenticate(RequestHead head) {
    Ways now = ways;
    if (now.config.isOpen()) {
      return ANYBODY;
    }
    if (head.header(LinkSignIn.HEADER) != null && head.header("Authorization") == null) {
      return links.authenticate(head);
    }
    String token = TokenAuthenticator.bearer(head);
    if (token == null && head.header("Authorization") == null) {
      return now.certificates.authenticate(head);
    }
    return token != null && token.startsWith("pnc_")
        ? withToken(now, token)
        : now.signed.authenticate(head);
  }

  private Caller withToken(Ways now, String token) {
    Caller configured = now.tokens.find(token);
    StoredTokens made = stored;
    Caller caller =
        configured != null || made == null ? configured : made.find(token, now.config.roles());
    if (caller == null) {
      throw TokenAuthenticator.refusal();
    }
    return caller;
  }

  @Override
  public Map<String, Set<Grant>> grants() {
    return ways.config.roles();
  }

  @Override
  public boolean isTaken(String name) {
    AccessConfig config = ways.config;
    return name.equals(TERMINAL)
        || config.tokens().stream().anyMatch(token -> token.id().equals(name))
        || config.certificates().values().stream().anyMatch(one -> one.name().equals(name));
  }
}
