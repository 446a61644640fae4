package io.punctual.http.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A token as the server keeps it: not the token, but its digest. A token is the text {@code
 * pnc_ID_SECRET}, whose secret has 128 bits. Immutable.
 */
public final class AccessToken {
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9.-]{1,64}");
  private static final Pattern TEXT = Pattern.compile("pnc_([A-Za-z0-9.-]{1,64})_[0-9a-f]{32}");
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int SECRET_BYTES = 16;
  private static final int DIGEST_BYTES = 32;

  private final String id;
  private final byte[] digest;
  private final @Nullable Instant expires;
  private final Caller caller;

  /**
   * Creates a token.
   *
   * @param id 1 to 64 letters, digits, dots and hyphens; the name of the caller
   * @param sha256 the SHA-256 of the token's text, in 64 hexadecimal digits
   * @param expires when it ends, or null
   * @param grants the rights
   * @throws IllegalArgumentException if the id or the digest has another form
   */
  public AccessToken(String id, String sha256, @Nullable Instant expires, Set<Grant> grants) {
    this.id = checkedId(id);
    try {
      digest = HexFormat.of().parseHex(sha256);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("The SHA-256 of the token " + id + " is no hex text", e);
    }
    if (digest.length != DIGEST_BYTES) {
      throw new IllegalArgumentException(
          "The SHA-256 of the token " + id + " must have 64 hexadecimal digits");
    }
    this.expires = expires;
    caller = new Caller(id, grants, expires);
  }

  private static String checkedId(String id) {
    if (!ID.matcher(id).matches()) {
      throw new IllegalArgumentException(
          "The id of a token has 1 to 64 letters, digits, dots and hyphens, not: " + id);
    }
    return id;
  }

  /**
   * Returns the text of a new token.
   *
   * @throws IllegalArgumentException if the id has another form
   */
  public static String generate(String id) {
    byte[] secret = new byte[SECRET_BYTES];
    RANDOM.nextBytes(secret);
    return "pnc_" + checkedId(id) + "_" + HexFormat.of().formatHex(secret);
  }

  /** Returns the SHA-256 of a token's text, in 64 hexadecimal digits. */
  public static String sha256(String token) {
    return HexFormat.of().formatHex(digest(token));
  }

  static byte[] digest(String token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Each JDK has SHA-256", e);
    }
  }

  /** Returns the id in a token's text, or null if the text has not the form of a token. */
  public static @Nullable String idIn(String token) {
    Matcher parts = TEXT.matcher(token);
    return parts.matches() ? parts.group(1) : null;
  }

  /** Returns the id. */
  public String id() {
    return id;
  }

  /** Returns the caller that has the token. */
  Caller caller() {
    return caller;
  }

  /** Compares a digest in constant time. */
  boolean matches(byte[] other) {
    return MessageDigest.isEqual(digest, other);
  }

  boolean isValidAt(Instant now) {
    return expires == null || now.isBefore(expires);
  }
}
