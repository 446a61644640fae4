package io.punctual.server.jwt;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.crypto.opts.AllowWeakRSAKey;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.OctetKeyPair;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** An OpenID Connect provider with keys of all kinds, which signs whatever a test wants. */
final class TestIssuer implements AutoCloseable {
  static final String ISSUER = "https://login.example";
  static final String AUDIENCE = "punctual";

  final RSAKey rsa = generate(new RSAKeyGenerator(2048).keyID("rsa"));
  final RSAKey small = generate(new RSAKeyGenerator(1024, true).keyID("small"));
  final RSAKey stranger = generate(new RSAKeyGenerator(2048).keyID("rsa"));
  final ECKey ec = generate(new ECKeyGenerator(Curve.P_256).keyID("ec"));
  final AtomicInteger fetches = new AtomicInteger();

  /** The status of the answers with keys. */
  volatile int status = 200;

  /** The answers with keys wait until it opens. */
  volatile CountDownLatch gate = new CountDownLatch(0);

  private final KeyPair ed;
  private final HttpServer server;
  private final List<JWK> published;

  TestIssuer() throws IOException, GeneralSecurityException {
    ed = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    byte[] encoded = ed.getPublic().getEncoded();
    JWK edKey =
        new OctetKeyPair.Builder(
                Curve.Ed25519,
                Base64URL.encode(Arrays.copyOfRange(encoded, encoded.length - 32, encoded.length)))
            .keyID("ed")
            .build();
    published =
        new CopyOnWriteArrayList<>(
            List.of(rsa.toPublicJWK(), small.toPublicJWK(), ec.toPublicJWK(), edKey));
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/keys",
        exchange -> {
          fetches.incrementAndGet();
          byte[] body = new JWKSet(published).toString().getBytes(StandardCharsets.UTF_8);
          try {
            gate.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
          exchange.sendResponseHeaders(status, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.createContext(
        "/moved",
        exchange -> {
          exchange.getResponseHeaders().set("Location", address("/keys"));
          exchange.sendResponseHeaders(302, -1);
          exchange.close();
        });
    server.start();
  }

  static <T extends JWK> T generate(com.nimbusds.jose.jwk.gen.JWKGenerator<T> generator) {
    try {
      return generator.generate();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  String address(String path) {
    return "http://127.0.0.1:" + server.getAddress().getPort() + path;
  }

  /** Lists one more key. */
  void publish(JWK key) {
    published.add(key.toPublicJWK());
  }

  /** Returns claims that are right. */
  static JWTClaimsSet.Builder claims() {
    return new JWTClaimsSet.Builder()
        .issuer(ISSUER)
        .audience(AUDIENCE)
        .subject("ada")
        .claim("roles", List.of("all", "unknown"))
        .expirationTime(Date.from(Instant.now().plusSeconds(300)));
  }

  String sign(JWSAlgorithm algorithm, String key, JWSSigner signer, JWTClaimsSet claims) {
    return sign(
        new JWSHeader.Builder(algorithm).keyID(key).type(JOSEObjectType.JWT), signer, claims);
  }

  String sign(JWSHeader.Builder header, JWSSigner signer, JWTClaimsSet claims) {
    try {
      SignedJWT token = new SignedJWT(header.build(), claims);
      token.sign(signer);
      return token.serialize();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  String rs256(JWTClaimsSet.Builder claims) {
    return sign(JWSAlgorithm.RS256, "rsa", signer(rsa), claims.build());
  }

  JWSSigner signer(RSAKey key) {
    try {
      return new RSASSASigner(key.toPrivateKey(), Set.of(AllowWeakRSAKey.getInstance()));
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  String es256(JWTClaimsSet.Builder claims) {
    try {
      return sign(JWSAlgorithm.ES256, "ec", new ECDSASigner(ec), claims.build());
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Signs with the public key as the secret, as attackers do. */
  String hs256(JWTClaimsSet.Builder claims) {
    try {
      return sign(
          JWSAlgorithm.HS256,
          "rsa",
          new MACSigner(rsa.toRSAPublicKey().getEncoded()),
          claims.build());
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  String edDsa(JWTClaimsSet.Builder claims) {
    try {
      String head =
          Base64URL.encode("{\"alg\":\"EdDSA\",\"kid\":\"ed\"}")
              + "."
              + Base64URL.encode(claims.build().toString());
      Signature signature = Signature.getInstance("Ed25519");
      signature.initSign(ed.getPrivate());
      signature.update(head.getBytes(StandardCharsets.US_ASCII));
      return head + "." + Base64URL.encode(signature.sign());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  static String unsigned(JWTClaimsSet.Builder claims) {
    return Base64URL.encode("{\"alg\":\"none\"}")
        + "."
        + Base64URL.encode(claims.build().toString())
        + ".";
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
