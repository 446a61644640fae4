package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.punctual.kit.redis.RedisProcess;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests the choice of the server program when an installed server is preferred. */
final class InstalledServerTest {
  private static final Pattern EXECUTABLE = Pattern.compile("(?m)^executable:(.*?)\\r?$");

  @Test
  void installed_oneIsOnThePath_isTaken() throws IOException {
    assumeTrue(System.getProperty("punctual.redis.program", "").isEmpty());
    Optional<Path> onPath = onPath();
    assumeTrue(onPath.isPresent());
    try (RedisProcess redis = RedisProcess.builder().installed().start()) {
      assertThat(executable(redis)).isEqualTo(onPath.get().toRealPath());
    }
  }

  @Test
  void installed_noneIsOnThePath_theEmbeddedOneIsTaken() {
    assumeTrue(onPath().isEmpty());
    try (RedisProcess redis = RedisProcess.builder().installed().start()) {
      assertThat(redis.ask("PING")).isEqualTo("PONG");
    }
  }

  private static Path executable(RedisProcess redis) throws IOException {
    Matcher matcher = EXECUTABLE.matcher(String.valueOf(redis.ask("INFO", "server")));
    assertThat(matcher.find()).isTrue();
    return Path.of(matcher.group(1)).toRealPath();
  }

  private static Optional<Path> onPath() {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
        .flatMap(d -> Stream.of(Path.of(d, "redis-server"), Path.of(d, "valkey-server")))
        .filter(Files::isExecutable)
        .findFirst();
  }
}
