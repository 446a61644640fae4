package io.punctual.spring.boot.autoconfigure;

import io.punctual.Startup;
import io.punctual.StoreUnavailableException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.env.Environment;

/** Explains a start that fails because the store does not answer. */
final class StoreFailureAnalyzer extends AbstractFailureAnalyzer<StoreUnavailableException> {
  private final Environment environment;

  StoreFailureAnalyzer(Environment environment) {
    this.environment = environment;
  }

  @Override
  protected FailureAnalysis analyze(Throwable root, StoreUnavailableException cause) {
    return new FailureAnalysis(
        "The store of Punctual can't be reached: " + cause.getMessage(), action(), cause);
  }

  private String action() {
    if (startsInTheBackground()) {
      return "The application has started without the store, as"
          + " punctual.startup.on-unavailable=background says, and then a call needed the store."
          + " Catch this exception in the call, for example in an ApplicationRunner, or call the"
          + " store later; or set punctual.startup.on-unavailable=wait, so that the application"
          + " waits for the store.";
    }
    String test =
        " A test with @AutoConfigurePunctualTest of punctual-spring-boot-test needs no store.";
    if (environment.getProperty("punctual.url", "").startsWith("journal:")) {
      return "If a different process has the journal open, such as a second instance of the"
          + " application, stop it, or name a folder of its own by punctual.url: a journal belongs"
          + " to one process. For several processes, use redis: or jdbc:. With"
          + " punctual.startup.on-unavailable=wait the application waits until the journal is"
          + " free."
          + test;
    }
    return "Start the server, or correct punctual.url. With"
        + " punctual.startup.on-unavailable=wait the application waits for the store, and with"
        + " background it starts without the store."
        + test;
  }

  private boolean startsInTheBackground() {
    return Binder.get(environment)
        .bind("punctual.startup.on-unavailable", Startup.class)
        .map(startup -> startup == Startup.BACKGROUND)
        .orElse(false);
  }
}
