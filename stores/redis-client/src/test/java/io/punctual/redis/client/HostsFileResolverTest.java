package io.punctual.redis.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.DnsResolvers;
import io.lettuce.core.resource.SocketAddressResolver;
import io.netty.resolver.HostsFileEntriesProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HostsFileResolverTest {
  @TempDir private Path folder;
  private Path hosts;
  private HostsFileResolver resolver;

  @BeforeEach
  void create() {
    hosts = folder.resolve("hosts");
    resolver =
        new HostsFileResolver(
            SocketAddressResolver.create(DnsResolvers.UNRESOLVED),
            () -> {
              try {
                return HostsFileEntriesProvider.parser()
                    .parse(hosts.toFile(), StandardCharsets.UTF_8);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
  }

  private InetSocketAddress resolve(String host) {
    return (InetSocketAddress) resolver.resolve(RedisURI.create(host, 6379));
  }

  @Test
  void resolve_nameMovedInTheFile_hasTheNewAddress() throws IOException {
    Files.writeString(hosts, "127.7.1.1 redis.example\n");
    assertThat(resolve("redis.example").getAddress().getHostAddress()).isEqualTo("127.7.1.1");

    Files.writeString(hosts, "127.7.2.1 other redis.example\n");

    assertThat(resolve("redis.example").getAddress().getHostAddress()).isEqualTo("127.7.2.1");
    assertThat(resolve("Redis.Example").getHostString())
        .as("the name that TLS compares")
        .isEqualTo("Redis.Example");
    assertThat(resolve("redis.example").getPort()).isEqualTo(6379);
  }

  @Test
  void resolve_nameOutsideTheFile_isLeftToTheClientLibrary() throws IOException {
    Files.writeString(hosts, "::1 six\n");
    assertThat(resolve("redis.example").isUnresolved()).isTrue();
    assertThat(resolve("127.0.0.1").isUnresolved()).isTrue();
    assertThat(resolve("six").getAddress().getHostAddress()).isEqualTo("0:0:0:0:0:0:0:1");
  }
}
