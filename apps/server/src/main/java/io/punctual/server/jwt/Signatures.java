package io.punctual.server.jwt;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.OctetKeyPair;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jwt.SignedJWT;
import java.io.ByteArrayOutputStream;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.HexFormat;
import java.util.Set;

/** Verifies signatures of the three algorithms that are allowed. */
final class Signatures {
  private static final Set<JWSAlgorithm> ALLOWED =
      Set.of(JWSAlgorithm.RS256, JWSAlgorithm.ES256, JWSAlgorithm.EdDSA);
  private static final int LEAST_RSA_BITS = 2048;

  /** What stands before the 32 bytes of a public key of Ed25519. */
  private static final byte[] ED25519 = HexFormat.of().parseHex("302a300506032b6570032100");

  private Signatures() {}

  /** Returns whether the header of a token is one that may be verified at all. */
  static boolean isAllowed(SignedJWT token) {
    return ALLOWED.contains(token.getHeader().getAlgorithm())
        && token.getHeader().getCriticalParams() == null;
  }

  /** Returns whether this key has signed the token. */
  static boolean isValid(SignedJWT token, JWK key) {
    JWSAlgorithm algorithm = token.getHeader().getAlgorithm();
    if ((key.getAlgorithm() != null && !key.getAlgorithm().equals(algorithm))
        || (key.getKeyUse() != null && !key.getKeyUse().equals(KeyUse.SIGNATURE))) {
      return false;
    }
    try {
      if (algorithm.equals(JWSAlgorithm.RS256)) {
        return key instanceof RSAKey rsa
            && rsa.size() >= LEAST_RSA_BITS
            && token.verify(new RSASSAVerifier(rsa));
      }
      if (algorithm.equals(JWSAlgorithm.ES256)) {
        return key instanceof ECKey ec
            && Curve.P_256.equals(ec.getCurve())
            && token.verify(new ECDSAVerifier(ec));
      }
      return key instanceof OctetKeyPair pair
          && Curve.Ed25519.equals(pair.getCurve())
          && isValidEd25519(token, pair);
    } catch (JOSEException | GeneralSecurityException e) {
      return false;
    }
  }

  /** With the JDK, because the library would need another one for this algorithm. */
  private static boolean isValidEd25519(SignedJWT token, OctetKeyPair pair)
      throws GeneralSecurityException {
    ByteArrayOutputStream encoded = new ByteArrayOutputStream();
    encoded.writeBytes(ED25519);
    encoded.writeBytes(pair.getDecodedX());
    PublicKey key =
        KeyFactory.getInstance("Ed25519")
            .generatePublic(new X509EncodedKeySpec(encoded.toByteArray()));
    Signature signature = Signature.getInstance("Ed25519");
    signature.initVerify(key);
    signature.update(token.getSigningInput());
    return signature.verify(token.getSignature().decode());
  }
}
