package io.punctual.kit.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that tests and benchmarks start processes by the kit only. */
final class ProcessStartsTest {
  private static final Path ROOT =
      Path.of(System.getProperty("basedir", ".")).toAbsolutePath().resolve("../..").normalize();
  private static final String KIT = "testing/kit/src/main/java/io/punctual/kit/process/";
  private static final Pattern PLACES =
      Pattern.compile("(?!samples/).*src/test/.*|(benchmarks|testing)/.*src/.*");
  private static final Pattern START =
      Pattern.compile("new\\s+ProcessBuilder\\b|getRuntime\\(\\)\\s*\\.exec\\(");

  @Test
  void processes_ofTestsAndBenchmarks_areStartedByTheKit() throws IOException {
    List<String> sources = sources();
    assertThat(sources).contains(KIT + "Command.java").hasSizeGreaterThan(500);
    assertThat(sources.stream().filter(ProcessStartsTest::starts))
        .allMatch(source -> source.startsWith(KIT))
        .isNotEmpty();
  }

  private static List<String> sources() throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .map(file -> ROOT.relativize(file).toString().replace('\\', '/'))
          .filter(file -> file.endsWith(".java") && PLACES.matcher(file).matches())
          .toList();
    }
  }

  private static boolean starts(String source) {
    try {
      return START.matcher(Files.readString(ROOT.resolve(source))).find();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
