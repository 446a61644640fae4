package io.punctual.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.punctual.kit.process.Waiting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Somebody looks after the targets of webhooks. */
@ExtendWith(Chromium.class)
class WebhookJourneyTest {
  private final Queue<String> received = new ConcurrentLinkedQueue<>();
  private volatile int status = 204;
  @TempDir private Path folder;
  private HttpServer receiver;

  @BeforeEach
  void start() throws IOException {
    receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
    receiver.createContext("/hook", this::answer);
    receiver.start();
  }

  @AfterEach
  void stop() {
    receiver.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      received.add(exchange.getRequestHeaders().getFirst("webhook-id"));
      exchange.getRequestBody().readAllBytes();
      exchange.sendResponseHeaders(status, -1);
    }
  }

  private long received(String id) {
    return received.stream().filter(id::equals).count();
  }

  private Console open(Browser browser) {
    int port = receiver.getAddress().getPort();
    String yaml =
        "webhookNetwork: {allowAddresses: [127.0.0.1/32], allowPorts: [%d], allowHttp: true}%n"
            .formatted(port);
    return Console.open(browser, folder, "memory:", yaml);
  }

  private Visitor addTarget(Console console) {
    Visitor visitor = console.visitor();
    visitor.open("webhooks").sees("main", "No webhook has a target");
    visitor.picture("webhooks-empty");
    visitor.press("Add a target");
    visitor.fill("Name", "crm");
    visitor.fill("Queue", "orders");
    visitor.fill("Address", "http://127.0.0.1:" + receiver.getAddress().getPort() + "/hook");
    visitor.page.locator("dialog footer button:not([type=button])").click();
    visitor.sees("dialog", "It is not shown again");
    visitor.sees("dialog pre", "whsec_");
    visitor.press("Close");
    visitor.sees("tbody", "crm");
    return visitor;
  }

  @Test
  void targetDisabledBy410_enabled_replayed(Browser browser) {
    try (Console console = open(browser)) {
      Visitor visitor = addTarget(console);
      console.schedule("orders", "{'id':'order-1','payload':{'total':10}}");
      Waiting.until("it is delivered", () -> received("order-1") == 1);

      status = 410;
      console.schedule("orders", "{'id':'order-2','payload':{'total':20}}");
      visitor.sees("tbody", "disabled");
      visitor.picture("webhooks-disabled");
      visitor.page.locator("tbody a.q").first().click();
      visitor.sees(".diagnosis", "Is disabled since");
      visitor.sees(".diagnosis", "410");
      visitor.sees("main", "target gone");
      visitor.open("").sees("main h1", "crm");

      status = 204;
      visitor.open("webhooks/crm").press("Enable");
      visitor.sees(".toast", "crm is enabled");
      Waiting.until("what waited is delivered", () -> received("order-2") == 2);
      visitor.sees(".diagnosis", "Is called when a message is due");
      visitor.sees("main tbody", "delivered");
      visitor.picture("webhook");

      Waiting.until(
          "it is logged and acknowledged",
          () ->
              console.ask("GET", "/v1/queues/orders/messages/order-2", "", null).statusCode()
                  == 404);
      visitor.press("Replay");
      visitor.fill("Why?", "the receiver lost them");
      visitor.confirm();
      visitor.sees(".toast", "2 messages to send again");
      Waiting.until("it is sent again", () -> received("order-1") == 2 && received("order-2") == 3);
      visitor.open("audit").sees("tbody", "replayed the webhook");
      visitor.sees("tbody", "enabled the webhook");
      visitor.sees("tbody", "the receiver lost them");
    }
  }

  @Test
  void targetTested_keyReplaced_removed(Browser browser) {
    try (Console console = open(browser)) {
      Visitor visitor = addTarget(console);
      visitor.open("webhooks/crm").press("Test");
      visitor.sees(".toast", "crm answered 204 in");
      status = 500;
      visitor.press("Test");
      visitor.sees(".toast", "crm answered 500");
      assertThat(received).hasSize(2);

      visitor.press("New key");
      visitor.page.locator("dialog footer button:not([type=button])").click();
      visitor.sees("dialog pre", "whsec_");
      visitor.press("Close");
      visitor.sees(".facts", "ends in");

      visitor.expect("404.*/webhooks/crm"); // A look at the target can be under way.
      visitor.press("Remove");
      visitor.fill("Type the name of the target", "crm");
      visitor.confirm();
      visitor.sees("main", "No webhook has a target");
    }
  }
}
