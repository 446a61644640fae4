package io.punctual.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.kit.process.Command;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** Runs the packaged command as a separate process. */
class CommandIT {
  @TempDir private Path folder;

  private Process start(String... arguments) throws IOException {
    return PackagedCommand.with(folder, arguments)
        .launch(Redirect.to(folder.resolve("err").toFile()));
  }

  private static void write(Process process, String input) throws IOException {
    try (OutputStream in = process.getOutputStream()) {
      in.write(input.getBytes(UTF_8));
    }
  }

  private int exitCode(Process process) throws InterruptedException {
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }

  private String err() {
    try {
      return Files.readString(folder.resolve("err"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void demo_asAProcess_isFaultless() throws Exception {
    Process process = start("demo", "--messages", "300", "--within", "1s", "--json");
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);

    assertThat(exitCode(process)).as(err()).isZero();
    assertThat(new JsonMapper().readTree(out).get("scheduled").asInt()).isEqualTo(300);
    assertThat(err()).hasLineCount(1);
  }

  /** The jar once lacked libraries that only the server needs. */
  @Test
  void server_asAProcess_answersFromItsJarAlone() throws Exception {
    Process process = start("server", "--store", "memory:", "--port", "0");
    BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
    String greeting = out.readLine();
    assertThat(greeting).as(err()).startsWith("Serves memory: at http://");
    assertThat(err()).doesNotContain("Serves");
    String address = greeting.substring(greeting.indexOf("http://"));

    for (String path : List.of("/livez", "/metrics", "/v1/queues", "/console/")) {
      assertThat(statusOf(address + path)).as(path + " " + err()).isEqualTo(200);
    }
    await().atMost(Duration.ofMinutes(1)).until(() -> statusOf(address + "/readyz") == 200);

    assertThat(process.toHandle().destroy()).isTrue();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
  }

  /** The launcher makes its archive of classes from this run, and ignores its failures. */
  @Test
  void rehearsal_loadsTheClassesOfCommandsAndOfAServer() throws Exception {
    Path classes = folder.resolve("classes");
    String unused =
        Command.ofJdk(
                "java",
                List.of(
                    "-Xlog:class+load:file=" + classes,
                    "-cp",
                    PackagedCommand.JAR.toString(),
                    "io.punctual.cli.Rehearsal"))
            .run();

    assertThat(Files.readString(classes))
        .contains("io.punctual.cli.Main ", "io.punctual.cli.demo.DemoReport ")
        .contains("io.punctual.http.claim.Settling ", "io.punctual.redis.RedisStore ")
        .contains("io.punctual.http.console.ConsoleFiles ", "io.punctual.journal.JournalStore ");
  }

  private static int statusOf(String address) throws Exception {
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(URI.create(address)).build(), BodyHandlers.discarding())
        .statusCode();
  }

  @Test
  void pipe_terminated_endsWithinItsGraceAndSaysWhatIsLeft() throws Exception {
    Process process = start("pipe");
    process
        .getOutputStream()
        .write(
            "{\"delay\":\"0s\",\"payload\":1}\n{\"delay\":\"1h\",\"payload\":2}\n".getBytes(UTF_8));
    process.getOutputStream().flush();
    BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
    assertThat(out.readLine()).contains("\"payload\":1");

    assertThat(process.toHandle().destroy()).isTrue();

    assertThat(exitCode(process)).isEqualTo(143);
    assertThat(err()).contains("not written: 1");
    assertThat(out.readLine()).isNull();
  }

  @Test
  void pipe_readerGone_endsQuietly() throws Exception {
    Process process = start("pipe");
    process.getInputStream().close();
    write(process, "{\"delay\":\"0s\",\"payload\":1}\n".repeat(1000));

    assertThat(exitCode(process)).isZero();
    assertThat(err()).isEmpty();
  }

  @Test
  void journal_ownedByAnotherProcess_canBeReadAndNotChanged() throws Exception {
    String journal = "journal:" + folder.resolve("data");
    Process owner = start("pipe", "--store", journal);
    owner
        .getOutputStream()
        .write(
            "{\"delay\":\"0s\",\"payload\":1}\n{\"delay\":\"1h\",\"payload\":2}\n".getBytes(UTF_8));
    owner.getOutputStream().flush();
    BufferedReader out = new BufferedReader(new InputStreamReader(owner.getInputStream(), UTF_8));
    assertThat(out.readLine()).contains("\"payload\":1");

    Process second = start("queues", "--store", journal, "-o", "ndjson");
    String seen = new String(second.getInputStream().readAllBytes(), UTF_8);

    assertThat(exitCode(second)).as(err()).isZero();
    assertThat(seen).contains("\"scheduled\":1");
    Process third = start("schedule", "q", "x", "--store", journal);
    assertThat(exitCode(third)).isEqualTo(5);
    assertThat(err()).contains("pid " + owner.pid(), "One process owns a journal");
    assertThat(owner.toHandle().destroy()).isTrue();
    assertThat(exitCode(owner)).isEqualTo(143);
    Process last = start("queues", "--store", journal, "-o", "ndjson");
    String queues = new String(last.getInputStream().readAllBytes(), UTF_8);
    assertThat(exitCode(last)).as(err()).isZero();
    assertThat(queues).contains("\"scheduled\":1");
  }

  @Test
  void store_nobodyKnows_isWrongUsage() throws Exception {
    Process process = start("queues", "--store", "nowhere:");

    assertThat(exitCode(process)).isEqualTo(2);
    assertThat(err()).contains("nowhere", "memory");
  }

  @Test
  void script_throughALinkFromElsewhere_runsTheJar() throws Exception {
    Path link = PackagedCommand.JAR.resolveSibling("linked-command");
    Files.deleteIfExists(link);
    Files.createSymbolicLink(link, PackagedCommand.SCRIPT);
    Process process =
        Command.of(link.toString(), "--version")
            .directory(folder)
            .launch(Redirect.PIPE, Redirect.PIPE, Redirect.to(folder.resolve("err").toFile()));
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);

    assertThat(exitCode(process)).as(err()).isZero();
    assertThat(out).startsWith("punctual ").doesNotContain("not packaged");
  }

  @ParameterizedTest
  @CsvSource({"LC_ALL, C", "LC_ALL, POSIX", "LC_CTYPE, C", "LANG, POSIX", "LANG, "})
  void script_inALocaleWithoutUtf8_readsTextBeyondAscii(String variable, @Nullable String locale)
      throws Exception {
    List<String> words = new ArrayList<>(LocaleProcessTest.WITH_UMLAUT);
    words.addAll(
        List.of(
            PackagedCommand.SCRIPT.toString(), "schedule", "q", "1", "--store", "memory:", "--id"));
    Process process =
        Command.of(words)
            .environment("LC_ALL", null)
            .environment("LC_CTYPE", null)
            .environment("LANG", null)
            .environment(variable, locale)
            .launch(Redirect.PIPE, Redirect.PIPE, Redirect.to(folder.resolve("err").toFile()));
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);

    assertThat(exitCode(process)).as(err()).isZero();
    assertThat(out).isEqualTo("\u00fc\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"PUNCTUAL_JAVA_OPTS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"})
  void script_withACollectorOfTheUser_usesIt(String variable) throws Exception {
    Process process =
        Command.of(PackagedCommand.SCRIPT.toString(), "--version")
            .environment(variable, "-Xmx256m\t-XX:+UseParallelGC\n-Xss1m")
            .launch(Redirect.PIPE, Redirect.PIPE, Redirect.to(folder.resolve("err").toFile()));
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);

    assertThat(exitCode(process)).as(out + err()).isZero();
    assertThat(out).startsWith("punctual ");
  }

  @Test
  void jar_holdsTheLicencesOfAllItsParts() throws Exception {
    try (FileSystem jar = FileSystems.newFileSystem(PackagedCommand.JAR);
        Stream<Path> files = Files.list(jar.getPath("META-INF"))) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .contains("LICENSE", "LICENSE.txt", "NOTICE");
      assertThat(Files.readString(jar.getPath("META-INF", "LICENSE.txt")))
          .contains("QOS.ch", "Gil Tene");
      assertThat(Files.exists(jar.getPath("module-info.class"))).isFalse();
    }
  }
}
