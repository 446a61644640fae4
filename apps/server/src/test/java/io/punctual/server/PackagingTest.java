package io.punctual.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.punctual.kit.process.Command;
import io.punctual.server.config.ServerConfig;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Checks the files that install the server, as far as the programs for them are there. */
class PackagingTest {
  private static final Path OPS = Path.of("..", "..", "ops", "server").toAbsolutePath().normalize();
  private static final Pattern VALUE = Pattern.compile("\\.Values\\.([A-Za-z.]+)");

  @TempDir private Path folder;

  private static String run(String... words) throws Exception {
    Process process =
        Command.of(List.of(words)).launch(Redirect.PIPE, Redirect.PIPE, Redirect.INHERIT);
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(out).isZero();
    return out;
  }

  private static void assumeProgram(String name) {
    assumeTrue(
        Stream.of(System.getenv("PATH").split(":", -1))
            .anyMatch(path -> Files.isExecutable(Path.of(path, name))),
        name);
  }

  private ServerConfig read(String yaml, Map<String, String> environment) {
    Path file = TestServer.write(folder.resolve("punctual.yaml"), yaml);
    return ServerConfig.read(new ServerConfig.Options(file, null, null, null, null), environment);
  }

  @Test
  void theUnitFile_isHardened() throws Exception {
    String unit = Files.readString(OPS.resolve("punctual.service"));
    assertThat(unit)
        .contains(
            "User=punctual",
            "NoNewPrivileges=yes",
            "ProtectSystem=strict",
            "CapabilityBoundingSet=\n",
            "ExecReload=/bin/kill -HUP",
            "SuccessExitStatus=143");
    assumeProgram("systemd-analyze");
    Path checked = folder.resolve("punctual.service");
    Files.writeString(checked, unit.replace("/usr/bin/punctual", "/bin/true"));

    run("systemd-analyze", "verify", "--man=no", "--recursive-errors=no", checked.toString());
  }

  @Test
  void theExampleOfTheConfig_isRight() throws IOException {
    ServerConfig config = read(Files.readString(OPS.resolve("punctual.yaml")), Map.of());

    assertThat(config.host()).isEqualTo("127.0.0.1");
  }

  @Test
  void theDebianPackage_hasItsFilesWithTheirRights() throws Exception {
    assumeProgram("dpkg-deb");
    Path jar = Files.writeString(folder.resolve("punctual.jar"), "jar");
    Path deb = folder.resolve("punctual.deb");

    run(OPS.resolve("deb/build").toString(), jar.toString(), "0.1.0-SNAPSHOT", deb.toString());

    assertThat(run("dpkg-deb", "--info", deb.toString()))
        .contains("Package: punctual", "Version: 0.1.0~snapshot", "postinst", "conffiles");
    assertThat(run("dpkg-deb", "--contents", deb.toString()))
        .containsPattern("-rw-r----- root/root .* ./etc/punctual/punctual.yaml")
        .containsPattern("-rw-r--r-- root/root .* ./usr/share/punctual/punctual.jar")
        .containsPattern("-rwxr-xr-x root/root .* ./usr/bin/punctual")
        .contains("./lib/systemd/system/punctual.service");
  }

  /** A program in the place of Java prints what the command of the package gives it. */
  @ParameterizedTest
  @ValueSource(strings = {"C", "POSIX"})
  void theCommandOfThePackage_givesJavaAUtf8Locale_andTheOptionsOfTheUser(String locale)
      throws Exception {
    Path java = folder.resolve("java");
    Files.writeString(java, "#!/bin/sh\necho \"$LC_ALL\"\nprintf '%s\\n' \"$@\"\n");
    assertThat(java.toFile().setExecutable(true)).isTrue();

    String printed =
        Command.of(OPS.resolve("deb/punctual").toString(), "schedule", "q", "two words")
            .environment("PATH", folder + ":" + System.getenv("PATH"))
            .environment("LC_ALL", locale)
            .environment("JAVA_OPTS", "-Xmx1g -Dname=*")
            .run();

    assertThat(printed.lines().findFirst())
        .hasValueSatisfying(value -> assertThat(value).endsWith("UTF-8"));
    assertThat(printed)
        .endsWith(
            """
            -Xmx1g
            -Dname=*
            -jar
            /usr/share/punctual/punctual.jar
            schedule
            q
            two words
            """);
  }

  @Test
  void theArchiveOfClasses_isMadeWhereItIsUsed() throws IOException {
    String archive = "/var/cache/punctual/punctual.jsa";
    assertThat(Files.readString(OPS.resolve("deb/postinst"))).contains("archive=" + archive);
    assertThat(Files.readString(OPS.resolve("deb/punctual"))).contains("archive=" + archive);
    archive = "/usr/share/punctual/punctual.jsa";
    assertThat(Files.readString(OPS.resolve("Dockerfile")))
        .contains("-XX:ArchiveClassesAtExit=" + archive, "-XX:SharedArchiveFile=" + archive);
  }

  @Test
  void theImage_runsAsNobodyInParticular() throws IOException {
    assertThat(Files.readAllLines(OPS.resolve("Dockerfile")))
        .contains("USER 8420", "EXPOSE 8420")
        .contains("CMD [\"server\", \"--config\", \"/etc/punctual/punctual.yaml\"]");
  }

  @Test
  void theConfigOfTheChart_isRight() throws IOException {
    Map<?, ?> values = (Map<?, ?>) yaml(Files.readString(OPS.resolve("helm/punctual/values.yaml")));

    ServerConfig config =
        read(
            (String) values.get("config"),
            Map.of("PUNCTUAL_STORE", "redis://x", "OPERATOR_SHA256", "0".repeat(64)));

    assertThat(config.port()).isEqualTo(8420);
    assertThat(config.access().tokens()).hasSize(1);
  }

  /** No renderer is there, so the test puts in what the templates name. */
  @ParameterizedTest
  @ValueSource(strings = {"secret.yaml", "service.yaml", "deployment.yaml"})
  void aTemplateOfTheChart_namesOnlyValuesThatExist(String template) throws IOException {
    Object values = yaml(Files.readString(OPS.resolve("helm/punctual/values.yaml")));
    String text = Files.readString(OPS.resolve("helm/punctual/templates").resolve(template));
    Matcher value = VALUE.matcher(text);
    while (value.find()) {
      Object found = values;
      for (String key : value.group(1).split("\\.", -1)) {
        found = ((Map<?, ?>) found).get(key);
        assertThat(found).as(value.group()).isNotNull();
      }
    }
    String rendered =
        text.replaceAll("(?m)^\\{\\{.*\\}\\}$", "            key: value")
            .replaceAll("\\{\\{[^}]*\\}\\}", "value");
    assertThat(yaml(rendered)).isInstanceOf(Map.class);
  }

  private static Object yaml(String text) {
    return new Load(LoadSettings.builder().build()).loadFromString(text);
  }
}
