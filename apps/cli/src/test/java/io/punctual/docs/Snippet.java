package io.punctual.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A fenced {@code java} block of a Markdown page.
 *
 * @param line the number of its first line in the page, from 1
 */
record Snippet(Path page, int line, List<String> lines) {
  /** Returns the snippets of a page, in their order. */
  static List<Snippet> of(Path page) throws IOException {
    List<Snippet> snippets = new ArrayList<>();
    List<String> lines = Files.readAllLines(page);
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).strip().equals("```java")) {
        int end = i + 1;
        while (!lines.get(end).strip().equals("```")) {
          end++;
        }
        snippets.add(new Snippet(page, i + 2, List.copyOf(lines.subList(i + 1, end))));
        i = end;
      }
    }
    return snippets;
  }

  /**
   * Returns a class with the snippet as the body of a method. The superclass declares the fields,
   * methods and types that the snippet uses.
   */
  SnippetSource source(String className) {
    StringBuilder code = new StringBuilder("package io.punctual.docs;\n");
    SnippetImports.PACKAGES.forEach(name -> code.append("import ").append(name).append(";\n"));
    lines.stream().filter(Snippet::isImport).forEach(line -> code.append(line).append('\n'));
    code.append("abstract class ").append(className).append(" extends SnippetFixtures {\n");
    code.append("void snippet() throws Exception {\n");
    int linesBefore = (int) code.chars().filter(c -> c == '\n').count();
    for (String line : lines) {
      // The class of a whole program becomes a local class, which has no visibility.
      code.append(isImport(line) ? "" : line.replaceFirst("^public class", "class")).append('\n');
    }
    code.append("}\n}\n");
    return new SnippetSource(className, code.toString(), this, linesBefore);
  }

  private static boolean isImport(String line) {
    return line.startsWith("import ");
  }
}
