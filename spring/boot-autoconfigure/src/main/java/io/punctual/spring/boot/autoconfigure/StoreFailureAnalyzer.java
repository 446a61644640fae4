package io.punctual.spring.boot.autoconfigure;

import io.punctual.StoreUnavailableException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains a start that fails because the store does not answer. */
final class StoreFailureAnalyzer extends AbstractFailureAnalyzer<StoreUnavailableException> {
  @Override
  protected FailureAnalysis analyze(Throwable root, StoreUnavailableException cause) {
    return new FailureAnalysis(
        "The store of Punctual can't be reached: " + cause.getMessage(),
        "Start the server, or correct punctual.url. With"
            + " punctual.startup.on-unavailable=wait the application waits for the store, and with"
            + " background it starts without the store. A test with @AutoConfigurePunctualTest of"
            + " punctual-spring-boot-test needs no store.",
        cause);
  }
}
