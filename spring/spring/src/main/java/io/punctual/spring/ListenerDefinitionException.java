package io.punctual.spring;

import org.springframework.core.NestedRuntimeException;

/** A {@link PunctualListener} that can't work; the message names the method and the remedy. */
public final class ListenerDefinitionException extends NestedRuntimeException {
  private static final long serialVersionUID = 1;

  private final String remedy;

  ListenerDefinitionException(String method, String problem, String remedy) {
    super("@PunctualListener on " + method + ": " + problem + ". " + remedy);
    this.remedy = remedy;
  }

  ListenerDefinitionException(String method, String problem, String remedy, Throwable cause) {
    super("@PunctualListener on " + method + ": " + problem + ". " + remedy, cause);
    this.remedy = remedy;
  }

  /** Returns the sentence that says what to do. */
  public String remedy() {
    return remedy;
  }
}
