package io.punctual.spring.boot.autoconfigure;

import io.punctual.spring.ListenerDefinitionException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains a start that fails because of a wrong listener. */
final class ListenerDefinitionFailureAnalyzer
    extends AbstractFailureAnalyzer<ListenerDefinitionException> {
  @Override
  protected FailureAnalysis analyze(Throwable root, ListenerDefinitionException cause) {
    return new FailureAnalysis(cause.problem(), cause.remedy() + ".", cause);
  }
}
