package io.punctual.console;

import com.microsoft.playwright.Browser;
import io.punctual.kit.redis.RedisProcess;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The store or the server goes away while somebody looks, and comes back. */
@ExtendWith(Chromium.class)
class OutageJourneyTest {
  @TempDir private Path folder;

  @Test
  void storeAwayAndBack_thePageSaysSo_andKeepsWhatItHad(Browser browser) {
    try (RedisProcess redis = RedisProcess.builder().appendOnly("always").start();
        Console console = Console.open(browser, folder, redis.url() + "?timeout=1s", "")) {
      console.schedule("mail", "{'id':'a','payload':1,'delay':'1h'}");
      Visitor visitor = console.visitor().expect("50[0-9]");
      visitor.open("").sees("tbody", "mail");
      visitor.sees("nav.rail", "Store answers");
      redis.kill();
      visitor.sees("[role=alert]", "The store does not answer since");
      visitor.sees("nav.rail", "Store does not answer");
      visitor.sees("tbody", "mail");
      visitor.picture("store-away");
      redis.restart();
      visitor.sees("nav.rail", "Store answers");
      visitor.seesNo("[role=alert]");
    }
  }

  /** The id has a space, so that the search does not ask for queues, too. */
  @Test
  void searchDuringAnotherOne_saysSo_andFindsTheMessageAfterIt(Browser browser) {
    try (RedisProcess redis = RedisProcess.start();
        Console console =
            Console.open(browser, folder, redis.url() + "?operationTimeout=60s", "")) {
      console.schedule("mail", "{'id':'a b','payload':1,'delay':'1h'}");
      Visitor visitor = console.visitor().expect("429|50[0-9]");
      visitor.open("").sees("tbody", "mail");
      redis.freeze();
      CompletableFuture.anyOf(find(console), find(console)).join();
      visitor.page.fill(".find input", "a b");
      visitor.sees(".hits", "Another search is not yet done");
      redis.thaw();
      visitor.sees(".hits a", "message in mail");
    }
  }

  /** The second of two such requests is refused at once. */
  private static CompletableFuture<?> find(Console console) {
    return CompletableFuture.supplyAsync(() -> console.ask("GET", "/v1/find?id=x", "", null));
  }

  @Test
  void serverRestartedWhileAPageIsOpen(Browser browser) {
    try (RedisProcess redis = RedisProcess.start();
        Console console = Console.open(browser, folder, redis.url(), "")) {
      console.schedule("mail", "{'id':'a','payload':1,'delay':'1h'}");
      Visitor visitor = console.visitor().expect("ERR_|50[0-9]");
      visitor.open("q/mail").sees(".right", "live");
      console.stop();
      visitor.sees(".right", "as of");
      visitor.sees("nav.rail", "No news from the server");
      visitor.sees("tbody", "a");
      console.startAgain();
      visitor.sees(".right", "live");
      console.schedule("mail", "{'id':'after-the-restart','payload':1,'delay':'1h'}");
      visitor.sees("tbody", "after-the-restart");
    }
  }
}
