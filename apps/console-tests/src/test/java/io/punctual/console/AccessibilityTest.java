package io.punctual.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ForcedColors;
import com.microsoft.playwright.options.ReducedMotion;
import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.RetryPolicy;
import io.punctual.WorkerOptions;
import io.punctual.kit.process.Waiting;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Everybody can read and use all screens: by keyboard, enlarged, in high contrast. */
@ExtendWith(Chromium.class)
class AccessibilityTest {
  static final String[] SCREENS = {
    "",
    "queues",
    "q/mail",
    "q/mail?state=READY",
    "q/mail/m/m-1",
    "q/mail/m/unknown",
    "dead",
    "q/cards/dead",
    "q/cards/m/c-1",
    "recurring",
    "workers",
    "webhooks",
    "webhooks/crm",
    "tasks",
    "audit",
    "nothing"
  };

  private static final String[] MAIN_SCREENS = {"", "q/mail", "q/cards/dead", "tasks"};

  /** What is beside the window without a way to scroll there, or is cut without a sign. */
  private static final String CUT =
      """
      () => [...document.querySelectorAll('body *')].filter((e) => {
        const box = e.getBoundingClientRect(), style = getComputedStyle(e);
        if (!box.width || !box.height || e.closest('.vh, svg svg, title')) return false;
        let parent = e.parentElement;
        while (parent && !/auto|scroll/.test(getComputedStyle(parent).overflowX)) parent = parent.parentElement;
        const beside = !parent && (box.right > document.documentElement.clientWidth + 1 || box.left < -1);
        const cut = style.overflowX === 'hidden' && e.scrollWidth > e.clientWidth + 1 && style.textOverflow !== 'ellipsis';
        return beside || (cut && !e.closest('svg, .find, b.hot'));
      }).map((e) => e.outerHTML.slice(0, 120))
      """;

  /** Where the focus is, whether it can be seen there, and a mark that it was there. */
  private static final String FOCUS =
      """
      () => {
        const e = document.activeElement, style = e && getComputedStyle(e), find = e?.closest('.find');
        if (!e || e === document.body) return 'none';
        const again = e.hasAttribute('data-was-here');
        e.setAttribute('data-was-here', '');
        const visible = (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) || (find && getComputedStyle(find).boxShadow !== 'none');
        return again ? 'again' : visible ? 'visible' : 'not visible: ' + e.outerHTML.slice(0, 120);
      }
      """;

  private static final String NEVER_FOCUSED =
      """
      () => [...document.querySelectorAll('a[href], button:not(:disabled), input, select, textarea, [tabindex="0"]')]
        .filter((e) => e.checkVisibility() && !e.hasAttribute('data-was-here')).map((e) => e.outerHTML.slice(0, 120))
      """;

  @TempDir private Path folder;

  /** Fills all screens. */
  static void fill(Console console, Punctual workers) {
    console.scheduleMany("mail", 120, 30);
    console.schedule("mail", "[{'id':'due-1','payload':1},{'id':'due-2','payload':2}]");
    console.schedule("rests", "{'id':'a','payload':1}");
    console.send("PUT", "/v1/queues/rests/pause", "{'reason':'deployment'}");
    console.send("PUT", "/v1/queues/mail/limits", "{'rate':100}");
    console.schedule(
        "reports",
        "{'id':'daily','payload':1,'recurrence':{'cron':'0 9 * *"
            + " MON-FRI','zone':'Europe/Berlin'}}");
    console.send("PUT", "/v1/webhooks/crm", "{'queue':'calls','url':'https://crm.example/hook'}");
    console.schedule("cards", "[{'id':'c-1','payload':{'a':'b'}},{'id':'c-2','payload':[1,2]}]");
    workers
        .queue("cards", Codec.bytes())
        .work(
            WorkerOptions.builder().retryPolicy(RetryPolicy.never()).build(),
            delivery -> {
              throw new IllegalStateException("card declined");
            });
    Waiting.until(
        "they are dead", () -> console.send("GET", "/v1/queues/cards", "").contains("\"dead\":2"));
    console.send(
        "POST", "/v1/tasks", "{'queue':'mail','action':'cancel','dryRun':true,'reason':'count'}");
  }

  @Test
  void axeFindsNoViolation_onTheMainScreens(Browser browser) {
    axe(browser, MAIN_SCREENS);
  }

  @Test
  @Tag("extended")
  void axeFindsNoViolation_onAllScreens(Browser browser) {
    axe(browser, SCREENS);
  }

  /** Looks at screens in both themes. */
  private void axe(Browser browser, String... screens) {
    try (Console console = Console.open(browser, folder);
        Punctual workers = Punctual.open(console.address().toString())) {
      fill(console, workers);
      Visitor visitor = console.visitor().expect("404");
      List<String> violations = new ArrayList<>();
      for (String screen : screens) {
        visitor.open(screen).picture(name(screen) + "-light");
        look(screen, new AxeBuilder(visitor.page), violations);
        // A theme changes the colours alone.
        visitor.page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.DARK));
        visitor.picture(name(screen) + "-dark");
        look(
            screen + " (dark)",
            new AxeBuilder(visitor.page).withRules(List.of("color-contrast")),
            violations);
        visitor.page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.LIGHT));
      }
      assertThat(violations).isEmpty();
    }
  }

  @Test
  void axeFindsNoViolation_atTheDoorAndInADialog(Browser browser) {
    Tokens tokens = new Tokens();
    String ann = tokens.add("ann", "{observe: '*', operate: '*', produce: '*'}");
    try (Console console = Console.open(browser, folder, "memory:", tokens.yaml())) {
      Visitor visitor = console.visitor().expect("401");
      List<String> violations = new ArrayList<>();
      visitor.open("").picture("sign-in");
      double left = visitor.page.locator(".sign-in").boundingBox().x;
      assertThat(left).as("the form is in the middle").isGreaterThan(300);
      look("sign-in", new AxeBuilder(visitor.page), violations);
      visitor.signIn(ann).press("local time");
      visitor.page.locator("dialog select").waitFor();
      look("dialog", new AxeBuilder(visitor.page), violations);
      assertThat(violations).isEmpty();
    }
  }

  private static void look(String screen, AxeBuilder axe, List<String> violations) {
    axe.analyze()
        .getViolations()
        .forEach(
            rule ->
                rule.getNodes()
                    .forEach(
                        node ->
                            violations.add(screen + ": " + rule.getId() + " " + node.getHtml())));
  }

  private static String name(String screen) {
    return screen.isEmpty() ? "overview" : screen.replaceAll("[^A-Za-z0-9]+", "-");
  }

  private void onEachScreen(
      Browser browser, Browser.NewContextOptions options, String[] screens, OnScreen look) {
    try (Console console = Console.open(browser, folder);
        Punctual workers = Punctual.open(console.address().toString())) {
      fill(console, workers);
      Visitor visitor = console.visitor(console.address(), options).expect("404");
      for (String screen : screens) {
        visitor.open(screen);
        look.at(visitor, screen);
      }
    }
  }

  private interface OnScreen {
    void at(Visitor visitor, String screen);
  }

  @Test
  void nothingIsCut_norMovesSideways_at320Pixels(Browser browser) {
    onEachScreen(
        browser,
        new Browser.NewContextOptions().setViewportSize(320, 700),
        SCREENS,
        (visitor, screen) -> {
          visitor.picture(name(screen) + "-320");
          assertThat(visitor.sideways()).as(screen).isZero();
          assertThat(visitor.texts(CUT)).as(screen).isEmpty();
        });
  }

  /** A window of 1280 pixels at 200 % has 640 pixels. */
  @Test
  void nothingIsCut_norMovesSideways_at200Percent(Browser browser) {
    onEachScreen(
        browser,
        new Browser.NewContextOptions().setViewportSize(640, 400).setDeviceScaleFactor(2),
        SCREENS,
        (visitor, screen) -> {
          visitor.picture(name(screen) + "-200-percent");
          assertThat(visitor.sideways()).as(screen).isZero();
          assertThat(visitor.texts(CUT)).as(screen).isEmpty();
        });
  }

  @Test
  void keyboardReachesEverything_andTheFocusIsVisible_onTheMainScreens(Browser browser) {
    keyboard(browser, MAIN_SCREENS);
  }

  @Test
  @Tag("extended")
  void keyboardReachesEverything_andTheFocusIsVisible_onAllScreens(Browser browser) {
    keyboard(browser, SCREENS);
  }

  private void keyboard(Browser browser, String... screens) {
    onEachScreen(
        browser,
        new Browser.NewContextOptions(),
        screens,
        (visitor, screen) -> {
          // The page is live, so that a button can come behind the focus.
          boolean isDone = false;
          for (int i = 0; i < 400 && !isDone; i++) {
            visitor.page.keyboard().press("Tab");
            String focus = String.valueOf(visitor.page.evaluate(FOCUS));
            assertThat(focus).as(screen).doesNotStartWith("not visible");
            isDone = focus.equals("again") && visitor.texts(NEVER_FOCUSED).isEmpty();
          }
          assertThat(visitor.texts(NEVER_FOCUSED)).as(screen).isEmpty();
        });
  }

  @Test
  void barsOfTheChart_byKeyboard(Browser browser) {
    try (Console console = Console.open(browser, folder)) {
      console.schedule(
          "mail",
          "[{'id':'a','payload':1,'delay':'1h'},{'id':'b','payload':1,'delay':'2h'},"
              + "{'id':'c','payload':1,'delay':'2h'}]");
      Visitor visitor = console.visitor();
      visitor.open("q/mail").sees("tbody", "c");
      visitor.page.locator("rect.hit[tabindex='0']").focus();
      visitor.page.keyboard().press("ArrowRight");
      visitor.page.keyboard().press("Enter");
      visitor.sees(".bar", "select all 2");
      visitor.seesNo("tbody tr:nth-child(3)");
      visitor.page.locator("rect.hit:focus").waitFor();
      visitor.page.keyboard().press("ArrowLeft");
      visitor.page.keyboard().press("Shift+Enter");
      visitor.sees(".bar", "select all 3");
    }
  }

  @Test
  void nothingMoves_forWhoWantsLessMotion(Browser browser) {
    onEachScreen(
        browser,
        new Browser.NewContextOptions().setReducedMotion(ReducedMotion.REDUCE),
        MAIN_SCREENS,
        (visitor, screen) ->
            assertThat(visitor.page.evaluate("() => document.getAnimations().length"))
                .as(screen)
                .isEqualTo(0));
  }

  @Test
  void forcedColours_keepTheMeaningOfTheChart_andShowWhatIsChosen(Browser browser) {
    onEachScreen(
        browser,
        new Browser.NewContextOptions().setForcedColors(ForcedColors.ACTIVE),
        MAIN_SCREENS,
        (visitor, screen) -> {
          visitor.picture(name(screen) + "-forced-colours");
          Object here =
              visitor.page.evaluate(
                  "() => getComputedStyle(document.querySelector('.nav.here')).outlineStyle");
          assertThat(here).isEqualTo("solid");
          if (screen.isEmpty()) {
            Object colours =
                visitor.page.evaluate(
                    "() => new Set([...document.querySelectorAll('.key i')].map((e) =>"
                        + " getComputedStyle(e).backgroundColor)).size");
            assertThat(colours).isEqualTo(4);
          }
        });
  }
}
