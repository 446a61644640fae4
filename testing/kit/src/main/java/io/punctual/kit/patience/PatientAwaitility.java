package io.punctual.kit.patience;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Sets the default time-out of Awaitility to a minute, because a busy machine may pause a process
 * for longer than Awaitility's own default of ten seconds. JUnit finds the extension by its service
 * file. Stateless.
 */
public final class PatientAwaitility implements BeforeAllCallback {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  /** Constructor for JUnit. */
  public PatientAwaitility() {}

  @Override
  public void beforeAll(ExtensionContext context) {
    Awaitility.setDefaultTimeout(TIMEOUT);
  }
}
