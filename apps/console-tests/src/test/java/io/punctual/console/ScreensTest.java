package io.punctual.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.kit.process.Waiting;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What is true of all screens. */
@ExtendWith(Chromium.class)
class ScreensTest {
  @TempDir private Path folder;

  @Test
  void keyboardAlone_findsOpensPausesAndResumes(Browser browser) {
    try (Console console = Console.open(browser, folder)) {
      console.schedule("alpha", "{'id':'a','payload':1,'delay':'1h'}");
      console.schedule("beta", "{'id':'b','payload':1,'delay':'1h'}");
      Visitor visitor = console.visitor().open("");
      visitor.page.keyboard().press("?");
      visitor.sees("dialog", "try one first");
      visitor.page.keyboard().press("Escape");
      visitor.seesNo("dialog");
      visitor.page.keyboard().type("gq");
      visitor.sees("main h1", "Queues");
      visitor.page.locator("tbody tr").nth(1).waitFor();
      visitor.page.keyboard().press("j");
      visitor.page.keyboard().press("j");
      visitor.sees("tr.cursor", "beta");
      visitor.page.keyboard().press("Enter");
      visitor.sees("main h1", "beta");
      visitor.page.locator("[data-key=pause]").waitFor();
      visitor.page.keyboard().press("p");
      visitor.sees("dialog h2", "Pause beta");
      visitor.page.locator("dialog input:focus").waitFor();
      visitor.page.keyboard().type("a reason");
      visitor.page.keyboard().press("Enter");
      visitor.sees(".diagnosis", "(a reason)");
      visitor.page.keyboard().press("p");
      visitor.sees(".toast", "beta runs again");
    }
  }

  @Test
  void escapeBeforeADialogIsShown_closesIt(Browser browser) {
    try (Console console = Console.open(browser, folder)) {
      Visitor visitor = console.visitor().open("");
      Object dialogs =
          visitor.page.evaluate(
              """
              async () => {
                for (const key of ['?', 'Escape']) {
                  document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
                }
                for (let i = 0; i < 4; i++) await new Promise(requestAnimationFrame);
                return document.querySelectorAll('dialog').length;
              }
              """);
      assertThat(dialogs).isEqualTo(0);
      visitor.page.keyboard().press("?");
      visitor.sees("dialog[open]", "try one first");
    }
  }

  @Test
  void firstRun_examplesComeAndGo(Browser browser) {
    try (Console console = Console.open(browser, folder)) {
      Visitor visitor = console.visitor();
      visitor.open("").sees("main h1", "The server runs. Nothing is scheduled yet.");
      visitor.sees(".first", console.address() + "/v1/queues/reminders");
      visitor.picture("first-run");
      visitor.press("Schedule 500 example messages");
      visitor.sees(".toast", "500 messages are due");
      visitor.sees("tbody", "demo");
      visitor.press("Remove them");
      visitor.sees("main h1", "Nothing is scheduled yet");
    }
  }

  @Test
  void subPathBehindAProxy(Browser browser) {
    try (Console console = Console.open(browser, folder);
        SubPathProxy proxy = SubPathProxy.start("/tools/punctual", console.address())) {
      console.schedule("mail", "{'id':'a','payload':1,'delay':'1h'}");
      Visitor visitor = console.visitor(proxy.address(), new Browser.NewContextOptions());
      visitor.open("q/mail").sees("tbody", "a");
      visitor.sees(".right", "live");
      visitor.page.locator("tbody a.q").first().click();
      visitor.sees("main h1", "a");
      visitor.page.reload();
      visitor.sees("main h1", "a");
      visitor.page.locator("nav.rail a").first().click();
      visitor.sees("tbody", "mail");
      assertThat(visitor.page.url()).isEqualTo(proxy.address() + "/console/");
      // Before the proxy, whose end would cut the stream of events.
      visitor.close();
    }
  }

  @Test
  @Tag("extended")
  void tenThousandQueues_areFoundAndPaged(Browser browser) {
    try (Console console = Console.open(browser, folder);
        Punctual filler = Punctual.open(console.address().toString())) {
      for (int i = 0; i < 10_000; i++) {
        String name = "tenant-" + i;
        Waiting.until("a message is in " + name, () -> isScheduled(filler, name));
      }
      Visitor visitor = console.visitor();
      visitor.open("").sees("nav.rail", "1,000+");
      visitor.open("queues?sort=name").sees("tbody", "tenant-0");
      visitor.press("Next page");
      visitor.sees("tbody", "tenant-1");
      visitor.page.getByPlaceholder("names that begin with …").fill("tenant-9999");
      visitor.page.keyboard().press("Enter");
      visitor.sees("tbody", "tenant-9999");
      assertThat(visitor.page.locator("tbody tr").count()).isEqualTo(1);
    }
  }

  /** Schedules a message with an id, so that it can be sent again when a connection was lost. */
  private static boolean isScheduled(Punctual filler, String queue) {
    try {
      filler
          .queue(queue, Codec.string())
          .schedule(Message.of("x").dueIn(Duration.ofHours(1)).id("only"));
      return true;
    } catch (PunctualException e) {
      return false;
    }
  }
}
