package io.punctual.server.jwt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jwt.JWTClaimsSet;
import io.punctual.StoreUnavailableException;
import io.punctual.http.access.Caller;
import io.punctual.http.access.Grant;
import io.punctual.http.access.Right;
import io.punctual.http.access.UnauthenticatedException;
import io.punctual.http.exchange.RequestHead;
import io.punctual.server.TestHead;
import io.punctual.server.config.AccessConfig.Issuer;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class JwtAuthenticatorTest {
  private static TestIssuer issuer;

  @BeforeAll
  static void start() throws Exception {
    issuer = new TestIssuer();
  }

  @AfterAll
  static void stop() {
    issuer.close();
  }

  private static JwtAuthenticator authenticator(String keys) {
    return JwtAuthenticator.none(InstantSource.system())
        .withIssuers(
            List.of(
                new Issuer(
                    TestIssuer.ISSUER,
                    TestIssuer.AUDIENCE,
                    URI.create(issuer.address(keys)),
                    "roles",
                    Map.of("all", Set.of(new Grant(Right.OBSERVE, ""))))));
  }

  private static JWTClaimsSet.Builder claims() {
    return TestIssuer.claims();
  }

  private static Date inSeconds(long seconds) {
    return Date.from(Instant.now().plusSeconds(seconds));
  }

  static Stream<Arguments> right() {
    return Stream.of(
        Arguments.of("RS256", issuer.rs256(claims())),
        Arguments.of("ES256", issuer.es256(claims())),
        Arguments.of("EdDSA", issuer.edDsa(claims())),
        Arguments.of(
            "several audiences", issuer.rs256(claims().audience(List.of("x", "punctual")))),
        Arguments.of(
            "ended within the skew", issuer.rs256(claims().expirationTime(inSeconds(-30)))),
        Arguments.of("begins within the skew", issuer.rs256(claims().notBeforeTime(inSeconds(30)))),
        Arguments.of("roles as a text", issuer.rs256(claims().claim("roles", "x all"))),
        Arguments.of(
            "no key id",
            issuer.sign(
                new JWSHeader.Builder(JWSAlgorithm.RS256),
                issuer.signer(issuer.rsa),
                claims().build())));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("right")
  void aTokenOfTheIssuer_isItsSubject(String name, String token) {
    Caller caller = authenticator("/keys").authenticate(head(token));

    assertThat(caller.name()).isEqualTo("ada");
    assertThat(caller.may(Right.OBSERVE, "any")).isTrue();
    assertThat(caller.mayAnywhere(Right.PRODUCE)).isFalse();
  }

  static Stream<Arguments> wrong() {
    String right = issuer.rs256(claims());
    return Stream.of(
        Arguments.of("no signature", TestIssuer.unsigned(claims())),
        Arguments.of("signature removed", right.substring(0, right.lastIndexOf('.') + 1)),
        Arguments.of("public key as a secret", issuer.hs256(claims())),
        Arguments.of(
            "RS512",
            issuer.sign(JWSAlgorithm.RS512, "rsa", issuer.signer(issuer.rsa), claims().build())),
        Arguments.of(
            "PS256",
            issuer.sign(JWSAlgorithm.PS256, "rsa", issuer.signer(issuer.rsa), claims().build())),
        Arguments.of(
            "another key with the same id",
            issuer.sign(
                JWSAlgorithm.RS256, "rsa", issuer.signer(issuer.stranger), claims().build())),
        Arguments.of(
            "a key of 1024 bits",
            issuer.sign(
                JWSAlgorithm.RS256, "small", issuer.signer(issuer.small), claims().build())),
        Arguments.of(
            "an unknown key",
            issuer.sign(
                JWSAlgorithm.RS256, "other", issuer.signer(issuer.stranger), claims().build())),
        Arguments.of(
            "an own key in the header",
            issuer.sign(
                new JWSHeader.Builder(JWSAlgorithm.RS256).jwk(issuer.stranger.toPublicJWK()),
                issuer.signer(issuer.stranger),
                claims().build())),
        Arguments.of(
            "a critical extension",
            issuer.sign(
                new JWSHeader.Builder(JWSAlgorithm.RS256)
                    .keyID("rsa")
                    .criticalParams(Set.of("b64"))
                    .base64URLEncodePayload(true),
                issuer.signer(issuer.rsa),
                claims().build())),
        Arguments.of("another issuer", issuer.rs256(claims().issuer("https://evil.example"))),
        Arguments.of("no issuer", issuer.rs256(claims().issuer(null))),
        Arguments.of("another audience", issuer.rs256(claims().audience("shop"))),
        Arguments.of("no audience", issuer.rs256(claims().audience((String) null))),
        Arguments.of("ended", issuer.rs256(claims().expirationTime(inSeconds(-61)))),
        Arguments.of("no end", issuer.rs256(claims().expirationTime(null))),
        Arguments.of("begins later", issuer.rs256(claims().notBeforeTime(inSeconds(90)))),
        Arguments.of("no subject", issuer.rs256(claims().subject(null))),
        Arguments.of("no token", "x.y.z"),
        Arguments.of("very long", "a".repeat(10_000)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("wrong")
  void aTokenWithATrick_isRefused(String name, String token) {
    JwtAuthenticator authenticator = authenticator("/keys");

    assertThatThrownBy(() -> authenticator.authenticate(head(token)))
        .isInstanceOf(UnauthenticatedException.class)
        .hasMessage("Send a valid token: Authorization: Bearer TOKEN");
  }

  static Stream<Arguments> odd() {
    String header = "{\"alg\":\"RS256\",\"kid\":\"rsa\"}";
    String claims =
        "{\"iss\":\"https://login.example\",\"aud\":\"punctual\",\"sub\":\"ada\",\"exp\":9999999999}";
    List<String> headers =
        List.of(
            header,
            "{\"alg\":\"RS256\",\"jku\":\"http://127.0.0.1:1/\",\"x5u\":\"http://127.0.0.1:1/\"}",
            "{\"alg\":\"RS256\",\"kid\":\"../../rsa\"}",
            "{\"alg\":\"RS256\",\"kid\":7}",
            "{\"alg\":[\"RS256\"]}",
            "{\"alg\":\"\"}",
            "{\"alg\":\"RS256\",\"crit\":[]}",
            "{\"alg\":\"RS256\",\"crit\":\"exp\"}",
            "{\"alg\":\"RS256\",\"x5c\":[\"AA\"]}",
            "{\"alg\":\"RS256\",\"jwk\":{}}",
            "{\"alg\":\"RS256\",\"zip\":\"DEF\"}",
            "{\"alg\":\"none\"}",
            "{\"alg\":\"ECDH-ES\",\"enc\":\"A128GCM\"}",
            "[".repeat(1500),
            "null",
            "[]",
            "");
    List<String> bodies =
        List.of(
            claims,
            claims.replace("9999999999", "9223372036854775807"),
            claims.replace("9999999999", "-9223372036854775808"),
            claims.replace("9999999999", "1e308"),
            claims.replace("9999999999", "\"soon\""),
            claims.replace("9999999999", "{}"),
            claims.replace("\"punctual\"", "[1,null,{}]"),
            claims.replace("\"punctual\"", "{}"),
            claims.replace("\"ada\"", "[\"ada\"]"),
            claims.replace("\"https://login.example\"", "[]"),
            "{\"a\":".repeat(900),
            "null",
            "7",
            "");
    return headers.stream().flatMap(h -> bodies.stream().map(b -> Arguments.of(h, b)));
  }

  @ParameterizedTest
  @MethodSource("odd")
  void aTokenThatIsNone_isRefusedLikeAWrongOne(String header, String claims) {
    Base64.Encoder encoder = Base64.getUrlEncoder().withoutPadding();
    String two =
        encoder.encodeToString(header.getBytes(StandardCharsets.UTF_8))
            + '.'
            + encoder.encodeToString(claims.getBytes(StandardCharsets.UTF_8));
    JwtAuthenticator authenticator = authenticator("/keys");
    for (String end : List.of(".", ".AAAA", ".!!", "", "..", ".AAAA.AAAA.AAAA", ".A\u00e4")) {
      assertThatThrownBy(() -> authenticator.authenticate(head(two + end)))
          .isInstanceOf(UnauthenticatedException.class);
    }
  }

  @Test
  void manyTokensWithUnknownKeys_fetchOnce() {
    JwtAuthenticator authenticator = authenticator("/keys");
    int before = issuer.fetches.get();
    String token =
        issuer.sign(JWSAlgorithm.RS256, "other", issuer.signer(issuer.stranger), claims().build());

    for (int i = 0; i < 100; i++) {
      assertThatThrownBy(() -> authenticator.authenticate(head(token)))
          .isInstanceOf(UnauthenticatedException.class);
    }
    authenticator.withIssuers(List.of());

    assertThat(issuer.fetches).hasValue(before);
  }

  @Test
  void aRedirectToKeys_isNotFollowed() {
    JwtAuthenticator authenticator = authenticator("/moved");
    String token = issuer.rs256(claims());

    assertThatThrownBy(() -> authenticator.authenticate(head(token)))
        .isInstanceOf(StoreUnavailableException.class);
  }

  static RequestHead head(String token) {
    return new TestHead("/", token);
  }
}
