package io.punctual.spring.boot.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains a start with a wrong setting, for example a URL whose store is not on the class path.
 */
final class WrongSettingFailureAnalyzer extends AbstractFailureAnalyzer<WrongSettingException> {
  @Override
  protected FailureAnalysis analyze(Throwable root, WrongSettingException cause) {
    return new FailureAnalysis(
        "A setting of Punctual is wrong: " + cause.getMessage(),
        "Correct the properties punctual.*. The store of punctual.url needs its module as a"
            + " dependency: punctual-journal for journal:, punctual-redis for redis:, and"
            + " punctual-jdbc for jdbc:.",
        cause);
  }
}
