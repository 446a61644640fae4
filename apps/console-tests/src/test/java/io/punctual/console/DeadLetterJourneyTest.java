package io.punctual.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Route;
import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.RetryPolicy;
import io.punctual.WorkerOptions;
import io.punctual.kit.process.Waiting;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Base64;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Somebody finds dead letters, and brings them back. */
@ExtendWith(Chromium.class)
class DeadLetterJourneyTest {
  private static final WorkerOptions ONE_ATTEMPT =
      WorkerOptions.builder().concurrency(8).retryPolicy(RetryPolicy.never()).build();

  private final Queue<String> delivered = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean isMended = new AtomicBoolean();
  @TempDir private Path folder;

  private Punctual work(Console console) {
    Punctual punctual = Punctual.open(console.address().toString());
    punctual
        .queue("cards", Codec.bytes())
        .work(
            ONE_ATTEMPT,
            delivery -> {
              if (!isMended.get()) {
                throw new IllegalStateException("the provider answered 502");
              }
              delivered.add(new String(delivery.payload(), StandardCharsets.UTF_8));
            });
    return punctual;
  }

  private static void untilDead(Console console, int count) {
    Waiting.until(
        "all are dead",
        () -> console.send("GET", "/v1/queues/cards", "").contains("\"dead\":" + count));
  }

  @Test
  void redriveOfOneFailure_oneFirst(Browser browser) {
    try (Console console = Console.open(browser, folder);
        Punctual workers = work(console)) {
      console.scheduleMany("cards", 300, 0);
      untilDead(console, 300);
      Visitor visitor = console.visitor().expect("404");
      visitor.open("dead").sees("tbody", "cards");
      visitor.open("q/cards/dead").sees("main h1", "300 dead letters, 1 failure");
      visitor.sees(".grp", "IllegalStateException");
      visitor.picture("dead-letters");

      isMended.set(true);
      visitor.press("Try one first");
      visitor.sees(".toast", "was delivered in");
      visitor.sees("main h1", "299 dead letters");
      assertThat(delivered).hasSize(1);

      visitor.page.getByLabel("Messages a second").fill("1000");
      visitor.press("Redrive 299");
      visitor.fill("Why?", "the provider is mended");
      visitor.confirm();
      visitor.sees(".toast", "starts in 5 s");
      Waiting.until("all are delivered", () -> delivered.size() == 300);
      visitor.open("tasks").sees("tbody", "the provider is mended");
      visitor.sees("tbody", "done");
      visitor.open("q/cards/dead").sees("main h1", "No dead letters");
      assertThat(workers.workers()).hasSize(1);
    }
  }

  @Test
  void theFirstOneDiesAgain_andTheOthersStay(Browser browser) {
    try (Console console = Console.open(browser, folder);
        Punctual workers = work(console)) {
      console.scheduleMany("cards", 5, 0);
      untilDead(console, 5);
      Visitor visitor = console.visitor();
      visitor.open("q/cards/dead").sees("main h1", "5 dead letters");
      visitor.press("Try one first");
      visitor.sees(".toast", "died again: the same failure");
      visitor.sees("main h1", "5 dead letters");
      assertThat(delivered).isEmpty();
      assertThat(workers.workers()).hasSize(1);
    }
  }

  @Test
  void payloadMendedAndRedriven(Browser browser) {
    try (Console console = Console.open(browser, folder);
        Punctual workers = work(console)) {
      console.schedule("cards", "{'id':'order-1','payload':{'total':'1O.50','for':'ada'}}");
      untilDead(console, 1);
      Visitor visitor = console.visitor().expect("404");
      visitor.open("q/cards/m/order-1").sees("pre", "1O.50");
      isMended.set(true);
      visitor.press("Redrive with another payload");
      visitor.fill("Payload", "{\n  \"total\": 10.50,\n  \"for\": \"ada\"\n}");
      visitor.sees("dialog .diff-old", "1O.50");
      visitor.sees("dialog .diff-new", "10.50");
      visitor.confirm();
      visitor.sees(".toast", "is due again, with the changed payload");
      Waiting.until("it is delivered", () -> !delivered.isEmpty());
      assertThat(delivered.element()).contains("10.5").doesNotContain("1O.50");
      assertThat(workers.workers()).hasSize(1);
    }
  }

  @Test
  void oneFieldOfAPayloadMended_theOthersKeepTheirBytes(Browser browser) {
    String payload =
        "{\"order\":9007199254740993,\"to\":\"x\",\"list\":[ 1e400,1.0 ],\"name\":\"\\u00fc\"}";
    try (Console console = Console.open(browser, folder)) {
      console.schedule("cards", "{'id':'order-1','payload':%s}".formatted(payload));
      assertThat(console.settle("cards", "'action':'bury','reason':'no such address'")).isOne();
      Visitor visitor = console.visitor().open("q/cards?state=dead");
      visitor.open("q/cards/dead").sees("pre:has(.k)", "9007199254740993");
      visitor.open("q/cards/m/order-1").sees("pre:has(.k)", "\"order\": 9007199254740993,");
      visitor.sees("pre:has(.k)", "\n    1e400,\n    1.0\n  ],\n  \"name\": \"\u00fc\"\n}");

      visitor.press("Redrive with another payload");
      assertThat(visitor.page.locator("dialog textarea").inputValue()).isEqualTo(payload);
      visitor.fill("Payload", payload.replace("\"x\"", "\"y\""));
      visitor.sees("dialog pre", "- \"to\": \"x\"");
      assertThat(visitor.page.locator("dialog .diff-old, dialog .diff-new").count()).isEqualTo(2);
      visitor.picture("redrive-with-another-payload");
      visitor.confirm();
      visitor.sees(".toast", "is due again, with the changed payload");
      assertThat(console.send("GET", "/v1/queues/cards/messages/order-1/payload", ""))
          .isEqualTo(payload.replace("\"x\"", "\"y\""));
    }
  }

  @Test
  void textMended_keepsItsLineEnds(Browser browser) {
    try (Console console = Console.open(browser, folder)) {
      console.schedule(
          "mail", "{'id':'m','payload':'\\ufeffto: x\\r\\n\\r\\n[ 1 ]','payloadText':true}");
      assertThat(console.settle("mail", "'action':'bury','reason':'no such address'")).isOne();
      Visitor visitor = console.visitor().open("q/mail/m/m");
      visitor.press("Redrive with another payload");
      visitor.fill("Payload", "\ufeffto: y\n\n[ 1 ]");
      visitor.sees("dialog .diff-new", "to: y");
      visitor.confirm();
      visitor.sees(".toast", "is due again, with the changed payload");
      assertThat(console.send("GET", "/v1/queues/mail/messages/m/payload", ""))
          .isEqualTo("\ufeffto: y\r\n\r\n[ 1 ]");
    }
  }

  @Test
  void payloadThatTheServerRefuses_isSaid(Browser browser) {
    try (Console console = Console.open(browser, folder)) {
      console.schedule("cards", "{'id':'order-1','payload':{'to':'x'}}");
      assertThat(console.settle("cards", "'action':'bury','reason':'no such address'")).isOne();
      Visitor visitor = console.visitor().expect("403").open("q/cards/m/order-1");
      visitor.page.route(
          "**/payload",
          route ->
              route.fulfill(
                  new Route.FulfillOptions()
                      .setStatus(403)
                      .setContentType("application/problem+json")
                      .setBody("{\"detail\":\"The right PAYLOADS is missing\"}")));
      visitor.press("Redrive with another payload");
      visitor.sees(".toast", "The right PAYLOADS is missing");
      assertThat(visitor.page.locator("dialog").count()).isZero();
    }
  }

  @Test
  void binaryPayload_asBytes_isSavedAsItIs(Browser browser) {
    byte[] bytes = {0, 1, (byte) 0xff, (byte) 0xfe, 'P', 'K', '\n', 0};
    try (Console console = Console.open(browser, folder)) {
      String base64 = Base64.getEncoder().encodeToString(bytes);
      console.schedule("files", "{'id':'zip','payloadBase64':'" + base64 + "','delay':'1h'}");
      Visitor visitor = console.visitor();
      visitor.open("q/files").sees("tbody", "bytes");
      visitor.open("q/files/m/zip").sees("pre", "8 bytes, not text");
      visitor.sees("pre", "00 01 ff fe 50 4b 0a 00");
      var download = visitor.page.waitForDownload(() -> visitor.press("save the bytes"));
      assertThat(download.path()).hasBinaryContent(bytes);
    }
  }

  @Test
  void messageThatExpires_saysWhyItDied(Browser browser) {
    try (Console console = Console.open(browser, folder)) {
      Visitor visitor = console.visitor().open("");
      Instant notAfter = Instant.now().plusSeconds(5);
      console.schedule("codes", "{'id':'code-1','payload':1,'notAfter':'%s'}".formatted(notAfter));
      visitor.open("q/codes/m/code-1").sees(".facts", "Not after");
      Waiting.until("it is past its time", () -> Instant.now().isAfter(notAfter));
      assertThat(console.settle("codes", "'action':'ack'")).isZero();
      visitor.sees("main", "expired");
      visitor.open("q/codes/dead").sees(".grp", "expired");
    }
  }
}
