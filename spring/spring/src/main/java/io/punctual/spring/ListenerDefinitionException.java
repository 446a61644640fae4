package io.punctual.spring;

import org.springframework.core.NestedRuntimeException;

/**
 * Thrown if the method or the options of a {@link PunctualListener} are wrong. The message names
 * the method and the remedy.
 */
public final class ListenerDefinitionException extends NestedRuntimeException {
  private static final long serialVersionUID = 1;

  private final String problem;
  private final String remedy;

  ListenerDefinitionException(String method, String problem, String remedy) {
    super(text(method, problem) + " " + remedy);
    this.problem = text(method, problem);
    this.remedy = remedy;
  }

  ListenerDefinitionException(String method, String problem, String remedy, Throwable cause) {
    super(text(method, problem) + " " + remedy, cause);
    this.problem = text(method, problem);
    this.remedy = remedy;
  }

  private static String text(String method, String problem) {
    return "@PunctualListener on " + method + ": " + problem + ".";
  }

  /** Returns the sentence that names the method and the problem. */
  public String problem() {
    return problem;
  }

  /** Returns the sentence with the remedy. */
  public String remedy() {
    return remedy;
  }
}
