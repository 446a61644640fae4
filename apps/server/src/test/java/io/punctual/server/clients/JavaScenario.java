package io.punctual.server.clients;

import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Due;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.Recurrence;
import io.punctual.RetryAfterException;
import io.punctual.Scheduled;
import io.punctual.StoreUnavailableException;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.Worker;
import io.punctual.WorkerOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** The scenario program of Java, on the HTTP store: the same commands as those of the clients. */
final class JavaScenario {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Map<String, Punctual> servers = new ConcurrentHashMap<>();
  private final Map<String, Worker> workers = new ConcurrentHashMap<>();
  private final Set<String> seen = ConcurrentHashMap.newKeySet();
  private final Map<String, CompletableFuture<Void>> going = new ConcurrentHashMap<>();
  private volatile Duration grace = Duration.ZERO;

  private static final class CardError extends Exception {
    private static final long serialVersionUID = 1L;

    CardError() {
      super("declined \udc80");
    }
  }

  private JavaScenario() {}

  public static void main(String[] args) throws IOException {
    JavaScenario scenario = new JavaScenario();
    if (args.length > 0) {
      Runtime.getRuntime().addShutdownHook(new Thread(scenario::end));
    }
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      JsonNode command = JSON.readTree(line);
      new Thread(() -> scenario.answer(command)).start();
    }
    Runtime.getRuntime().halt(0);
  }

  private void end() {
    workers.values().forEach(worker -> worker.close(grace));
    tell("event", "closed");
  }

  private static synchronized void tell(@Nullable Object... pairs) {
    Map<String, @Nullable Object> line = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      line.put(String.valueOf(pairs[i]), pairs[i + 1]);
    }
    System.out.println(JSON.writeValueAsString(line));
  }

  private void answer(JsonNode command) {
    int number = command.get("n").asInt();
    try {
      tell("n", number, "result", run(command));
    } catch (RuntimeException e) {
      tell("n", number, "error", e.toString());
    }
  }

  private @Nullable Object run(JsonNode command) {
    String action = command.get("do").asString();
    String id = command.path("id").asString();
    if (action.equals("go")) {
      going(id).complete(null);
      return null;
    }
    Punctual server =
        servers.computeIfAbsent(
            command.get("url").asString(), url -> Punctual.open(url + "?operationTimeout=1m"));
    TimedQueue<byte[]> queue = server.queue(command.get("queue").asString(), Codec.bytes());
    return switch (action) {
      case "work" -> {
        grace = span(command.get("grace").asString());
        workers.put(queue.name(), queue.work(options(command), this::handle));
        yield null;
      }
      case "close" -> {
        Worker worker = workers.remove(queue.name());
        if (worker != null) {
          worker.close(grace);
        }
        yield null;
      }
      case "schedule" -> schedule(queue, command);
      case "scheduleAll" -> {
        List<Message<byte[]>> messages = new ArrayList<>();
        command.get("messages").forEach(each -> messages.add(message(each)));
        yield queue.scheduleAll(messages).stream().map(Scheduled::outcome).toList();
      }
      case "cancel" -> queue.cancel(id);
      case "reschedule" ->
          queue.reschedule(id, Due.after(span(command.at("/options/delay").asString())));
      case "runNow" -> queue.runNow(id);
      default -> queue.find(id).map(StoredMessage::state).orElse(null);
    };
  }

  /** Tries again, as the other clients do by themselves; the id makes it safe. */
  private static Object schedule(TimedQueue<byte[]> queue, JsonNode command) {
    Message<byte[]> message = message(command);
    for (int tries = 1; ; tries++) {
      try {
        return queue.schedule(message, ifPresent(command.path("options"))).outcome();
      } catch (StoreUnavailableException e) {
        if (tries == 20) {
          throw e;
        }
      }
    }
  }

  private static WorkerOptions options(JsonNode command) {
    return WorkerOptions.builder()
        .concurrency(command.get("concurrency").asInt())
        .lease(span(command.get("lease").asString()))
        .name("scenario")
        .build();
  }

  private static Duration span(String text) {
    return text.endsWith("ms")
        ? Duration.ofMillis(Long.parseLong(text.replace("ms", "")))
        : Duration.parse("PT" + text.toUpperCase(Locale.ROOT));
  }

  private static Message<byte[]> message(JsonNode command) {
    JsonNode options = command.has("options") ? command.get("options") : command;
    byte[] payload =
        command.has("bytes")
            ? command.get("bytes").asString().getBytes(StandardCharsets.ISO_8859_1)
            : JSON.writeValueAsBytes(command.get("payload"));
    Message<byte[]> message = Message.of(payload);
    message = options.has("id") ? message.id(options.get("id").asString()) : message;
    message = options.has("delay") ? message.dueIn(span(options.get("delay").asString())) : message;
    message =
        options.has("at") ? message.dueAt(Instant.parse(options.get("at").asString())) : message;
    return options.has("every")
        ? message.recurring(Recurrence.every(span(options.get("every").asString())))
        : message;
  }

  private static IfPresent ifPresent(JsonNode options) {
    return options.has("ifPresent")
        ? IfPresent.valueOf(options.get("ifPresent").asString().toUpperCase(Locale.ROOT))
        : IfPresent.KEEP;
  }

  /** Returns JSON, or a character for each byte of anything else. */
  private static JsonNode payload(byte[] payload) {
    try {
      JsonNode tree = JSON.readTree(payload);
      if (!tree.isMissingNode()) {
        return tree;
      }
    } catch (JacksonException e) {
      // Not JSON.
    }
    return JSON.getNodeFactory().stringNode(new String(payload, StandardCharsets.ISO_8859_1));
  }

  private void handle(Delivery<byte[]> delivery) throws Exception {
    JsonNode payload = payload(delivery.payload());
    tell(
        "event",
        "begin",
        "id",
        delivery.id(),
        "attempt",
        delivery.attempt(),
        "late",
        delivery.lateness().toMillis(),
        "payload",
        payload);
    switch (payload.path("do").asString()) {
      case "fail" -> throw new CardError();
      case "exit" -> throw new AssertionError("a handler must not do this");
      case "bury" -> delivery.bury("no such card");
      case "end" -> delivery.endRecurrence();
      case "retry" -> {
        if (delivery.attempt() == 1) {
          delivery.retry(Duration.ofMillis(50), "not yet");
        }
      }
      case "hang" -> hang(delivery);
      case "later" -> {
        if (seen.add(delivery.id())) {
          throw new RetryAfterException(Duration.ofMillis(50), null);
        }
      }
      default -> {}
    }
  }

  private CompletableFuture<Void> going(String id) {
    return going.computeIfAbsent(id, first -> new CompletableFuture<>());
  }

  private void hang(Delivery<byte[]> delivery) throws InterruptedException {
    try {
      CompletableFuture<Void> lost = new CompletableFuture<>();
      delivery.onLost(() -> lost.complete(null));
      CompletableFuture.anyOf(going(delivery.id()), lost).get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      tell("event", "lost", "id", delivery.id());
      throw e;
    }
    tell("event", delivery.isLost() ? "lost" : "end", "id", delivery.id());
  }
}
