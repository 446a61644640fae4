package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Tests the target of the store for the forms of {@code spring.data.redis.*}. */
class DataRedisTargetTest {
  @Test
  void server_withCredentialsAndDatabase() {
    target(
        target -> {
          assertThat(target.cluster()).isFalse();
          RedisURI uri = target.addresses().get(0);
          assertThat(uri.getHost()).isEqualTo("redis.example");
          assertThat(uri.getPort()).isEqualTo(6380);
          assertThat(uri.getDatabase()).isEqualTo(2);
          var credentials = uri.getCredentialsProvider().resolveCredentials().block();
          assertThat(credentials.getUsername()).isEqualTo("shop");
          assertThat(new String(credentials.getPassword())).isEqualTo("secret");
          assertThat(uri.toString()).doesNotContain("secret");
        },
        "host=redis.example",
        "port=6380",
        "database=2",
        "username=shop",
        "password=secret");
  }

  @Test
  void url() {
    target(
        target -> {
          RedisURI uri = target.addresses().get(0);
          assertThat(uri.getHost()).isEqualTo("redis.example");
          assertThat(uri.getPort()).isEqualTo(6381);
        },
        "url=redis://redis.example:6381");
  }

  @Test
  void sentinels_withTheirOwnPassword() {
    target(
        target -> {
          RedisURI uri = target.addresses().get(0);
          assertThat(uri.getSentinelMasterId()).isEqualTo("primary");
          assertThat(uri.getSentinels()).extracting(RedisURI::getPort).containsExactly(1, 2);
          assertThat(password(uri.getSentinels().get(0))).isEqualTo("watcher");
          assertThat(password(uri)).isEqualTo("secret");
        },
        "sentinel.master=primary",
        "sentinel.nodes=one:1,two:2",
        "sentinel.password=watcher",
        "password=secret");
  }

  private static String password(RedisURI uri) {
    return new String(uri.getCredentialsProvider().resolveCredentials().block().getPassword());
  }

  @Test
  void cluster() {
    target(
        target -> {
          assertThat(target.cluster()).isTrue();
          assertThat(target.addresses()).extracting(RedisURI::getHost).containsExactly("a", "b");
        },
        "cluster.nodes=a:1,b:2");
  }

  private static void target(Consumer<RedisTarget> check, String... properties) {
    ApplicationContextRunner runner =
        new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class));
    for (String property : properties) {
      runner = runner.withPropertyValues("spring.data.redis." + property);
    }
    runner.run(
        context ->
            check.accept(
                DataRedisConfiguration.target(context.getBean(DataRedisConnectionDetails.class))));
  }
}
