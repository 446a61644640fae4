package io.punctual.http.access;

import io.punctual.http.exchange.RequestHead;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Knows callers by the token in {@code Authorization: Bearer}. Several tokens may have the same id,
 * so that a token can be replaced while the old one is still valid. An unknown id and a wrong
 * secret take the same time and give the same answer. Immutable.
 */
public final class TokenAuthenticator implements Authenticator {
  static final String HINT = "Send a valid token: Authorization: Bearer TOKEN";

  private static final String BEARER = "bearer ";
  private static final AccessToken NOBODY =
      new AccessToken("nobody", "0".repeat(64), null, Set.of());

  private final Map<String, List<AccessToken>> tokens;
  private final InstantSource clock;

  /** Creates an authenticator with these tokens. */
  public TokenAuthenticator(Collection<AccessToken> tokens, InstantSource clock) {
    this.tokens = new HashMap<>(tokens.stream().collect(Collectors.groupingBy(AccessToken::id)));
    this.clock = clock;
  }

  /** Returns the token in the header of a request, or null. */
  public static @Nullable String bearer(RequestHead head) {
    List<String> headers = head.headers("Authorization");
    String header = headers.size() == 1 ? headers.get(0) : null;
    return header != null
            && header.length() > BEARER.length()
            && header.toLowerCase(Locale.ROOT).startsWith(BEARER)
        ? header.substring(BEARER.length()).strip()
        : null;
  }

  /** Returns the exception that all wrong proofs have in common. */
  public static UnauthenticatedException refusal() {
    return new UnauthenticatedException(HINT);
  }

  @Override
  public Caller authenticate(RequestHead head) {
    String token = bearer(head);
    Caller caller = token == null ? null : find(token);
    if (caller == null) {
      throw refusal();
    }
    return caller;
  }

  /** Returns the caller with a token, or null if no token is the same and valid. */
  public @Nullable Caller find(String token) {
    byte[] digest = AccessToken.digest(token);
    String id = AccessToken.idIn(token);
    List<AccessToken> candidates = id == null ? List.of() : tokens.getOrDefault(id, List.of());
    AccessToken found = null;
    for (AccessToken candidate : candidates.isEmpty() ? List.of(NOBODY) : candidates) {
      if (candidate.matches(digest) && candidate.isValidAt(clock.instant())) {
        found = candidate;
      }
    }
    return found == null ? null : found.caller();
  }
}
