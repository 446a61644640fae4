package io.punctual.server.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.server.TestServer;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** The program of each client's README runs, and the documentation shows the same program. */
class ClientPagesTest {
  private static final Pattern CODE = Pattern.compile("```\\w+\n(.*?)```", Pattern.DOTALL);

  @TempDir private Path folder;

  private static String program(Language language) throws IOException {
    Matcher code = CODE.matcher(Files.readString(language.folder().resolve("README.md")));
    assertThat(code.find()).isTrue();
    return code.group(1);
  }

  private Path write(Language language, String code) throws IOException {
    return switch (language) {
      case PYTHON -> Language.write(folder.resolve("page.py"), code);
      case JAVASCRIPT -> Language.write(folder.resolve("page.mjs"), code);
      default -> {
        Path source = folder.resolve("source");
        Path main = Language.write(source.resolve("main.go"), code);
        String module = "punctual.io/punctual";
        Path unused =
            Language.write(
                source.resolve("go.mod"),
                "module page\n\ngo 1.19\n\nrequire %s v0.0.0\n\nreplace %s => %s\n"
                    .formatted(module, module, language.folder()));
        Language.buildGo(main.getParent(), language.installed().resolve("page"));
        yield folder.resolve("page");
      }
    };
  }

  @Test
  void theFirstProgramOfTheReadme_receivesItsMessage() throws Exception {
    Language.PYTHON.assume();
    Path readme = Language.PYTHON.folder().resolve("../../README.md");
    Matcher code = Pattern.compile("```python\n(.*?)```", Pattern.DOTALL).matcher(read(readme));
    assertThat(code.find()).isTrue();
    try (TestServer server = TestServer.start(folder, "")) {
      String address = server.server().address().toString();
      String program = code.group(1).replace("http://127.0.0.1:8420", address).replace("10s", "1s");
      Path output = folder.resolve("output");
      Process running =
          Language.PYTHON.start(
              write(Language.PYTHON, program),
              List.of(),
              Redirect.appendTo(folder.resolve("log").toFile()),
              Redirect.to(output.toFile()));
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> read(output).equals("{'to': 'ada'} <Delivery 'welcome-1', attempt 1>\n"));
      running.toHandle().destroy();
      assertThat(running.waitFor()).as(read(folder.resolve("log"))).isZero();
    }
  }

  private static String read(Path file) throws IOException {
    return Files.readString(file);
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "JAVA")
  void theProgramOfThePage_runs_andEndsBySigterm(Language language) throws Exception {
    language.assume();
    Path page = language.folder().getParent().getParent().resolve("docs").resolve("clients.md");
    assertThat(Files.readString(page)).contains(program(language));
    try (TestServer server = TestServer.start(folder, "")) {
      String address = server.server().address().toString();
      String code = program(language).replace("http://localhost:8420", address);
      Path output = folder.resolve("output");
      Process running =
          language.start(
              write(language, code),
              List.of(),
              Redirect.appendTo(folder.resolve("log").toFile()),
              Redirect.to(output.toFile()));
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> Files.readString(output).equals("to ada attempt 1\n"));
      running.toHandle().destroy();
      assertThat(running.waitFor()).as(Files.readString(folder.resolve("log"))).isZero();
      assertThat(server.get("/v1/queues/mail/messages/mail-1").statusCode()).isEqualTo(404);
    }
  }
}
