package io.punctual.kit.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
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
    List<String> sources = new ArrayList<>();
    Path unused =
        Files.walkFileTree(
            ROOT,
            new SimpleFileVisitor<>() {
              /** Skips build output, because other modules change theirs meanwhile. */
              @Override
              public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes unused) {
                String name = folder.getFileName().toString();
                boolean isOutput = name.equals("target") || name.startsWith(".");
                return isOutput && !folder.equals(ROOT)
                    ? FileVisitResult.SKIP_SUBTREE
                    : FileVisitResult.CONTINUE;
              }

              @Override
              public FileVisitResult visitFile(Path file, BasicFileAttributes unused) {
                String source = ROOT.relativize(file).toString().replace('\\', '/');
                if (source.endsWith(".java") && PLACES.matcher(source).matches()) {
                  sources.add(source);
                }
                return FileVisitResult.CONTINUE;
              }
            });
    return sources;
  }

  private static boolean starts(String source) {
    try {
      return START.matcher(Files.readString(ROOT.resolve(source))).find();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
