package io.punctual.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Request;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.WaitForSelectorState;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.assertj.core.api.Assertions;

/**
 * A person in front of the console. Each error in the browser's console, each refusal of the
 * content security policy and each request to another origin is a fault, which {@link #close}
 * tells.
 */
final class Visitor implements AutoCloseable {
  private static final double PATIENCE_MILLIS = 30_000;

  final Page page;
  private final BrowserContext context;
  private final URI root;
  private final List<String> faults = new ArrayList<>();
  private final List<Pattern> expected = new ArrayList<>();

  Visitor(Browser browser, URI root, Browser.NewContextOptions options) {
    this.root = root;
    context = browser.newContext(options);
    context.setDefaultTimeout(PATIENCE_MILLIS);
    page = context.newPage();
    page.onConsoleMessage(
        message -> {
          if (message.type().equals("error") || message.type().equals("warning")) {
            faults.add(message.type() + ": " + message.text() + " " + message.location());
          }
        });
    page.onPageError(error -> faults.add("exception: " + error));
    page.onRequest(this::judge);
  }

  private void judge(Request request) {
    String url = request.url();
    if (!url.startsWith(root.resolve("/").toString())
        && !url.startsWith("blob:")
        && !url.startsWith("data:")) {
      faults.add("request to another origin: " + url);
    }
  }

  /** Expects lines of the browser's console, such as those of answers with an error. */
  Visitor expect(String regex) {
    expected.add(Pattern.compile(regex));
    return this;
  }

  /** Shows a token at the door. */
  Visitor signIn(String token) {
    expect("401");
    open("");
    page.getByLabel("Token").fill(token);
    press("Sign in");
    page.locator("nav.rail").waitFor();
    return this;
  }

  /** Goes to a screen, such as {@code q/mail}. */
  Visitor open(String screen) {
    page.navigate(root + "/console/" + screen);
    page.locator("main h1").waitFor();
    return this;
  }

  /** Waits until the screen shows a text. */
  void sees(String text) {
    assertThat(page.locator("body")).containsText(text, patience());
  }

  /** Waits until a part of the screen shows a text. */
  void sees(String selector, String text) {
    assertThat(page.locator(selector).first()).containsText(text, patience());
  }

  /** Waits until the screen no longer shows a part. */
  void seesNo(String selector) {
    page.locator(selector)
        .first()
        .waitFor(new Locator.WaitForOptions().setState(WaitForSelectorState.DETACHED));
  }

  private static LocatorAssertions.ContainsTextOptions patience() {
    return new LocatorAssertions.ContainsTextOptions().setTimeout(PATIENCE_MILLIS);
  }

  Locator button(String name) {
    return page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name)).first();
  }

  void press(String name) {
    button(name).click();
  }

  /** Fills a field of the open dialog. */
  void fill(String label, String value) {
    page.locator("dialog").getByLabel(label).fill(value);
  }

  /** Presses the button that ends the open dialog. */
  void confirm() {
    page.locator("dialog footer button:not([type=button])").click();
    seesNo("dialog");
  }

  /** Keeps a picture beside the other results of the build. */
  Visitor picture(String name) {
    page.screenshot(
        new Page.ScreenshotOptions().setPath(Path.of("target/pictures/" + name + ".png")));
    return this;
  }

  /** Returns how many pixels the page is wider than its window. */
  int sideways() {
    return ((Number)
            page.evaluate(
                "() => document.documentElement.scrollWidth -"
                    + " document.documentElement.clientWidth"))
        .intValue();
  }

  /** Returns the list of texts that a function of the page returns. */
  List<String> texts(String function) {
    return ((List<?>) page.evaluate(function)).stream().map(String::valueOf).toList();
  }

  /** Returns the name of the running test. */
  private static String test() {
    return StackWalker.getInstance()
        .walk(
            frames ->
                frames
                    .filter(frame -> frame.getClassName().endsWith("Test"))
                    .reduce((inner, outer) -> outer)
                    .map(StackWalker.StackFrame::getMethodName)
                    .orElse("last"));
  }

  /** Closes the window, of whose last state a picture is kept, and refuses faults that it had. */
  @Override
  public void close() {
    if (!page.isClosed()) {
      picture(test());
    }
    context.close();
    faults.removeIf(fault -> expected.stream().anyMatch(each -> each.matcher(fault).find()));
    Assertions.assertThat(faults).as("faults in the browser").isEmpty();
  }
}
