package io.punctual.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Ids and texts that a producer made up are shown as they are, and do nothing. */
@ExtendWith(Chromium.class)
class HostileNamesJourneyTest {
  private static final String[] IDS = {
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\u202Egnp.exe\u202C",
    " spaces at the ends ",
    "..",
    ".",
    "a/b/../c",
    "%2e%2e%2F",
    "?q=1#hash&x",
    "javascript:alert(1)",
    "${7*7}{{7*7}}",
    "ä€😀",
    "x".repeat(256)
  };

  @TempDir private Path folder;

  /** What nobody sees, or turns a text around, is shown by its number. */
  private static String visible(String id) {
    return id.replace("\u202E", "[U+202E]")
        .replace("\u202C", "[U+202C]")
        .replaceAll("^ | $", "\u2423");
  }

  @Test
  void hostileIds_areShown_opened_andLoadedAgain(Browser browser) {
    try (Console console = Console.open(browser, folder)) {
      for (String id : IDS) {
        console.schedule(
            "hostile",
            "{'id':'%s','delay':'1h','payload':'%s','headers':{'h':'%s'}}".formatted(id, id, id));
      }
      Visitor visitor = console.visitor();
      visitor.page.onDialog(
          dialog -> {
            throw new AssertionError("a text of a producer ran: " + dialog.message());
          });
      visitor.open("q/hostile");
      visitor.sees("tbody", "<script>");
      visitor.picture("hostile-ids");
      assertThat(visitor.sideways()).isZero();
      for (int i = 0; i < IDS.length; i++) {
        visitor.open("q/hostile");
        visitor.page.locator("tbody tr").nth(IDS.length - 1).waitFor();
        visitor.page.locator("tbody a.q").all().get(i).click();
        visitor.page.locator(".facts").waitFor();
        String shown = visitor.page.locator("main h1").textContent();
        assertThat(shown).isIn(Arrays.stream(IDS).map(HostileNamesJourneyTest::visible).toList());
        visitor.page.reload();
        visitor.page.locator(".facts").waitFor();
        assertThat(visitor.page.locator("main h1").textContent()).isEqualTo(shown);
        String payload = visitor.page.locator("pre").first().textContent();
        assertThat(payload).isIn(Arrays.stream(IDS).map(id -> '"' + id + '"').toList());
      }
      assertThat(visitor.sideways()).isZero();
    }
  }
}
