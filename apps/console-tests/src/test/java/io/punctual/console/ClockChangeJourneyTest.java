package io.punctual.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Clock;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Somebody looks at a day on which the clocks change. */
@ExtendWith(Chromium.class)
class ClockChangeJourneyTest {
  private static final String AXIS =
      "() => [...document.querySelectorAll('svg.due > text[text-anchor=middle]')]"
          + ".map((e) => e.textContent)";

  @TempDir private Path folder;

  /** Opens a window in a zone, at a time. */
  private static Visitor visitor(Console console, String zone, String now) {
    Visitor visitor =
        console.visitor(console.address(), new Browser.NewContextOptions().setTimezoneId(zone));
    visitor
        .page
        .clock()
        .install(new Clock.InstallOptions().setTime(Instant.parse(now).toEpochMilli()));
    return visitor;
  }

  private static void schedule(Console console, String id, String due) {
    console.schedule("mail", "{'id':'%s','payload':1,'dueAt':'%s'}".formatted(id, due));
  }

  /** Waits for a label of the time axis, and returns all labels. */
  private static List<String> axis(Visitor visitor, String label) {
    visitor.sees("svg.due", label);
    return visitor.texts(AXIS);
  }

  @Test
  void anHourThatComesTwice_isToldApart_andUtcHasItOnce(Browser browser) {
    try (Console console = Console.open(browser, folder)) {
      schedule(console, "summer", "2027-10-31T00:30:00Z");
      schedule(console, "winter", "2027-10-31T01:30:00Z");
      Visitor visitor = visitor(console, "Europe/Berlin", "2027-10-30T22:30:00Z");

      visitor.open("q/mail").sees("tbody", "02:30:00 +02:00");
      visitor.sees("tbody", "02:30:00 +01:00");
      assertThat(axis(visitor, "02:00 +01:00"))
          .containsSequence("01:00", "02:00", "02:00 +01:00", "03:00");
      visitor.picture("clocks-go-back");
      visitor.page.locator("rect.hit[role=button]").first().click();
      visitor.sees(".bar", "due 02:30 +02:00 to 02:35 +02:00");
      visitor.seesNo("tbody tr:nth-child(2)");
      visitor.sees("tbody", "summer");

      visitor.open("q/mail/m/winter").sees("main", "Waits until 02:30:00 +01:00, in 2 h");
      visitor.press("local time");
      visitor.page.locator("dialog select").selectOption("UTC");
      visitor.confirm();
      visitor.sees("main", "Waits until 31 Oct, 01:30:00, in 2 h");
      visitor.open("q/mail").sees("tbody", "31 Oct, 00:30:00");
      assertThat(axis(visitor, "01:00")).containsSequence("23:00", "00:00", "01:00", "02:00");
    }
  }

  @Test
  void anHourThatIsLeftOut_isNotOnTheAxis(Browser browser) {
    try (Console console = Console.open(browser, folder)) {
      schedule(console, "before", "2027-03-28T00:30:00Z");
      schedule(console, "after", "2027-03-28T01:30:00Z");
      Visitor visitor = visitor(console, "Europe/Berlin", "2027-03-27T23:10:00Z");

      visitor.open("q/mail").sees("tbody", "01:30:00 +01:00");
      visitor.sees("tbody", "03:30:00 +02:00");
      assertThat(axis(visitor, "03:00 +02:00"))
          .containsSequence("01:00", "03:00 +02:00", "04:00")
          .doesNotContain("02:00");
      visitor.open("q/mail?window=1d");
      assertThat(axis(visitor, "18:00")).containsExactly("06:00", "12:00", "18:00", "00:00");
      visitor.picture("clocks-go-forward");
    }
  }

  @Test
  void clocksThatChangeByHalfAnHour(Browser browser) {
    try (Console console = Console.open(browser, folder)) {
      schedule(console, "summer", "2027-04-03T14:45:00Z");
      schedule(console, "winter", "2027-04-03T15:15:00Z");
      Visitor visitor = visitor(console, "Australia/Lord_Howe", "2027-04-03T13:10:00Z");

      visitor.open("q/mail").sees("tbody", "01:45:00 +11:00");
      visitor.sees("tbody", "01:45:00 +10:30");
      assertThat(axis(visitor, "02:00 +10:30")).contains("01:00", "03:00", "04:00");
    }
  }

  @Test
  void anotherDay_hasNoOffset(Browser browser) {
    try (Console console = Console.open(browser, folder)) {
      schedule(console, "a", "2027-06-01T10:00:00Z");
      Visitor visitor = visitor(console, "Europe/Berlin", "2027-06-01T08:30:00Z");

      visitor.open("q/mail").sees("tbody", "12:00:00 in 1 h 29 min");
      assertThat(axis(visitor, "12:00")).allMatch(label -> label.matches("\\d\\d:00"));
    }
  }
}
