package io.punctual.redis.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslVerifyMode;
import io.punctual.spi.StoreUrl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the addresses and credentials of URLs, and which URLs are refused. */
final class RedisUrlTest {
  private static RedisURI uri(String url) {
    return new RedisUrl(StoreUrl.parse(url)).uri();
  }

  private static RedisCredentials credentials(RedisURI uri) {
    return uri.getCredentialsProvider().resolveCredentials().block();
  }

  private static void assertWrong(String url, String... parts) {
    assertThatThrownBy(() -> new RedisUrl(StoreUrl.parse(url)).applyTo(new RedisOptions()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(parts)
        .hasMessageNotContaining("secret");
  }

  @ParameterizedTest
  @CsvSource({
    "redis:,localhost,6379,0",
    "redis://,localhost,6379,0",
    "redis://host,host,6379,0",
    "redis://host:7000,host,7000,0",
    "redis://host/3,host,6379,3",
    "redis://host:7000/,host,7000,0",
    "redis://[2001:db8::1]:7000/2,2001:db8::1,7000,2",
    "redis://[::1],::1,6379,0"
  })
  void uri_server_partsHaveDefaults(String url, String host, int port, int database) {
    RedisURI uri = uri(url);
    assertThat(uri.getHost()).isEqualTo(host);
    assertThat(uri.getPort()).isEqualTo(port);
    assertThat(uri.getDatabase()).isEqualTo(database);
    assertThat(uri.isSsl()).isFalse();
    assertThat(credentials(uri).hasPassword()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "redis://:s%40c%3Aret@host,,s@c:ret",
    "redis://alice:pw@host,alice,pw",
    "redis://pw@host,,pw",
    "redis://a%2Fb:p%25w%3F@host:1/2,a/b,p%w?"
  })
  void uri_credentials_areDecoded(String url, String user, String password) {
    RedisCredentials found = credentials(uri(url));
    assertThat(found.getUsername()).isEqualTo(user);
    assertThat(new String(found.getPassword())).isEqualTo(password);
  }

  @Test
  void uri_socket_hasPathCredentialsAndDatabase() {
    RedisURI uri = uri("redis-socket://alice:pw@/run/redis.sock?database=4");
    assertThat(uri.getSocket()).isEqualTo("/run/redis.sock");
    assertThat(uri.getDatabase()).isEqualTo(4);
    assertThat(credentials(uri).getUsername()).isEqualTo("alice");
    assertThat(RedisUrl.describe(uri)).isEqualTo("redis-socket:///run/redis.sock");
  }

  @Test
  void uri_sentinels_haveTheirOwnPortsAndCredentials() {
    RedisURI uri =
        uri(
            "redis-sentinel://:pw@one,two:7000/main?database=2"
                + "&sentinelUser=watcher&sentinelPassword=other");
    assertThat(uri.getSentinelMasterId()).isEqualTo("main");
    assertThat(uri.getDatabase()).isEqualTo(2);
    assertThat(uri.getSentinels())
        .extracting(sentinel -> sentinel.getHost() + ":" + sentinel.getPort())
        .containsExactly("one:26379", "two:7000");
    assertThat(new String(credentials(uri).getPassword())).isEqualTo("pw");
    assertThat(uri.getSentinels())
        .allSatisfy(
            sentinel -> {
              assertThat(credentials(sentinel).getUsername()).isEqualTo("watcher");
              assertThat(new String(credentials(sentinel).getPassword())).isEqualTo("other");
            });
  }

  @Test
  void uri_sentinelsWithoutTheirPassword_doNotGetThePrimarysPassword() {
    RedisURI uri = uri("redis-sentinel://:pw@one/main");
    assertThat(credentials(uri.getSentinels().get(0)).hasPassword()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"'',FULL", "?verifyPeer=full,FULL", "?verifyPeer=ca,CA", "?verifyPeer=NONE,NONE"})
  void uri_tls_verifiesThePeerFullyByDefault(String option, SslVerifyMode mode) {
    RedisURI uri = uri("rediss://host" + option);
    assertThat(uri.isSsl()).isTrue();
    assertThat(uri.getVerifyMode()).isEqualTo(mode);
  }

  @Test
  void uri_sentinelsWithTls_alsoSecuresTheSentinels() {
    RedisURI uri = uri("rediss-sentinel://one,two/main?verifyPeer=ca");
    assertThat(uri.isSsl()).isTrue();
    assertThat(uri.getSentinels())
        .hasSize(2)
        .allSatisfy(
            sentinel -> {
              assertThat(sentinel.isSsl()).isTrue();
              assertThat(sentinel.getVerifyMode()).isEqualTo(SslVerifyMode.CA);
            });
  }

  @ParameterizedTest
  @CsvSource({
    "redis://:secret@host/3,redis://host:6379/3",
    "rediss://u:secret@[::1]:1,rediss://[::1]:1",
    "'redis-sentinel://:secret@a,b:1/main','redis-sentinel://a:26379,b:1/main'",
    "rediss-sentinel://a/main?database=5,rediss-sentinel://a:26379/main?database=5"
  })
  void describe_anyUrl_hasNoSecrets(String url, String described) {
    assertThat(RedisUrl.describe(uri(url))).isEqualTo(described);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://:secret@one,two",
        "redis://:secret@host/name",
        "redis://:se/secret@host",
        "redis://:secret@host:port",
        "redis://:secret@host/1/2"
      })
  void applyTo_malformedServer_isRefusedWithoutTheSecret(String url) {
    assertWrong(url, "redis URL is redis://", "%3A");
  }

  @Test
  void applyTo_wrongPart_isNamed() {
    assertWrong("redis://host:0", "port", "1 to 65535");
    assertWrong("redis://host:65536", "port", "1 to 65535");
    assertWrong("redis-sentinel://host", "name-of-the-primary");
    assertWrong("redis-sentinel://host/", "name-of-the-primary");
    assertWrong(
        "redis-sentinel://host/main?sentinelUser=a", "sentinelUser needs a sentinelPassword");
    assertWrong("redis-cluster://host/1", "only database 0");
    assertWrong("redis-socket://host", "redis-socket:///path");
    assertWrong("rediss://host?verifyPeer=maybe", "verifyPeer is full, ca or none", "maybe");
    assertWrong("redis-socket:///s?database=x", "database must be a number", "x");
    assertWrong("http://host", "Not a Redis URL");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://host?colour=red",
        "redis://host?verifyPeer=none",
        "redis://host?trustStore=a",
        "redis-cluster://host?proxy=true",
        "redis://host?sentinelPassword=secret"
      })
  void applyTo_optionOfADifferentScheme_isRefused(String url) {
    assertWrong(url, url.substring(url.indexOf('?') + 1, url.indexOf('=')));
  }

  @ParameterizedTest
  @CsvSource({
    "timeout=5,'timeout must be a number with ms, s, m or h'",
    "timeout=5d,'timeout must be a number with ms, s, m or h'",
    "timeout=0ms,timeout must be 1 millisecond or more",
    "connectTimeout=x,'connectTimeout must be a number with ms, s, m or h'",
    "requestQueue=0,requestQueue must be 1 or more",
    "requestQueue=many,requestQueue must be a number",
    "allowEviction=yes,allowEviction must be true or false",
    "partitions=1001,partitions must be 1 to 1000",
    "namespace=a%20b,namespace must be",
    "proxy=1,proxy must be true or false"
  })
  void applyTo_wrongValue_namesOptionAndRule(String option, String message) {
    assertWrong("redis://:secret@host?" + option, message);
  }

  @Test
  void schemes_all_areKnown() {
    assertThat(RedisUrl.schemes())
        .containsExactlyInAnyOrder(
            "redis",
            "rediss",
            "redis-socket",
            "redis-sentinel",
            "rediss-sentinel",
            "redis-cluster",
            "rediss-cluster");
  }
}
