package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.Message;
import io.punctual.MessageQuery;
import io.punctual.Punctual;
import io.punctual.State;
import io.punctual.StoredMessage;
import io.punctual.TimedQueue;
import io.punctual.kit.process.JavaProcess;
import io.punctual.kit.redis.RedisProcess;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests a SIGTERM while handlers and a web request use Spring Data's connections. */
class ShutdownTest {
  private static final int HANDLERS = 4;
  private static final int HELD = 12;
  private static final int BUSY = 5000;
  private static RedisProcess redis;

  @BeforeAll
  static void startRedis() {
    redis = RedisProcess.start();
  }

  @AfterAll
  static void stopRedis() {
    redis.close();
  }

  @Test
  @Tag("extended")
  void sigterm_losesNoAckAndNoRequest_andRepeatsNothing() throws Exception {
    try (Punctual punctual = open("calm")) {
      TimedQueue<String> held = fill(punctual, "held", HELD);
      TimedQueue<String> busy = fill(punctual, "busy", BUSY);
      try (JavaProcess process = start("calm")) {
        String port = process.awaitLine("READY").substring("READY ".length());
        process.awaitLines("HELD", HANDLERS);
        CompletableFuture<HttpResponse<String>> request = request(port);
        process.awaitLine("REQUEST");
        await().atMost(Duration.ofMinutes(1)).until(() -> runs("busy").size() > 200);
        process.terminate();
        process.awaitLine("CLOSING");
        process.write("\n");
        process.awaitExit();
        assertThat(request.get(60, TimeUnit.SECONDS).body()).isEqualTo("order 1");
        assertThat(punctual.queue("late", Codec.string()).counts().scheduled()).isEqualTo(1);
        // Spring logs this text if the listeners do not stop within the 30 seconds of their phase.
        assertThat(process.log()).doesNotContain("Shutdown phase");
      }
      assertThat(verify(held, HELD)).isGreaterThanOrEqualTo(HANDLERS);
      assertThat(verify(busy, BUSY)).isGreaterThanOrEqualTo(100);
    }
  }

  /**
   * The messages of handlers that outlast the grace period stay leased, and are redelivered later.
   */
  @Test
  @Tag("extended")
  void sigterm_handlersOutlastTheGrace_onlyTheseAreRedelivered() throws Exception {
    try (Punctual punctual = open("stuck")) {
      TimedQueue<String> held = fill(punctual, "held", HELD);
      Set<String> running;
      try (JavaProcess process = start("stuck", "--punctual.listener.shutdown-grace=100ms")) {
        running = new HashSet<>(process.awaitLines("HELD", HANDLERS));
        process.terminate();
        process.awaitExit();
        assertThat(process.log()).doesNotContain("Shutdown phase");
      }
      for (int i = 0; i < HELD; i++) {
        StoredMessage<String> message = held.find("m" + i).orElseThrow();
        assertThat(message.attempts())
            .as("attempts of " + message.id())
            .isEqualTo(running.contains("HELD " + message.id()) ? 1 : 0);
      }
    }
  }

  private static JavaProcess start(String namespace, String... properties) {
    List<String> all = new ArrayList<>(List.of(properties));
    all.add("--punctual.url=" + redis.url());
    all.add("--punctual.redis.namespace=" + namespace);
    all.add("--spring.data.redis.port=" + redis.port());
    return ApplicationProcess.start(ShutdownApplication.class, all.toArray(String[]::new));
  }

  private static Punctual open(String namespace) {
    return Punctual.open(redis.url() + "?namespace=" + namespace);
  }

  private static TimedQueue<String> fill(Punctual punctual, String name, int messages) {
    TimedQueue<String> queue = punctual.queue(name, Codec.string());
    queue.scheduleAll(
        IntStream.range(0, messages).mapToObj(i -> Message.of("work").id("m" + i)).toList());
    return queue;
  }

  /**
   * Checks that each message was either handled once and acked, or waits and has no counted
   * attempt. Returns the number of handled messages.
   */
  private static int verify(TimedQueue<String> queue, int messages) {
    Set<String> ran = new HashSet<>();
    Iterator<?> runs = runs(queue.name()).iterator();
    while (runs.hasNext()) {
      String id = String.valueOf(runs.next());
      assertThat(runs.next()).as("runs of " + id).isEqualTo("1");
      ran.add(id);
    }
    Set<String> waiting = new HashSet<>();
    for (StoredMessage<String> message : waiting(queue)) {
      assertThat(message.attempts()).as("attempts of " + message.id()).isZero();
      waiting.add(message.id());
    }
    assertThat(queue.counts().leased()).isZero();
    assertThat(waiting).doesNotContainAnyElementsOf(ran);
    assertThat(ran.size() + waiting.size()).as("messages").isEqualTo(messages);
    return ran.size();
  }

  private static List<StoredMessage<String>> waiting(TimedQueue<String> queue) {
    return queue.stream(MessageQuery.of(State.READY).limit(1000)).toList();
  }

  /** Returns the ids of messages, each followed by the number of its runs. */
  private static List<?> runs(String queue) {
    return (List<?>) redis.ask("HGETALL", queue + "-runs");
  }

  private static CompletableFuture<HttpResponse<String>> request(String port) {
    return HttpClient.newHttpClient()
        .sendAsync(
            HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/place")).build(),
            BodyHandlers.ofString());
  }
}
