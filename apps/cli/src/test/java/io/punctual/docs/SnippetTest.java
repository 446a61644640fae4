package io.punctual.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compiles each Java snippet of the README and the pages, except those marked {@code java spring}.
 */
class SnippetTest {
  private static final Path ROOT = Path.of("../..");

  @Test
  void everySnippetCompiles(@TempDir Path classes) throws IOException {
    List<SnippetSource> sources = new ArrayList<>();
    for (Path page : pages()) {
      if (page.endsWith("spring.md")) {
        // Spring is not on this class path; samples/shop compiles the calls of that page.
        continue;
      }
      for (Snippet snippet : Snippet.of(page)) {
        sources.add(snippet.source("Snippet" + sources.size()));
      }
    }
    assertThat(sources).hasSizeGreaterThan(20);
    assertThat(errors(sources, classes)).isEmpty();
  }

  static List<Path> pages() throws IOException {
    try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      List<Path> pages =
          new ArrayList<>(
              docs.filter(path -> path.toString().endsWith(".md"))
                  .filter(path -> !path.toString().contains("node_modules"))
                  .sorted()
                  .toList());
      pages.add(ROOT.resolve("README.md"));
      return pages;
    }
  }

  private static List<String> errors(List<SnippetSource> sources, Path classes) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();

    List<String> options =
        List.of(
            "-proc:none",
            "-implicit:none",
            "-d",
            classes.toString(),
            "-cp",
            System.getProperty("java.class.path"));
    compiler.getTask(null, null, found, options, null, sources).call();
    return found.getDiagnostics().stream()
        .filter(diagnostic -> diagnostic.getKind() == Diagnostic.Kind.ERROR)
        .map(SnippetTest::describe)
        .toList();
  }

  private static String describe(Diagnostic<? extends JavaFileObject> error) {
    return error.getSource() instanceof SnippetSource source
        ? source.describe(error)
        : error.getMessage(null);
  }
}
