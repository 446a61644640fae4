package io.punctual.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.DeleteQueueOutcome;
import io.punctual.Message;
import io.punctual.PauseNote;
import io.punctual.Punctual;
import io.punctual.QueueLimits;
import io.punctual.State;
import io.punctual.StoreRefusedException;
import io.punctual.TimedQueue;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests the HTTP store of a server with Java clients. */
final class HttpStoreTest {
  private static final JsonMapper MAPPER = new JsonMapper();

  @TempDir private Path folder;

  @Test
  void twoClients_ofOneServer_shareItsStore() {
    try (TestServer server = TestServer.start(folder, "")) {
      String url = "http://127.0.0.1:" + server.port();
      List<String> handled = new CopyOnWriteArrayList<>();
      try (Punctual worker = Punctual.open(url);
          Punctual producer = Punctual.open(url)) {
        worker.queue("orders", Codec.string()).work(d -> handled.add(d.payload()));
        TimedQueue<String> queue = producer.queue("orders", Codec.string());
        for (int i = 0; i < 20; i++) {
          queue.schedule("order", Duration.ofMillis(i));
        }
        await().atMost(Duration.ofMinutes(1)).until(() -> handled.size() == 20);
        assertThat(server.send("GET", "/v1/queues/orders", "").body()).contains("orders");
      }
    }
  }

  /** The client sends the body of a purge only when the server asks for it. */
  @Test
  void purge_ofAServerThatRefuses_isRefused() {
    try (TestServer server = TestServer.start(folder, "");
        Punctual punctual = Punctual.open("http://127.0.0.1:" + server.port())) {
      TimedQueue<String> queue = punctual.queue("orders", Codec.string());
      queue.schedule("order", Duration.ofHours(1));
      assertThat(server.reload("readOnly: true")).isTrue();
      assertThatThrownBy(() -> queue.purge(Set.of(State.SCHEDULED)))
          .isInstanceOf(StoreRefusedException.class)
          .hasMessageContaining("read-only");
      assertThatThrownBy(() -> punctual.deleteQueue("orders"))
          .isInstanceOf(StoreRefusedException.class);
      assertThat(server.reload("")).isTrue();
      assertThat(queue.purge(Set.of(State.SCHEDULED))).isEqualTo(1);
      assertThat(punctual.deleteQueue("orders")).isEqualTo(DeleteQueueOutcome.DELETED);
    }
  }

  @Test
  void changesOfAClient_areInTheAudit_onceForAllPartitions() {
    try (TestServer server = TestServer.start(folder, "");
        Punctual punctual = Punctual.open("http://127.0.0.1:" + server.port())) {
      TimedQueue<String> queue = punctual.queue("orders", Codec.string());
      for (String id : List.of("a", "b", "c")) {
        queue.schedule(Message.of("order").id(id).dueIn(Duration.ofHours(1)));
      }
      queue.pause(new PauseNote("the bank is down", "ada"));
      queue.resume();
      queue.setLimits(QueueLimits.none().concurrency(3));
      queue.runNow("a");
      queue.cancel("b");
      queue.purge(Set.of(State.SCHEDULED, State.READY));
      punctual.deleteQueue("orders");
      await().atMost(Duration.ofMinutes(1)).until(() -> audit(server).size() == 7);
      assertThat(audit(server))
          .containsExactlyInAnyOrder(
              "HTTP store: pause orders the bank is down",
              "HTTP store: resume orders",
              "HTTP store: limits orders",
              "HTTP store: run orders a",
              "HTTP store: cancel orders b",
              "HTTP store: purge orders",
              "HTTP store: delete-queue orders");
    }
  }

  private static List<String> audit(TestServer server) {
    List<String> lines = new ArrayList<>();
    for (JsonNode entry : MAPPER.readTree(server.get("/v1/audit").body()).get("entries")) {
      lines.add(
          Stream.of("action", "queue", "id", "reason")
              .filter(entry::has)
              .map(name -> entry.get(name).asString())
              .collect(Collectors.joining(" ")));
    }
    return lines;
  }
}
