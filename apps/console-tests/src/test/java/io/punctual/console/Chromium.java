package io.punctual.console;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests the installed Chromium, started once for all. Without it, the tests are skipped.
 * Playwright serves one thread at a time.
 */
final class Chromium implements ExecutionCondition, ParameterResolver {
  private static final Path PROGRAM = Path.of("/usr/bin/chromium");

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    return Files.isExecutable(PROGRAM)
        ? ConditionEvaluationResult.enabled("Chromium is installed")
        : ConditionEvaluationResult.disabled(
            PROGRAM + " is not installed: apt-get install chromium, or .ci/install-servers");
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Browser.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return context
        .getRoot()
        .getStore(ExtensionContext.Namespace.create(Chromium.class))
        .computeIfAbsent(Running.class)
        .browser;
  }

  /** The browser, which the end of the test run closes. */
  static final class Running implements AutoCloseable {
    private final Playwright playwright;
    private final Browser browser;

    Running() {
      Map<String, String> environment = new HashMap<>(System.getenv());
      environment.put("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
      playwright = Playwright.create(new Playwright.CreateOptions().setEnv(environment));
      browser =
          playwright.chromium().launch(new BrowserType.LaunchOptions().setExecutablePath(PROGRAM));
    }

    @Override
    public void close() {
      browser.close();
      playwright.close();
    }
  }
}
