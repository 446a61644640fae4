package io.punctual.docs;

import java.net.URI;
import javax.tools.Diagnostic;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;

final class SnippetSource extends SimpleJavaFileObject {
  private final String code;
  private final Snippet snippet;
  private final int linesBefore;

  SnippetSource(String className, String code, Snippet snippet, int linesBefore) {
    super(URI.create("string:///io/punctual/docs/" + className + ".java"), Kind.SOURCE);
    this.code = code;
    this.snippet = snippet;
    this.linesBefore = linesBefore;
  }

  @Override
  public CharSequence getCharContent(boolean ignoreEncodingErrors) {
    return code;
  }

  /** Returns the compiler's message with the page and the line of the error. */
  String describe(Diagnostic<? extends JavaFileObject> error) {
    long line = error.getLineNumber() - linesBefore - 1 + snippet.line();
    return snippet.page() + ":" + line + ": " + error.getMessage(null);
  }
}
