package io.punctual.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Puts markup into each field that a producer, a worker or an operator fills, and looks at every
 * screen: each field is seen as a text somewhere, and nowhere as markup.
 */
@ExtendWith(Chromium.class)
class HostileTextsJourneyTest {
  private static final List<String> FIELDS =
      List.of(
          "id",
          "header",
          "value",
          "payload",
          "key",
          "type",
          "text",
          "origin",
          "buried",
          "retried",
          "worker",
          "host",
          "version",
          "pause",
          "task",
          "dead-id",
          "daily-id");

  @TempDir private Path folder;

  private static String mark(String field) {
    return "<i class=hostile>" + field + "</i><img src=x onerror=alert(1)>";
  }

  /** Replaces {field} by a text of the field. */
  private static String filled(String json) {
    String all = json;
    for (String field : FIELDS) {
      all = all.replace("{" + field + "}", mark(field));
    }
    return all;
  }

  private static void fill(Console console) {
    console.schedule(
        "q",
        filled(
            "{'id':'{id}','delay':'1h','payload':{'{key}':'{payload}'},"
                + "'headers':{'{header}':'{value}'}}"));
    console.schedule(
        "q", filled("{'id':'{daily-id}','payload':1,'recurrence':{'every':'1d'},'delay':'1h'}"));
    console.schedule("q", filled("{'id':'{dead-id}','payload':'{payload}'}"));
    console.settle("q", filled("'action':'bury','reason':'{buried}'"));
    console.schedule("q", "{'id':'retried','payload':1}");
    console.settle("q", filled("'action':'retry','delay':'1h','reason':'{retried}'"));
    console.schedule("q", "{'id':'failed','payload':1}");
    for (int attempt = 1; attempt <= 5; attempt++) {
      console.settle(
          "q",
          filled(
              "'action':'fail','failure':{'type':'{type}','text':'{text}','origin':'{origin}'}"));
      console.ask("POST", "/v1/queues/q/messages/failed/run", "", null);
    }
    console.schedule("q", "{'id':'held','payload':1}");
    console.send(
        "POST",
        "/v1/queues/q/claims",
        filled(
            "{'wait':'20s','lease':'1h','worker':"
                + "{'name':'{worker}','host':'{host}','version':'{version}'}}"));
    console.send("PUT", "/v1/queues/q/pause", filled("{'reason':'{pause}'}"));
    console.send(
        "POST",
        "/v1/tasks",
        filled("{'queue':'q','action':'redrive','delay':'1d','reason':'{task}'}"));
  }

  /** The screens, each with fields that it shows. */
  private static Map<String, List<String>> screens() {
    Map<String, List<String>> screens = new LinkedHashMap<>();
    screens.put("", List.of("pause"));
    screens.put("queues", List.of("pause"));
    screens.put("q/q", List.of("id", "daily-id"));
    screens.put("q/q?state=leased", List.of("pause"));
    screens.put(
        "q/q/m/" + Console.encode(mark("id")), List.of("id", "header", "value", "key", "payload"));
    screens.put("q/q/m/" + Console.encode(mark("dead-id")), List.of("dead-id", "buried"));
    screens.put("q/q/m/retried", List.of("retried"));
    screens.put("q/q/m/failed", List.of("type", "text"));
    screens.put("q/q/m/held", List.of("worker"));
    screens.put("q/q/dead", List.of("type", "origin", "buried"));
    screens.put("dead", List.of());
    screens.put("recurring", List.of("daily-id"));
    screens.put("workers", List.of("worker", "host", "version"));
    screens.put("tasks", List.of("task"));
    screens.put("audit", List.of("pause", "task"));
    screens.put("webhooks", List.of());
    screens.put("no/such/" + Console.encode(mark("id")), List.of());
    screens.put("q/" + Console.encode(mark("id")), List.of());
    return screens;
  }

  @Test
  void markupInEachField_isATextOnEachScreen(Browser browser) {
    try (Console console = Console.open(browser, folder)) {
      fill(console);
      Visitor visitor = console.visitor();
      visitor.page.onDialog(
          dialog -> {
            throw new AssertionError("a text ran: " + dialog.message());
          });
      Set<String> seen = new HashSet<>();
      screens()
          .forEach(
              (screen, fields) -> {
                visitor.expect("40[034]").open(screen);
                for (String field : fields) {
                  visitor.sees("body", "<i class=hostile>" + field + "</i>");
                  seen.add(field);
                }
                hasNoMarkup(visitor, screen);
              });
      visitor.page.keyboard().press("/");
      visitor.page.keyboard().type(mark("id"));
      visitor.sees(".hits", "message in q");
      hasNoMarkup(visitor, "find");
      assertThat(seen).containsAll(FIELDS);
    }
  }

  private static void hasNoMarkup(Visitor visitor, String screen) {
    assertThat(visitor.page.locator(".hostile, img[src=x]").count()).as(screen).isZero();
  }
}
