package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.kit.process.Command;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests an application that is a module itself, and has every library module on its module path.
 */
class ModulePathTest {
  private static final Pattern LIBRARIES =
      Pattern.compile(
          "target.classes|punctual-|slf4j-api|jspecify|jackson-|lettuce|netty|reactor|reactive"
              + "|redis-authx|cron-utils");

  private static final String MODULE =
      """
      module example {
        requires io.punctual.core;
        requires io.punctual.jackson;
        requires io.punctual.journal;
        requires io.punctual.locks;
        requires io.punctual.redis;
      }
      """;

  private static final String MAIN =
      """
      package example;

      import io.punctual.Codec;
      import io.punctual.Punctual;
      import java.time.Duration;
      import java.util.concurrent.CountDownLatch;
      import java.util.concurrent.TimeUnit;

      public final class Main {
        public static void main(String[] stores) throws Exception {
          for (String store : stores) {
            CountDownLatch delivered = new CountDownLatch(1);
            try (Punctual punctual = Punctual.open(store)) {
              var queue = punctual.queue("orders", Codec.string());
              queue.work(delivery -> delivered.countDown());
              queue.schedule("hello", Duration.ofMillis(1));
              System.out.println(delivered.await(20, TimeUnit.SECONDS));
            }
          }
          System.out.println(Class.forName("io.punctual.redis.RedisStore").getModule());
          // Each of these classes loads its own Lua scripts, because the Redis client, a different
          // module, cannot read the files.
          System.out.println(Class.forName("io.punctual.redis.PartitionScripts").getModule());
          System.out.println(Class.forName("io.punctual.lock.internal.protocol.LockScripts").getModule());
        }
      }
      """;

  @Test
  void application_onTheModulePath_opensStoresAndGetsItsMessage(@TempDir Path directory)
      throws IOException {
    Path sources = Files.createDirectories(directory.resolve("src/example"));
    Path module = Files.writeString(directory.resolve("src/module-info.java"), MODULE);
    Path main = Files.writeString(sources.resolve("Main.java"), MAIN);
    Path classes = directory.resolve("classes");
    String libraries = libraries();
    assertThat(
            run("javac", "-p", libraries, "-d", classes.toString(), module.toString(), main + ""))
        .isEmpty();
    String output =
        run(
            "java",
            "-p",
            libraries + File.pathSeparator + classes,
            "-m",
            "example/example.Main",
            "memory:",
            "journal:" + directory.resolve("journal"));
    assertThat(output.lines().filter(line -> !line.startsWith("SLF4J")))
        .containsExactly(
            "true",
            "true",
            "module io.punctual.redis",
            "module io.punctual.redis",
            "module io.punctual.locks");
  }

  private static String libraries() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> LIBRARIES.matcher(entry).find())
        .filter(entry -> !entry.contains("apps" + File.separator + "cli" + File.separator))
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static String run(String program, String... arguments) {
    return Command.ofJdk(program, List.of(arguments)).run();
  }
}
