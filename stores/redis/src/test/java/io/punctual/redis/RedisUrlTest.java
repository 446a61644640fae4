package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.lettuce.core.RedisURI;
import io.punctual.redis.client.RedisUrl;
import io.punctual.spi.StoreUrl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RedisUrlTest {
  private static RedisURI uri(String url) {
    return new RedisUrl(StoreUrl.parse(url)).uri();
  }

  @ParameterizedTest
  @CsvSource({
    "redis:,                              redis://localhost:6379",
    "redis://,                            redis://localhost:6379",
    "redis://cache,                       redis://cache:6379",
    "redis://cache:7000/3,                redis://cache:7000/3",
    "redis://[::1]:7000,                  redis://[::1]:7000",
    "rediss://user:secret@cache,          rediss://cache:6379",
    "redis://:p%40ss%3Aword@cache/,       redis://cache:6379",
    "redis-socket:///run/redis.sock,      redis-socket:///run/redis.sock",
    "redis-socket://u:secret@/run/r.sock, redis-socket:///run/r.sock",
    "'redis-sentinel://u:secret@a,[::1]:2/main', 'redis-sentinel://a:26379,[::1]:2/main'",
  })
  void describe_anyUrl_hasNoSecrets(String url, String described) {
    assertThat(RedisUrl.describe(uri(url))).isEqualTo(described);
  }

  @Test
  void uri_credentials_decoded() {
    RedisURI uri = uri("redis://me:p%40s+s%3A@cache");
    var credentials = uri.getCredentialsProvider().resolveCredentials().block();
    assertThat(credentials.getUsername()).isEqualTo("me");
    assertThat(credentials.getPassword()).containsExactly("p@s+s:".toCharArray());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis-sentinel://u:SECRET/SECRET@h/main",
        "redis-cluster://u:SECRET/SECRET@h,i",
        "redis://u:SECRET/SECRET@h",
        "redis://u:99999/SECRET@h",
        "redis://u:SECRET@SECRET@h",
        "redis://u:%SECRET@h",
        "redis://u:SECRET",
        "redis-socket://u:SECRET/SECRET@/run/redis.sock",
        "redis-sentinel://h/%SECRET",
      })
  void uri_passwordWithUnescapedCharacters_refusedWithoutShowingIt(String url) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> uri(url))
        .satisfies(e -> assertThat(e).hasNoCause())
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("SECRET", "99999"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://cache?durabilty=none",
        "redis://cache?trustStore=a",
        "redis://cache?database=1",
        "rediss://cache?database=1",
      })
  void options_unknown_refusedWithTheKnownOnes(String url) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RedisStore.builder().url(url))
        .withMessageContaining("durabilityTimeout")
        .withMessageContaining("namespace");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis:cache",
        "redis://cache:port",
        "redis://cache:70000",
        "redis://cache/orders",
        "redis-socket://",
        "redis://cache?timeout=5",
        "redis://cache?timeout=0s",
        "redis://cache?requestQueue=0",
        "redis://cache?requestQueue=many",
        "redis://cache?allowEviction=yes",
        "redis://cache?namespace={a}",
        "redis://cache?durability=all",
        "rediss://cache?verifyPeer=perhaps",
        "rediss://cache?trustStore=/nowhere/to/be/found",
        "rediss://cache?clientCertificate=/nowhere",
      })
  void url_wrong_refused(String url) {
    assertThatIllegalArgumentException().isThrownBy(() -> RedisStore.builder().url(url));
  }
}
