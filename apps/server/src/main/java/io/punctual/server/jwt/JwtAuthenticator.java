package io.punctual.server.jwt;

import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.punctual.StoreUnavailableException;
import io.punctual.http.access.Authenticator;
import io.punctual.http.access.Caller;
import io.punctual.http.access.Grant;
import io.punctual.http.access.TokenAuthenticator;
import io.punctual.http.exchange.RequestHead;
import io.punctual.server.config.AccessConfig.Issuer;
import java.net.URI;
import java.text.ParseException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Knows callers by a signed token (JWT) of a configured issuer. The algorithms are RS256, ES256 and
 * EdDSA; {@code iss}, {@code aud}, {@code exp} and {@code sub} are required. Safe for use by many
 * threads.
 */
public final class JwtAuthenticator implements Authenticator {
  private static final int LONGEST = 8 << 10;

  private enum Proof {
    RIGHT,
    WRONG,
    KEY_MISSING
  }

  private final List<Issuer> issuers;
  private final Map<URI, IssuerKeys> keys;
  private final InstantSource clock;
  private final LongSupplier nanoTime;

  private JwtAuthenticator(
      List<Issuer> issuers, Map<URI, IssuerKeys> keys, InstantSource clock, LongSupplier nanoTime) {
    this.issuers = issuers;
    this.keys = keys;
    this.clock = clock;
    this.nanoTime = nanoTime;
  }

  /** Creates an authenticator without issuers. */
  public static JwtAuthenticator none(InstantSource clock) {
    return none(clock, System::nanoTime);
  }

  static JwtAuthenticator none(InstantSource clock, LongSupplier nanoTime) {
    return new JwtAuthenticator(List.of(), new ConcurrentHashMap<>(), clock, nanoTime);
  }

  /** Returns an authenticator for other issuers that keeps the keys which were fetched. */
  public JwtAuthenticator withIssuers(List<Issuer> others) {
    for (Issuer issuer : others) {
      keys.computeIfAbsent(issuer.keys(), address -> new IssuerKeys(address, clock, nanoTime))
          .awaitFirst();
    }
    return new JwtAuthenticator(List.copyOf(others), keys, clock, nanoTime);
  }

  /**
   * {@inheritDoc}
   *
   * @throws StoreUnavailableException if the key of the token may be one that is not known yet
   */
  @Override
  public Caller authenticate(RequestHead head) {
    String text = TokenAuthenticator.bearer(head);
    Caller caller = text == null || text.length() > LONGEST ? null : caller(text);
    if (caller == null) {
      throw TokenAuthenticator.refusal();
    }
    return caller;
  }

  private @Nullable Caller caller(String text) {
    boolean mayLackKey = false;
    try {
      SignedJWT token = SignedJWT.parse(text);
      JWTClaimsSet claims = token.getJWTClaimsSet();
      for (Issuer issuer : issuers) {
        if (Signatures.isAllowed(token)
            && claims != null
            && issuer.issuer().equals(claims.getIssuer())
            && isMeantNow(claims, issuer)) {
          Proof proof = proof(token, claims, issuer);
          if (proof == Proof.RIGHT) {
            return caller(claims, issuer);
          }
          mayLackKey |= proof == Proof.KEY_MISSING;
        }
      }
    } catch (ParseException | RuntimeException malformed) {
      return null; // The library throws other exceptions too, such as for a header that is null.
    }
    if (mayLackKey) {
      // Another answer than to a wrong token, after which a client would give up.
      throw new StoreUnavailableException(
          "The key of the token is not known yet; send the request again", null);
    }
    return null;
  }

  private boolean isMeantNow(JWTClaimsSet claims, Issuer issuer) {
    Instant now = clock.instant();
    return claims.getSubject() != null
        && !claims.getSubject().isEmpty()
        && claims.getAudience().contains(issuer.audience())
        && claims.getExpirationTime() != null
        && now.isBefore(claims.getExpirationTime().toInstant().plus(Issuer.SKEW))
        && (claims.getNotBeforeTime() == null
            || !now.isBefore(claims.getNotBeforeTime().toInstant().minus(Issuer.SKEW)));
  }

  private Proof proof(SignedJWT token, JWTClaimsSet claims, Issuer issuer) {
    IssuerKeys issuerKeys = keys.get(issuer.keys());
    if (issuerKeys == null) {
      return Proof.WRONG;
    }
    String id = token.getHeader().getKeyID();
    List<JWK> known = issuerKeys.known();
    boolean isKnown = false;
    for (JWK key : known) {
      if (id == null || id.equals(key.getKeyID())) {
        isKnown = true;
        if (Signatures.isValid(token, key)) {
          return Proof.RIGHT;
        }
      }
    }
    if (isKnown) {
      return Proof.WRONG;
    }
    Date issued = claims.getIssueTime();
    boolean mayLackKey =
        issuerKeys.mayLack(known, id == null ? "" : id, issued == null ? null : issued.toInstant());
    return mayLackKey ? Proof.KEY_MISSING : Proof.WRONG;
  }

  private static Caller caller(JWTClaimsSet claims, Issuer issuer) throws ParseException {
    Object value = claims.getClaim(issuer.roleClaim());
    List<String> names;
    if (value instanceof String text) {
      names = List.of(text.split(" ", -1));
    } else {
      List<String> list = value == null ? null : claims.getStringListClaim(issuer.roleClaim());
      names = list == null ? List.of() : list;
    }
    Set<Grant> grants = new HashSet<>();
    for (String name : names) {
      grants.addAll(issuer.roles().getOrDefault(name, Set.of()));
    }
    Instant until = claims.getExpirationTime().toInstant().plus(Issuer.SKEW);
    return new Caller(claims.getSubject(), grants, until);
  }
}
