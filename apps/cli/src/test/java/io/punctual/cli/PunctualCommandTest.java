package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Punctual;
import io.punctual.StoreUnavailableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class PunctualCommandTest {
  private final Cli cli = new Cli();
  private final List<String> opened = new ArrayList<>();

  @BeforeEach
  void noteUrls() {
    cli.stores =
        url -> {
          opened.add(url);
          return Punctual.open("memory:");
        };
  }

  @Test
  void help_isDataOnStdout() {
    Cli.Result result = cli.run("--help");

    assertThat(result.exitCode()).isZero();
    assertThat(result.out()).contains("Usage: punctual", "demo", "pipe", "Exit codes:");
    assertThat(result.err()).isEmpty();
  }

  @Test
  void noCommand_isWrongUsage() {
    Cli.Result result = cli.run();

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).contains("--help");
  }

  @Test
  void unknownOption_suggestsTheNearest() {
    Cli.Result result = cli.run("demo", "--mesages", "3");

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err()).contains("--mesages", "--messages");
  }

  @Test
  void store_givenByOption_winsOverEnvironmentAndFile(@TempDir Path config) throws IOException {
    configure(config, "file:");
    cli.environment.put("PUNCTUAL_STORE", "environment:");

    assertThat(cli.run("pipe", "--store", "option:").exitCode()).isZero();
    assertThat(opened).containsExactly("option:");
  }

  @Test
  void store_givenByEnvironment_winsOverFile(@TempDir Path config) throws IOException {
    configure(config, "file:");
    cli.environment.put("PUNCTUAL_STORE", "environment:");

    assertThat(cli.run("pipe").exitCode()).isZero();
    assertThat(opened).containsExactly("environment:");
  }

  @Test
  void store_givenByFile_isUsed(@TempDir Path config) throws IOException {
    configure(config, "redis://localhost:6379/1?x=y");

    assertThat(cli.run("pipe").exitCode()).isZero();
    assertThat(opened).containsExactly("redis://localhost:6379/1?x=y");
  }

  private void configure(Path folder, String url) throws IOException {
    cli.environment.put("XDG_CONFIG_HOME", folder.toString());
    Path file = Files.createDirectories(folder.resolve("punctual")).resolve("config.properties");
    Files.writeString(file, "# mine\nstore = " + url + "\n");
  }

  @Test
  void store_givenNowhere_isMemoryForThePipe() {
    assertThat(cli.run("pipe").exitCode()).isZero();
    assertThat(opened).containsExactly("memory:");
  }

  @Test
  void store_unknownScheme_isWrongUsageAndNamesTheKnown() {
    cli.stores = Punctual::open;

    Cli.Result result = cli.run("pipe", "--store", "carrier-pigeon:");

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err()).contains("carrier-pigeon", "memory");
  }

  @Test
  void store_unreachable_isFive() {
    cli.stores =
        url -> {
          throw new StoreUnavailableException("Nobody listens at localhost:1; start it", null);
        };

    Cli.Result result = cli.run("pipe");

    assertThat(result.exitCode()).isEqualTo(5);
    assertThat(result.err()).contains("Nobody listens at localhost:1");
    assertThat(result.out()).isEmpty();
  }

  @Test
  void help_ofACommandInAGroup_isThatCommands() {
    Cli.Result result = cli.run("help", "dead-letters", "redrive");

    assertThat(result.exitCode()).isZero();
    assertThat(result.out()).startsWith("Usage: punctual dead-letters redrive");
    assertThat(cli.run("help", "dead-letters").out()).startsWith("Usage: punctual dead-letters ");
  }

  @Test
  void store_hostAndPort_advisesTheUrl() {
    cli.stores = Punctual::open;

    Cli.Result result = cli.run("queues", "--store", "localhost:7392");

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err()).contains("redis://localhost:7392").doesNotContain("module");
  }

  @Test
  void logs_endOfAnOutage_isShownByDefault() {
    assertThat(LoggerFactory.getLogger("io.punctual.store").isInfoEnabled()).isTrue();
    assertThat(LoggerFactory.getLogger("io.punctual.handler").isErrorEnabled()).isTrue();
  }
}
