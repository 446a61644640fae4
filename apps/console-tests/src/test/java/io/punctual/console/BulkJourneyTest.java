package io.punctual.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import io.punctual.kit.process.Waiting;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Somebody changes all messages of a bar at once. */
@ExtendWith(Chromium.class)
class BulkJourneyTest {
  private static final Duration SPAN = Duration.ofMinutes(5);

  /** The begin of a bar. */
  private final Instant begin =
      Instant.ofEpochMilli((System.currentTimeMillis() / SPAN.toMillis() + 12) * SPAN.toMillis());

  @TempDir private Path folder;
  private final List<String> messages = new ArrayList<>();

  @BeforeEach
  void messages() {
    for (int i = 0; i < 1300; i++) {
      Instant due = begin.plusSeconds(i < 1200 ? i % 300 : 3600);
      messages.add("{'id':'m-%d','payload':%d,'dueAt':'%s'}".formatted(i, i, due));
    }
  }

  private Visitor atTheBar(Console console) {
    console.schedule("mail", "[" + String.join(",", messages.subList(0, 1000)) + "]");
    console.schedule("mail", "[" + String.join(",", messages.subList(1000, 1300)) + "]");
    Visitor visitor = console.visitor();
    visitor.open("q/mail");
    visitor.page.locator("rect.hit", new Page.LocatorOptions().setHasText("1,200 due")).click();
    visitor.sees(".bar", "select all 1,200");
    visitor.press("select all 1,200");
    visitor.sees(".bar", "all 1,200 selected");
    return visitor;
  }

  private static long count(Console console) {
    String counts = console.send("GET", "/v1/queues/mail", "");
    return Long.parseLong(counts.replaceAll("(?s).*\"scheduled\":(\\d+).*", "$1"));
  }

  @Test
  void cancelOfAllOfABar_undone_thenDone(Browser browser) {
    try (Console console = Console.open(browser, folder)) {
      Visitor visitor = atTheBar(console);
      visitor.picture("all-of-a-bar");
      visitor.press("Cancel");
      visitor.fill("More than 1,000 messages", "mail");
      visitor.confirm();
      visitor.sees(".toast", "Cancel 1,200: starts in 5 s");
      visitor.press("Undo");
      visitor.sees(".toast", "Nothing was changed");
      assertThat(count(console)).isEqualTo(1300);
      Waiting.until(
          "the task is cancelled",
          () -> console.send("GET", "/v1/tasks", "").contains("\"CANCELLED\""));

      visitor.press("select all 1,200");
      visitor.press("Cancel");
      visitor.fill("Why?", "wrong import");
      visitor.fill("More than 1,000 messages", "mail");
      visitor.confirm();
      Waiting.until("all of the bar are gone", () -> count(console) == 100);
      visitor.open("audit").sees("tbody", "wrong import");
    }
  }

  @Test
  void answerIsLost_theChangeIsConfirmedAgain_andIsOneTask(Browser browser) {
    try (Console console = Console.open(browser, folder)) {
      Visitor visitor = atTheBar(console).expect("ERR_FAILED");
      visitor.page.route(
          "**/v1/tasks",
          route -> {
            route.fetch();
            route.abort();
          },
          new Page.RouteOptions().setTimes(1));
      visitor.press("Cancel");
      visitor.fill("More than 1,000 messages", "mail");
      visitor.page.locator("dialog footer button:not([type=button])").click();
      visitor.sees("dialog [role=alert]", "The server does not answer");
      visitor.confirm();
      visitor.sees(".toast", "starts in 5 s");
      assertThat(console.send("GET", "/v1/tasks", "").split("\"createdAt\"", -1)).hasSize(2);
      visitor.press("Undo");
      visitor.sees(".toast", "Nothing was changed");
    }
  }

  @Test
  @Tag("extended")
  void shiftOfAllOfABar_toEarlier(Browser browser) {
    try (Console console = Console.open(browser, folder)) {
      Visitor visitor = atTheBar(console);
      visitor.press("Reschedule");
      visitor.fill("Shift by", "-10m");
      visitor.page.locator("dialog footer button:not([type=button])").click();
      visitor.fill("More than 1,000 messages", "mail");
      visitor.confirm();
      Waiting.until(
          "it is due 10 minutes earlier",
          () ->
              console
                  .send("GET", "/v1/queues/mail/messages/m-0", "")
                  .contains(begin.minusSeconds(600).toString().substring(0, 19)));
      assertThat(count(console)).isEqualTo(1300);
    }
  }

  @Test
  @Tag("extended")
  void runOfAllOfABar(Browser browser) {
    try (Console console = Console.open(browser, folder)) {
      Visitor visitor = atTheBar(console);
      visitor.press("Run now");
      visitor.fill("More than 1,000 messages", "mail");
      visitor.confirm();
      Waiting.until("all of the bar are due", () -> count(console) == 100);
    }
  }
}
