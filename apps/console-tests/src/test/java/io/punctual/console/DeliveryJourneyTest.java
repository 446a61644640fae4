package io.punctual.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.Worker;
import io.punctual.kit.process.Waiting;
import io.punctual.kit.redis.RedisProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Somebody asks why nothing is delivered, and changes it. */
@ExtendWith(Chromium.class)
class DeliveryJourneyTest {
  @TempDir private Path folder;

  @Test
  void whyNothingIsDelivered_noWorkerAPauseALimitAndBusyHandlers(Browser browser) {
    try (Console console = Console.open(browser, folder)) {
      for (String queue : new String[] {"alone", "halted", "limited", "busy"}) {
        console.schedule(queue, "[{'id':'a','payload':1},{'id':'b','payload':2}]");
      }
      console.send("PUT", "/v1/queues/halted/pause", "{'reason':'deployment'}");
      console.send("PUT", "/v1/queues/limited/limits", "{'concurrency':1}");
      console.send("POST", "/v1/queues/limited/claims", "{'max':1,'lease':'1h'}");
      console.send(
          "POST",
          "/v1/queues/busy/claims",
          "{'max':1,'lease':'1h','worker':{'name':'python-1','concurrency':1}}");

      Visitor visitor = console.visitor();
      visitor.open("q/busy").sees(".diagnosis", "are busy");
      visitor.open("").sees("main h1", "late");
      visitor.open("q/alone").sees(".diagnosis", "Nobody claims messages of queue 'alone'");
      visitor.open("q/halted").sees(".diagnosis", "(deployment)");
      visitor.open("q/limited").sees(".diagnosis", "a limit of 1 leased message");
      visitor.picture("why-nothing-is-delivered");
    }
  }

  @Test
  void pauseWithAReason_resumedByAnotherPerson(Browser browser) {
    Tokens tokens = new Tokens();
    String ada = tokens.add("ada", "{observe: '*', operate: '*'}");
    String bob = tokens.add("bob", "{observe: '*', operate: '*'}");
    String producer = tokens.add("producer", "{produce: '*'}");
    try (Console console = Console.open(browser, folder, "memory:", tokens.yaml())) {
      console.use(producer);
      console.schedule("mail", "{'id':'a','payload':1,'delay':'1h'}");

      Visitor first = console.visitor().signIn(ada);
      first.open("q/mail").press("Pause");
      first.fill("Why?", "the provider is down");
      first.confirm();
      first.sees(".diagnosis", "paused by ada (the provider is down)");

      Visitor second = console.visitor().signIn(bob);
      second.open("q/mail").sees(".diagnosis", "paused by ada (the provider is down)");
      second.press("Resume");
      second.sees(".toast", "runs again");
      first.sees(".title .buttons", "Pause");
      second.open("audit").sees("tbody", "ada");
      second.sees("tbody", "the provider is down");
      second.sees("tbody", "bob");
    }
  }

  @Test
  void aLimitRaised_theBacklogFalls(Browser browser) {
    AtomicInteger handled = new AtomicInteger();
    try (Console console = Console.open(browser, folder);
        Punctual workers = Punctual.open(console.address().toString())) {
      console.send("PUT", "/v1/queues/mail/limits", "{'rate':1}");
      console.scheduleMany("mail", 200, 0);
      workers.queue("mail", Codec.bytes()).work(delivery -> handled.incrementAndGet());
      Visitor visitor = console.visitor();
      visitor.open("q/mail").sees(".diagnosis", "which holds messages back");
      visitor.press("Limits");
      visitor.fill("Messages", "1000");
      visitor.confirm();
      visitor.sees(".toast", "The limits of mail are set");
      Waiting.until("all are handled", () -> handled.get() == 200);
      visitor.sees(".figures", "nothing waits");
    }
  }

  @Test
  void manyMessagesAtOneTime_whatALimitWillDoToThemIsSaid(Browser browser) {
    Instant due = Instant.now().plus(Duration.ofMinutes(30));
    try (Console console = Console.open(browser, folder)) {
      List<String> burst = new ArrayList<>();
      for (int i = 0; i < 1000; i++) {
        burst.add("{'payload':%d,'dueAt':'%s'}".formatted(i, due));
      }
      console.schedule("mail", "[" + String.join(",", burst) + "]");
      console.send("PUT", "/v1/queues/mail/limits", "{'rate':50,'burst':50}");
      Visitor visitor = console.visitor();
      visitor.open("").sees("svg.wide", "1,000 mail: up to 19 s late");
      visitor.sees("tbody", "up to 19 s late");
      visitor.open("q/mail").sees("svg.due", "expected lateness at the limit of 50 a second");
      visitor.sees("svg.due", "up to 19 s");
      visitor.press("as a table");
      visitor.sees("table", "19 s");
      visitor.picture("expected-lateness");
    }
  }

  @Test
  void workerPausedFromTheConsole_receivesNothingMore(Browser browser) {
    try (Console console = Console.open(browser, folder)) {
      // A worker of any language polls, and obeys the command of the answer.
      String claim =
          "{'max':1,'worker':{'name':'python-1','host':'web-7','pid':7,'version':'1','concurrency':4}}";
      console.schedule("mail", "{'id':'a','payload':1,'delay':'1h'}");
      console.send("POST", "/v1/queues/mail/claims", claim);
      Visitor visitor = console.visitor();
      visitor.open("workers").sees("tbody", "python-1");
      visitor.press("Pause");
      visitor.sees(".toast", "is asked to pause");
      Waiting.until(
          "the worker is told",
          () -> console.send("POST", "/v1/queues/mail/claims", claim).contains("PAUSE"));
      visitor.sees("tbody", "paused");
      visitor.press("Resume");
      Waiting.until(
          "the worker runs again",
          () -> !console.send("POST", "/v1/queues/mail/claims", claim).contains("PAUSE"));
    }
  }

  @Test
  @Tag("extended")
  void javaWorkerPausedFromTheConsole_receivesNothingMore(Browser browser) {
    AtomicInteger handled = new AtomicInteger();
    try (RedisProcess redis = RedisProcess.start();
        Console console = Console.open(browser, folder, redis.url(), "");
        Punctual workers = Punctual.open(redis.url())) {
      Worker worker =
          workers.queue("mail", Codec.bytes()).work(delivery -> handled.incrementAndGet());
      Visitor visitor = console.visitor();
      visitor.open("workers").sees("tbody", "mail");
      visitor.press("Pause");
      visitor.sees(".toast", "is asked to pause");
      Waiting.until("the worker pauses", worker::isPaused);
      visitor.sees("tbody", "paused");
      console.schedule("mail", "{'id':'a','payload':1}");
      visitor.open("q/mail").sees(".diagnosis", "paused");
      assertThat(handled.get()).isZero();
      visitor.open("workers").press("Resume");
      Waiting.until("the worker runs again", () -> handled.get() == 1);
    }
  }

  @Test
  void recurringMessage_showsItsNextRuns(Browser browser) {
    try (Console console = Console.open(browser, folder)) {
      console.schedule(
          "reports",
          "{'id':'daily','payload':1,'recurrence':{'cron':'0 9 * *"
              + " MON-FRI','zone':'Europe/Berlin'}}");
      Visitor visitor = console.visitor();
      visitor.open("recurring").sees("tbody", "daily");
      visitor.page.locator("tbody").getByText("daily").click(); // the chart can show it, too
      visitor.sees(".facts", "Then");
      visitor.sees(".facts", "Recurs");
      assertThat(visitor.page.locator(".facts dd div").count()).isGreaterThan(1);
    }
  }

  @Test
  void cancelById_inAQueueThatNobodyRemembers(Browser browser) {
    try (Console console = Console.open(browser, folder)) {
      for (int i = 0; i < 20; i++) {
        console.schedule("tenant-" + i, "{'id':'other-" + i + "','payload':1,'delay':'1h'}");
      }
      console.schedule("tenant-7", "{'id':'order-4711','payload':1,'delay':'1h'}");
      Visitor visitor = console.visitor().open("").expect("404");
      visitor.page.keyboard().press("/");
      visitor.page.keyboard().type("order-4711");
      visitor.sees(".hits", "message in tenant-7");
      visitor.page.keyboard().press("Enter");
      visitor.sees("main h1", "order-4711");
      visitor.press("Cancel");
      visitor.sees(".toast", "It is cancelled");
      visitor.sees("main h1", "No message has this id");
      assertThat(console.send("GET", "/v1/queues/tenant-7", "")).contains("\"scheduled\":1");
    }
  }

  @Test
  void payloadScheduled_keepsItsBytes(Browser browser) {
    String payload = "{\"order\": 9007199254740993,\n \"sums\": [1e400, 1.0]}";
    try (Console console = Console.open(browser, folder)) {
      console.schedule("mail", "{'id':'first','payload':-9007199254740993,'delay':'1h'}");
      Visitor visitor = console.visitor().open("q/mail");
      visitor.sees("tbody", "-9007199254740993");
      visitor.press("Schedule a message");
      visitor.fill("Id", "second");
      visitor.fill("Due", "2h");
      visitor.fill("Payload, as JSON", payload.replace('}', ','));
      visitor.page.locator("dialog footer button:not([type=button])").click();
      visitor.sees("dialog", "JSON");
      visitor.picture("payload-is-not-json");
      visitor.fill("Payload, as JSON", payload);
      visitor.confirm();
      visitor.sees(".toast", "second is scheduled");
      assertThat(console.send("GET", "/v1/queues/mail/messages/second/payload", ""))
          .isEqualTo(payload);
    }
  }

  @Test
  void oneMessage_scheduledMovedRunAndDeletedWithItsQueue(Browser browser) {
    try (Console console = Console.open(browser, folder)) {
      console.schedule("mail", "{'id':'first','payload':1,'delay':'1h'}");
      Visitor visitor = console.visitor();
      visitor.open("q/mail").press("Schedule a message");
      visitor.fill("Id", "second");
      visitor.fill("Due", "2h");
      visitor.fill("Payload, as JSON", "{\"to\": \"ada\"}");
      visitor.confirm();
      visitor.sees(".toast", "second is scheduled");
      visitor.open("q/mail/m/second").sees("main", "in 1 h 59 min");
      visitor.press("Reschedule");
      visitor.fill("Due", "5h");
      visitor.confirm();
      visitor.sees("main", "in 4 h 59 min");
      visitor.press("Run now");
      visitor.sees(".toast", "It is due now");
      visitor.sees("main", "no worker has it yet");

      visitor.open("q/mail");
      visitor.page.getByLabel("Select first").check();
      visitor.press("Run now");
      visitor.sees(".toast", "Due now: 1 message");
      visitor.press("Delete");
      visitor.fill("Type the queue's name", "mail");
      visitor.confirm();
      visitor.sees(".toast", "mail is deleted");
    }
  }
}
