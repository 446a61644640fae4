package io.punctual.http.webhook;

import io.punctual.http.json.Fields;
import io.punctual.http.json.JsonInput;
import io.punctual.view.Tree;
import io.punctual.view.Values;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.interfaces.EdECPrivateKey;
import java.security.spec.EdECPrivateKeySpec;
import java.security.spec.NamedParameterSpec;
import java.security.spec.X509EncodedKeySpec;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A key with which a target's calls are signed. Immutable; {@link #toString} does not contain the
 * secret.
 *
 * @param id its id
 * @param kind what it is
 * @param secret the secret of an HMAC, 24 to 64 bytes, or the seed and the public key of Ed25519
 * @param since when it began to sign
 * @param until when it ends to sign, or null
 */
public record WebhookKey(
    String id, Kind kind, byte[] secret, Instant since, @Nullable Instant until) {
  private static final String HMAC_PREFIX = "whsec_";
  private static final String ED25519_PREFIX = "whsk_";
  private static final String PUBLIC_PREFIX = "whpk_";
  private static final int SEED = 32;
  private static final byte[] X509_OF_ED25519 = HexFormat.of().parseHex("302a300506032b6570032100");
  private static final Fields FIELDS = Fields.of("id", "secret", "since", "until");
  private static final SecureRandom RANDOM = new SecureRandom();

  /** Kinds of keys. */
  public enum Kind {
    /** A secret that the receiver knows too: HMAC with SHA-256. */
    HMAC,
    /** A pair of keys, of which the receiver knows the public one. */
    ED25519
  }

  /** Returns a new key. */
  public static WebhookKey generate(Kind kind, Instant now) {
    byte[] id = new byte[6];
    RANDOM.nextBytes(id);
    return new WebhookKey("key_" + HexFormat.of().formatHex(id), kind, newSecret(kind), now, null);
  }

  private static byte[] newSecret(Kind kind) {
    if (kind == Kind.HMAC) {
      byte[] secret = new byte[32];
      RANDOM.nextBytes(secret);
      return secret;
    }
    try {
      KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
      byte[] seed = ((EdECPrivateKey) pair.getPrivate()).getBytes().orElseThrow();
      byte[] encoded = pair.getPublic().getEncoded();
      byte[] both = Arrays.copyOf(seed, 2 * SEED);
      System.arraycopy(encoded, encoded.length - SEED, both, SEED, SEED);
      return both;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("This JDK has no Ed25519", e);
    }
  }

  /**
   * Returns the key of a text: {@code whsec_} and the Base64 of 24 to 64 bytes, or {@code whsk_}
   * and the Base64 of the 64 bytes of a seed and a public key of Ed25519.
   *
   * @throws IllegalArgumentException if the text is something else; the message does not have it
   */
  public static WebhookKey parse(String id, String text, Instant since, @Nullable Instant until) {
    if (text.startsWith(HMAC_PREFIX)) {
      byte[] secret = decode(text.substring(HMAC_PREFIX.length()));
      if (secret.length < 24 || secret.length > 64) {
        throw new IllegalArgumentException("a secret has 24 to 64 bytes after whsec_, in Base64");
      }
      return new WebhookKey(id, Kind.HMAC, secret, since, until);
    }
    if (text.startsWith(ED25519_PREFIX)) {
      byte[] secret = decode(text.substring(ED25519_PREFIX.length()));
      WebhookKey key = new WebhookKey(id, Kind.ED25519, secret, since, until);
      if (secret.length != 2 * SEED || !key.isPair()) {
        throw new IllegalArgumentException(
            "after whsk_ are the 32 bytes of the seed and the 32 bytes of its public key, in"
                + " Base64");
      }
      return key;
    }
    throw new IllegalArgumentException("a secret begins with whsec_ (HMAC) or whsk_ (Ed25519)");
  }

  private static byte[] decode(String base64) {
    try {
      return Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("the secret is no Base64 (RFC 4648, section 4)");
    }
  }

  private boolean isPair() {
    try {
      Signature signature = Signature.getInstance("Ed25519");
      signature.initSign(privateKey());
      signature.update(X509_OF_ED25519);
      byte[] signed = signature.sign();
      byte[] encoded = Arrays.copyOf(X509_OF_ED25519, X509_OF_ED25519.length + SEED);
      System.arraycopy(secret, SEED, encoded, X509_OF_ED25519.length, SEED);
      signature.initVerify(
          KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded)));
      signature.update(X509_OF_ED25519);
      return signature.verify(signed);
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  /** Returns the private key of Ed25519. */
  public PrivateKey privateKey() throws GeneralSecurityException {
    return KeyFactory.getInstance("Ed25519")
        .generatePrivate(
            new EdECPrivateKeySpec(NamedParameterSpec.ED25519, Arrays.copyOf(secret, SEED)));
  }

  /** Returns whether the key signs at a time. */
  public boolean signsAt(Instant time) {
    return until == null || time.isBefore(until);
  }

  /** Returns this key with an end, unless it ends before. */
  public WebhookKey endingAt(Instant end) {
    return until != null && until.isBefore(end)
        ? this
        : new WebhookKey(id, kind, secret, since, end);
  }

  /** Returns the secret as a text. */
  String secretText() {
    return (kind == Kind.HMAC ? HMAC_PREFIX : ED25519_PREFIX)
        + Base64.getEncoder().encodeToString(secret);
  }

  /** Returns the public key, which receivers need; empty for an HMAC. */
  public Optional<String> publicText() {
    return kind == Kind.HMAC
        ? Optional.empty()
        : Optional.of(
            PUBLIC_PREFIX
                + Base64.getEncoder().encodeToString(Arrays.copyOfRange(secret, SEED, 2 * SEED)));
  }

  /** Returns what callers see: no secret. */
  Map<String, @Nullable Object> tree() {
    return new Tree()
        .put("id", id)
        .put("kind", kind)
        .put("since", Values.instant(since))
        .put("until", until)
        .put("publicKey", publicText().orElse(null))
        .toMap();
  }

  /** Returns what the caller sees once, who made the key: what the receiver needs. */
  Map<String, @Nullable Object> treeWithSecret() {
    Map<String, @Nullable Object> tree = tree();
    if (kind == Kind.HMAC) {
      tree.put("secret", secretText());
    }
    return tree;
  }

  /** Returns what the store keeps. */
  Map<String, @Nullable Object> record() {
    return new Tree()
        .put("id", id)
        .put("secret", secretText())
        .put("since", Values.instant(since))
        .put("until", until)
        .toMap();
  }

  static WebhookKey read(JsonInput input) {
    Parts parts = new Parts();
    input.object(FIELDS, name -> parts.read(name, input));
    return parse(parts.id, parts.secret, parts.since, parts.until);
  }

  private static final class Parts {
    private String id = "";
    private String secret = "";
    private Instant since = Instant.EPOCH;
    private @Nullable Instant until;

    void read(String name, JsonInput input) {
      switch (name) {
        case "id" -> id = input.text();
        case "secret" -> secret = input.text();
        case "since" -> since = input.instant();
        default -> until = input.instant();
      }
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof WebhookKey that
        && id.equals(that.id)
        && kind == that.kind
        && Arrays.equals(secret, that.secret)
        && since.equals(that.since)
        && java.util.Objects.equals(until, that.until);
  }

  @Override
  public int hashCode() {
    return id.hashCode();
  }

  @Override
  public String toString() {
    return "WebhookKey[" + id + ", " + kind + "]";
  }
}
