package io.punctual.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.cli.output.Terminal;
import io.punctual.http.access.AccessToken;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@DisabledOnOs(OS.WINDOWS)
class ServerCommandTest {
  private static final String TOKENS =
      "roles: {all: {observe: '*'}}\ntokens: [{id: shop, role: all, sha256: "
          + AccessToken.sha256("any")
          + "}]";

  private final Cli cli = new Cli();

  @TempDir private Path folder;

  private Cli.Result check(String yaml) throws IOException {
    Path file = Files.writeString(folder.resolve("punctual.yaml"), yaml);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    return cli.run("server", "--check", "--config", file.toString());
  }

  @Test
  void check_ofARightFile_saysSo() throws IOException {
    Cli.Result result = check("port: 9000");

    assertThat(result.exitCode()).isZero();
    assertThat(result.out()).contains("The configuration is right: port 9000 of 127.0.0.1");
  }

  @Test
  void check_ofAWrongFile_namesTheNearestKey() throws IOException {
    Cli.Result result = check("prot: 9000");

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err()).contains(":1: 'prot' is unknown; the nearest key is 'port'");
  }

  @Test
  void anotherAddress_withoutTokens_isRefused() {
    Cli.Result result = cli.run("server", "--store", "memory:", "--host", "0.0.0.0");

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.err()).contains("would serve everybody on 0.0.0.0");
  }

  @Test
  void newToken_isPrintedWithItsLinesForTheFile() {
    Cli.Result result = cli.run("server", "--new-token", "shop");

    assertThat(result.exitCode()).isZero();
    assertThat(result.out().strip()).matches("pnc_shop_[0-9a-f]{32}");
    assertThat(result.err())
        .contains("- id: shop", "sha256: ")
        .doesNotContain(result.out().strip());
  }

  private Cli.Result serve(String yaml) throws IOException {
    Path file = Files.writeString(folder.resolve("punctual.yaml"), yaml);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    cli.stop.ask();
    return cli.run("server", "--store=memory:", "--port=0", "--config", file.toString());
  }

  @Test
  void onATerminal_aLinkSignsIn() throws IOException {
    cli.terminal = new Terminal(true, true, true, false, true, 120);

    assertThat(serve(TOKENS).out())
        .containsPattern("within 5 minutes: http://127.0.0.1:\\d+/console/#sign-in=[0-9a-f]{32}\n");
  }

  @Test
  void outputToAFileOrAPipe_hasNoLink() throws IOException {
    Cli.Result result = serve(TOKENS);

    assertThat(result.out()).contains("/console/").doesNotContain("sign-in");
    assertThat(result.err()).doesNotContain("sign-in");
  }

  @Test
  void withoutTokens_noLinkIsNeeded() throws IOException {
    cli.terminal = new Terminal(true, true, true, false, true, 120);

    assertThat(serve("").out()).contains("/console/").doesNotContain("sign-in");
  }

  /** The reader of the address may end as soon as it has read the first line. */
  @Test
  void readerOfTheGreetingIsGone_theServerGoesOn() {
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    CompletableFuture<String> greeted = new CompletableFuture<>();
    cli.out =
        new FilterOutputStream(written) {
          private boolean failed;

          @Override
          public void flush() throws IOException {
            if (!failed) {
              failed = true;
              throw new IOException("Broken pipe");
            }
            if (written.toString(UTF_8).contains("print).wait()")) {
              greeted.complete("greeted");
            }
          }
        };
    CompletableFuture<String> ended =
        CompletableFuture.supplyAsync(
            () -> "ended with " + cli.run("server", "--store=memory:", "--port=0").exitCode());

    assertThat(CompletableFuture.anyOf(greeted, ended).join()).isEqualTo("greeted");

    cli.stop.ask();
    assertThat(ended.join()).isEqualTo("ended with 0");
  }
}
