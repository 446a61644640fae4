package io.punctual.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Tests the console for people who lack some rights. */
@ExtendWith(Chromium.class)
class AccessJourneyTest {
  private final Tokens tokens = new Tokens();
  @TempDir private Path folder;

  private void fill(Console console) {
    for (String queue : new String[] {"shop.mail", "shop.cards", "bank.secrets"}) {
      console.schedule(queue, "[{'id':'same','payload':1,'delay':'1h'},{'id':'now','payload':2}]");
      console.schedule(queue, "{'id':'daily','payload':1,'recurrence':{'every':'1d'}}");
      console.send("PUT", "/v1/queues/" + queue + "/pause", "{'reason':'" + queue + " rests'}");
    }
  }

  @Test
  void whoMayOnlyLook_hasNoButton_andIsRefused(Browser browser) {
    String all = tokens.add("all", "{observe: '*', produce: '*', operate: '*', consume: '*'}");
    String guest = tokens.add("guest", "{observe: '*'}");
    try (Console console = Console.open(browser, folder, "memory:", tokens.yaml())) {
      console.use(all);
      fill(console);
      Visitor visitor = console.visitor().signIn(guest);
      for (String screen :
          new String[] {
            "q/shop.mail", "q/shop.mail/m/same", "q/shop.mail/dead", "workers", "tasks", "recurring"
          }) {
        visitor.open(screen);
        assertThat(visitor.page.locator("main .btn, main input[type=checkbox]").allTextContents())
            .as(screen)
            .isEmpty();
      }
      visitor.open("q/shop.mail/m/same").sees("main", "no right to payloads");
      assertThat(console.ask("DELETE", "/v1/queues/shop.mail/pause", "", guest).statusCode())
          .isEqualTo(403);
      assertThat(
              console.ask("DELETE", "/v1/queues/shop.mail/messages/same", "", guest).statusCode())
          .isEqualTo(403);
    }
  }

  @Test
  void tokenForOnePrefix_seesNothingElseAnywhere(Browser browser) {
    String all = tokens.add("all", "{observe: '*', produce: '*', operate: '*', consume: '*'}");
    String shop = tokens.add("shop", "{observe: shop., operate: shop., produce: shop.}");
    try (Console console = Console.open(browser, folder, "memory:", tokens.yaml())) {
      console.use(all);
      fill(console);
      Visitor visitor = console.visitor().signIn(shop);
      for (String screen :
          new String[] {"", "queues", "dead", "recurring", "workers", "tasks", "audit"}) {
        visitor.open(screen);
        visitor.sees("nav.rail", "shop");
        assertThat(visitor.page.locator("main").innerText()).as(screen).doesNotContain("bank");
      }
      visitor.open("queues").sees("tbody", "shop.mail");
      visitor.page.keyboard().press("/");
      visitor.page.keyboard().type("same");
      visitor.sees(".hits", "message in shop.mail");
      assertThat(visitor.page.locator(".hits").innerText()).doesNotContain("bank");
      visitor.expect("403|404").open("q/bank.secrets").sees("main h1", "Not allowed");
    }
  }

  @Test
  void linkOfTheTerminal_signsInOnce_andLeavesNoTrace(Browser browser) {
    String observer = tokens.add("observer", "{observe: '*'}");
    try (Console console = Console.open(browser, folder, "memory:", tokens.yaml())) {
      String link = console.link();
      Visitor visitor = console.visitor().expect("404").open(link);
      visitor.sees("nav.rail", "terminal");
      assertThat(visitor.page.url()).isEqualTo(console.address() + "/console/");
      visitor.sees(".verdict", "keeps messages until this server ends");
      visitor.sees(".first", "authorization: Bearer $TOKEN");
      visitor.press("Schedule 500 example messages");
      visitor.sees("tbody", "demo");
      visitor.page.reload();
      visitor.sees("tbody", "demo");

      Visitor late = console.visitor().expect("401").open(link);
      late.sees("[role=alert]", "The link works once");
      late.picture("sign-in");
      assertThat(late.page.url()).isEqualTo(console.address() + "/console/");
      late.page.getByLabel("Token").fill(observer);
      late.press("Sign in");
      late.sees("nav.rail", "observer");

      // Another window of the same browser has the cookie, and not the key.
      Page other = visitor.page.context().newPage();
      other.navigate(console.address() + "/console/");
      other.getByLabel("Token").waitFor();

      visitor.expect("401");
      visitor.press("sign out");
      visitor.page.getByLabel("Token").waitFor();
      visitor.seesNo("[role=alert]");
    }
  }
}
