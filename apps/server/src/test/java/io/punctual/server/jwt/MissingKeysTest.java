package io.punctual.server.jwt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import io.punctual.StoreUnavailableException;
import io.punctual.http.access.Grant;
import io.punctual.http.access.Right;
import io.punctual.http.access.UnauthenticatedException;
import io.punctual.server.TestServer;
import io.punctual.server.config.AccessConfig.Issuer;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tokens whose keys the issuer may have, and the server has not. */
class MissingKeysTest {
  private final AtomicLong nanos = new AtomicLong();
  private TestIssuer issuer;

  @TempDir private Path folder;

  @BeforeEach
  void start() throws Exception {
    issuer = new TestIssuer();
  }

  @AfterEach
  void stop() {
    issuer.gate.countDown();
    issuer.close();
  }

  private JwtAuthenticator authenticator() {
    return JwtAuthenticator.none(InstantSource.system(), nanos::get)
        .withIssuers(
            List.of(
                new Issuer(
                    TestIssuer.ISSUER,
                    TestIssuer.AUDIENCE,
                    URI.create(issuer.address("/keys")),
                    "roles",
                    Map.of("all", Set.of(new Grant(Right.OBSERVE, ""))))));
  }

  private static JWTClaimsSet.Builder issuedNow() {
    return TestIssuer.claims().issueTime(Date.from(Instant.now()));
  }

  private String token(String key, JWTClaimsSet.Builder claims) {
    return issuer.sign(JWSAlgorithm.RS256, key, issuer.signer(issuer.stranger), claims.build());
  }

  private void passAMinute() {
    nanos.addAndGet(Duration.ofMinutes(1).toNanos());
  }

  private static void assertUnclear(JwtAuthenticator authenticator, String token) {
    assertThatThrownBy(() -> authenticator.authenticate(JwtAuthenticatorTest.head(token)))
        .isInstanceOf(StoreUnavailableException.class);
  }

  private static void assertWrong(JwtAuthenticator authenticator, String token) {
    assertThatThrownBy(() -> authenticator.authenticate(JwtAuthenticatorTest.head(token)))
        .isInstanceOf(UnauthenticatedException.class);
  }

  private static void awaitKnown(JwtAuthenticator authenticator, String token) {
    await()
        .ignoreException(StoreUnavailableException.class)
        .until(
            () ->
                authenticator.authenticate(JwtAuthenticatorTest.head(token)).name().equals("ada"));
  }

  @Test
  void aTokenIsNotWrong_whileTheKeysCantBeFetched() {
    issuer.status = 500;
    JwtAuthenticator authenticator = authenticator();
    String right = issuer.rs256(TestIssuer.claims());
    assertUnclear(authenticator, right);
    assertWrong(authenticator, issuer.rs256(TestIssuer.claims().audience("shop")));
    assertWrong(
        authenticator, issuer.rs256(TestIssuer.claims().expirationTime(Date.from(Instant.EPOCH))));

    issuer.status = 200;
    assertUnclear(authenticator, right);
    passAMinute();
    assertUnclear(authenticator, right);
    awaitKnown(authenticator, right);
  }

  @Test
  void aTokenWithANewKey_isNotWrong_beforeTheNextFetch() {
    JwtAuthenticator authenticator = authenticator();
    RSAKey key = TestIssuer.generate(new RSAKeyGenerator(2048).keyID("new"));
    issuer.publish(key);
    String token = issuer.sign(JWSAlgorithm.RS256, "new", issuer.signer(key), issuedNow().build());
    assertUnclear(authenticator, token);
    assertThat(issuer.fetches).hasValue(1);

    passAMinute();
    assertUnclear(authenticator, token);
    awaitKnown(authenticator, token);
    assertThat(issuer.fetches).hasValue(2);
  }

  @Test
  void aKeyThatTheNextFetchDoesNotBring_isWrong() {
    JwtAuthenticator authenticator = authenticator();
    assertUnclear(authenticator, token("other", issuedNow()));

    passAMinute();
    await().untilAsserted(() -> assertWrong(authenticator, token("other", issuedNow())));
    passAMinute();
    await().untilAsserted(() -> assertWrong(authenticator, token("other", issuedNow())));
    assertThat(issuer.fetches).hasValue(3);
  }

  @Test
  void anUnknownKey_isWrong_ifTheKeysAreNewerThanTheToken() {
    Date before = Date.from(Instant.now().minus(Issuer.SKEW.plusSeconds(2)));
    JwtAuthenticator authenticator = authenticator();

    assertWrong(authenticator, token("other", TestIssuer.claims().issueTime(before)));
    assertWrong(authenticator, token("other", TestIssuer.claims()));
  }

  @Test
  void anUnknownKey_isNotWrong_whileTheKeysAreFetched() {
    JwtAuthenticator authenticator = authenticator();
    String token = token("other", TestIssuer.claims());
    assertWrong(authenticator, token);

    issuer.gate = new CountDownLatch(1);
    passAMinute();
    assertUnclear(authenticator, token);
    assertUnclear(authenticator, token);
    issuer.gate.countDown();
    await().untilAsserted(() -> assertWrong(authenticator, token));
  }

  @Test
  void randomKeys_areWrong_afterTheFirstOfThem() {
    JwtAuthenticator authenticator = authenticator();
    for (int i = 0; i < IssuerKeys.MOST_ASKED; i++) {
      assertUnclear(authenticator, token("random" + i, issuedNow()));
    }

    assertWrong(authenticator, token("one more", issuedNow()));
    assertThat(issuer.fetches).hasValue(1);
  }

  @Test
  void whoSendsATokenWithoutItsKey_isToldToComeAgain_andIsNotTakenForAGuesser() {
    issuer.status = 500;
    String yaml =
        "roles: {all: {observe: '*', store: '*'}}\n"
            + "issuers: [{issuer: '%s', audience: '%s', keys: '%s', insecureKeys: true}]\n"
                .formatted(TestIssuer.ISSUER, TestIssuer.AUDIENCE, issuer.address("/keys"));
    String[] as = {"Authorization", "Bearer " + issuer.rs256(TestIssuer.claims())};
    try (TestServer server = TestServer.start(folder, yaml)) {
      for (int i = 0; i < 10; i++) {
        assertComesAgain(server.get("/v1/queues", as));
        assertComesAgain(server.get("/metrics", as));
        assertComesAgain(server.send("POST", "/store/v1/hello", "", as));
      }
    }
  }

  private static void assertComesAgain(HttpResponse<String> answer) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
    assertThat(answer.headers().firstValue("Retry-After")).isPresent();
    assertThat(answer.body()).contains("not-done", "send the request again");
  }
}
