package io.punctual.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The public names of all published modules: none needs backticks in Kotlin, and no type has the
 * name of a type that most programs import from the JDK. The test parses the sources, because some
 * of the modules are compiled after this module.
 */
class PublicNamesTest {
  private static final Path ROOT = Path.of("../..");
  private static final Set<String> UNPUBLISHED = Set.of("kit", "benchmarks");

  @Test
  void noPublicName_isAKeywordOfKotlinOrATypeOfTheJdk() throws IOException {
    PublicNames names = PublicNames.of(publishedSources());
    assertThat(names.types()).contains("Punctual", "WorkerOptions", "DueTimer", "JournalStore");
    assertThat(names.members()).contains("forFailure", "scheduleAll", "SCHEDULED");
    assertThat(keywordsIn(names.types())).isEmpty();
    assertThat(keywordsIn(names.members())).isEmpty();
    assertThat(namesOfTheJdkIn(names.types())).isEmpty();
  }

  @Test
  void keywordsAndJdkNames_areFound() {
    PublicNames names =
        PublicNames.ofText(
            """
            package io.example;
            public interface Timer {
              void when();
              record Instant(int in) {}
              enum Kind { is }
              class Open { public int val; protected void fun() {} private void typeof() {} }
            }
            class Optional { public void object() {} }
            """);
    assertThat(keywordsIn(names.members())).containsExactly("fun", "in", "is", "val", "when");
    assertThat(namesOfTheJdkIn(names.types())).containsExactly("Instant", "Timer");
  }

  private static Set<String> keywordsIn(Set<String> names) {
    Set<String> keywords =
        Set.of(
            ("as break class continue do else false for fun if in interface is null object package"
                    + " return super this throw true try typealias typeof val var when while")
                .split(" "));
    Set<String> found = new TreeSet<>(names);
    found.retainAll(keywords);
    return found;
  }

  private static Set<String> namesOfTheJdkIn(Set<String> types) {
    Set<String> found = new TreeSet<>(types);
    found.retainAll(namesOfTheJdk());
    return found;
  }

  private static Set<String> namesOfTheJdk() {
    FileSystem jdk = FileSystems.getFileSystem(URI.create("jrt:/"));
    return Stream.of("java/util", "java/util/concurrent", "java/time")
        .flatMap(folder -> list(jdk.getPath("modules/java.base", folder)))
        .map(path -> path.getFileName().toString())
        .filter(name -> name.endsWith(".class") && !name.contains("$"))
        .map(name -> name.substring(0, name.length() - ".class".length()))
        .collect(Collectors.toSet());
  }

  private static Stream<Path> list(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList().stream();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the sources of the packages that a published module exports. */
  private static List<Path> publishedSources() throws IOException {
    try (Stream<Path> files = Files.find(ROOT, 12, (path, is) -> isModule(path))) {
      return files.map(Path::getParent).flatMap(PublicNamesTest::exported).toList();
    }
  }

  private static boolean isModule(Path path) {
    return path.endsWith("src/main/java/module-info.java")
        && !UNPUBLISHED.contains(path.getName(path.getNameCount() - 5).toString());
  }

  private static Stream<Path> exported(Path sources) {
    return PublicNames.exports(sources.resolve("module-info.java")).stream()
        .flatMap(name -> list(sources.resolve(name.replace('.', '/'))))
        .filter(path -> path.toString().endsWith(".java"));
  }
}
