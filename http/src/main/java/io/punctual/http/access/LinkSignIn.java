package io.punctual.http.access;

import io.punctual.http.exchange.RequestHead;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Signs in one person by a link that works once, for five minutes. The session that it begins has
 * two halves: a cookie, which the browser sends to each port of the host, and a key, which only the
 * page that used the link has. Neither half is enough. A newer link ends the session of the older
 * one. Keeps digests only. Safe for use by many threads.
 */
public final class LinkSignIn implements Authenticator {
  /** The header with the key of a session. */
  public static final String HEADER = "Punctual-Session";

  /** How long a link works. */
  public static final Duration LINK_LIFE = Duration.ofMinutes(5);

  /** How long a session lasts. */
  public static final Duration SESSION_LIFE = Duration.ofHours(12);

  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int SECRET_BYTES = 16;

  private final Caller caller;
  private final InstantSource clock;
  private @Nullable Proof link;
  private @Nullable Session session;

  /**
   * What the page that used a link gets.
   *
   * @param cookieName the name of the cookie, which no other server of this host has
   * @param cookie the value of the cookie
   * @param key the value of the header {@value #HEADER}
   */
  public record Halves(String cookieName, String cookie, String key) {}

  private record Proof(byte[] digest, Instant end) {
    static Proof of(String secret, Instant end) {
      return new Proof(AccessToken.digest(secret), end);
    }

    boolean isGiven(String secret, Instant now) {
      return now.isBefore(end) && MessageDigest.isEqual(digest, AccessToken.digest(secret));
    }
  }

  private record Session(String cookieName, Proof cookie, Proof key) {}

  /** Creates it for a caller, who is whoever uses the link. */
  public LinkSignIn(Caller caller, InstantSource clock) {
    this.caller = caller;
    this.clock = clock;
  }

  /** Returns the secret of a new link; an earlier link no longer works. */
  public synchronized String newLink() {
    String secret = secret();
    link = Proof.of(secret, clock.instant().plus(LINK_LIFE));
    return secret;
  }

  /**
   * Begins a session.
   *
   * @return the halves of the session, or null if the link is used, old or unknown
   */
  public synchronized @Nullable Halves use(String secret) {
    Instant now = clock.instant();
    if (link == null || !link.isGiven(secret, now)) {
      return null;
    }
    link = null;
    Halves halves = new Halves("punctual-" + secret().substring(0, 8), secret(), secret());
    Instant end = now.plus(SESSION_LIFE);
    session =
        new Session(
            halves.cookieName(), Proof.of(halves.cookie(), end), Proof.of(halves.key(), end));
    return halves;
  }

  /** Ends the session. */
  public synchronized void end() {
    session = null;
  }

  @Override
  public synchronized Caller authenticate(RequestHead head) {
    String key = head.header(HEADER);
    String cookie = session == null ? null : cookie(head, session.cookieName());
    Instant now = clock.instant();
    if (session == null
        || key == null
        || cookie == null
        || !session.key().isGiven(key, now)
        || !session.cookie().isGiven(cookie, now)) {
      throw TokenAuthenticator.refusal();
    }
    return caller;
  }

  private static @Nullable String cookie(RequestHead head, String name) {
    for (String header : head.headers("Cookie")) {
      for (String pair : header.split(";", -1)) {
        String text = pair.strip();
        if (text.startsWith(name + "=")) {
          return text.substring(name.length() + 1);
        }
      }
    }
    return null;
  }

  private static String secret() {
    byte[] bytes = new byte[SECRET_BYTES];
    RANDOM.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
