package io.punctual.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.WorkerOptions;
import io.punctual.kit.process.Waiting;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Somebody finds very many dead letters. */
@ExtendWith(Chromium.class)
class ManyDeadLettersJourneyTest {
  /** A million is shown too, in a minute or two. */
  private static final int MANY = Integer.getInteger("punctual.test.dead-letters", 100_000);

  private static final Pattern DEAD = Pattern.compile("\"dead\":(\\d+)");

  @TempDir private Path folder;

  /** Makes messages of a queue die of one failure. */
  private static void kill(Console console, int count, String reason) {
    for (int from = 0; from < count; from += 1000) {
      int to = Math.min(from + 1000, count);
      console.scheduleMany("cards", from, to, reason + "-");
      for (int left = to - from; left > 0; ) {
        left -= console.settle("cards", "'action':'bury','reason':'" + reason + "'");
      }
    }
  }

  private static int dead(Console console) {
    Matcher matcher = DEAD.matcher(console.send("GET", "/v1/queues/cards", ""));
    return matcher.find() ? Integer.parseInt(matcher.group(1)) : 0;
  }

  @Test
  @Tag("extended")
  void fiveThousandOfTwentyThousand_ofOneFailure_oneFirst(Browser browser) {
    AtomicInteger delivered = new AtomicInteger();
    try (Console console = Console.open(browser, folder);
        Punctual workers = Punctual.open(console.address().toString())) {
      kill(console, 14_000, "invalid");
      kill(console, 6000, "refused");
      WorkerOptions options = WorkerOptions.builder().concurrency(16).build();
      workers.queue("cards", Codec.bytes()).work(options, each -> delivered.incrementAndGet());

      Visitor visitor = console.visitor().expect("404");
      visitor.open("q/cards/dead").sees("main h1", "20,000 dead letters, 2 failures");
      visitor.sees(".grp.on", "refused");
      visitor.press("Try one first");
      visitor.sees(".toast", "was delivered in");
      visitor.sees(".grp.on", "5,999");

      visitor.press("only");
      visitor.page.getByLabel("How many").fill("5000");
      visitor.page.getByLabel("Messages a second").fill("100000");
      visitor.picture("redrive-five-thousand");
      visitor.press("Redrive 5,000");
      visitor.fill("Why?", "the provider is mended");
      visitor.fill("More than 1,000 messages", "cards");
      visitor.confirm();
      visitor.sees(".toast", "Redrive 5,000: starts in 5 s");
      Waiting.until("5,001 are delivered", () -> delivered.get() == 5001);
      assertThat(dead(console)).isEqualTo(14_999);
      visitor.open("tasks").sees("tbody", "5,000");
      visitor.open("q/cards/dead").sees("main h1", "14,999 dead letters, 2 failures");
    }
  }

  @Test
  @Tag("extended")
  void veryMany_areCountedGroupedAndPaged(Browser browser) {
    try (Console console = Console.open(browser, folder)) {
      kill(console, MANY - 1000, "refused");
      kill(console, 1000, "invalid");
      Visitor visitor = console.visitor();
      visitor.open("").sees(".figures", String.format(Locale.ROOT, "%,d", MANY));
      visitor.open("q/cards/dead");
      visitor.sees("main h1", String.format(Locale.ROOT, "%,d dead letters, 2 failures", MANY));
      visitor.picture("very-many-dead-letters");
      visitor.press("older");
      visitor.sees("2 of 1,000");
      visitor.open("q/cards?state=DEAD").sees("tbody", "refused");
      visitor.press("Show more");
      visitor.sees(".more", "150 of");
    }
  }
}
