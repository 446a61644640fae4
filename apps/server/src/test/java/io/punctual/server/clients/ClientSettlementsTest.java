package io.punctual.server.clients;

import static io.punctual.server.clients.Drivers.command;
import static io.punctual.server.clients.Drivers.work;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Settlements that a server does not answer, for the clients of other languages. */
class ClientSettlementsTest extends ClientHarness {
  /**
   * The relay answers no request with the sick message, as a server with a partition that hangs.
   * The second extension is as late as the end of the first lease.
   */
  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "JAVA")
  void anExtensionThatIsNotAnswered_doesNotKeepTheOthers(Language language) throws IOException {
    Driver client = drivers.of(language);
    try (Relay relay = new Relay(server.server().address())) {
      client.call(command(relay.address(), queue, "work", work(2, "15s", "0s")));
      for (String id : List.of("sick", "well")) {
        client.call(here("schedule", draft(id + queue, "{'do':'hang'}")));
        client.event("begin", id + queue, 1);
      }
      relay.hold("sick");

      soon().until(() -> relay.answered().stream().filter(this::extendsWellOnly).count() >= 2);

      soon().until(() -> relay.holds() >= 3);
      client.send("'do':'go','id':'well%s'".formatted(queue));
      awaitGone("well" + queue);
      assertThat(client.event("end", "well" + queue, 0)).isNotNull();
      assertThat(client.begun("well" + queue)).as(client.log()).isEqualTo(2);
      relay.letGo();
      client.call(command(relay.address(), queue, "close", ""));
    }
  }

  private boolean extendsWellOnly(String request) {
    return request.contains("extend") && request.contains("well") && !request.contains("sick");
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "JAVA")
  void anAckThatIsNotAnswered_keepsNeitherOthersNorClaims(Language language) throws IOException {
    Driver client = drivers.of(language);
    try (Relay relay = new Relay(server.server().address())) {
      client.call(command(relay.address(), queue, "work", work(3, "1h", "0s")));
      for (String id : List.of("sick", "well")) {
        client.call(here("schedule", draft(id + queue, "{'do':'hang'}")));
        client.event("begin", id + queue, 1);
      }
      relay.hold("sick");
      client.send("'do':'go','id':'sick%s'".formatted(queue));
      soon().until(() -> relay.holds() > 0);

      client.send("'do':'go','id':'well%s'".formatted(queue));
      awaitGone("well" + queue);
      for (String id : List.of("x", "y", "z", "u", "v", "w")) {
        client.call(here("schedule", draft(id + queue, "null")));
        client.event("begin", id + queue, 1);
        awaitGone(id + queue);
      }

      relay.letGo();
      awaitGone("sick" + queue);
      assertThat(client.begun("sick" + queue)).as(client.log()).isEqualTo(2);
      client.call(command(relay.address(), queue, "close", ""));
    }
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "JAVA")
  void theLastSettlements_areSentAgainUntilTheServerTakesThem(Language language)
      throws IOException {
    Driver client = drivers.of(language);
    try (Relay relay = new Relay(server.server().address())) {
      client.call(command(relay.address(), queue, "work", work(1, "1h", "0s")));
      client.call(here("schedule", draft("last", "{'do':'hang'}")));
      client.event("begin", "last", 1);
      relay.refuse("\"release\"");

      client.call(command(relay.address(), queue, "close", "'grace':'0s'"));

      assertThat(relay.hasRefused()).isTrue();
      assertThat(client.call(here("find", "'id':'last'"))).isEqualTo("READY");
    }
  }

  /** Two acks wait, one of them with a claim where the client sends it so, when the server goes. */
  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "JAVA")
  void aWorkerWhoseServerIsAway_closesAllTheSame(Language language) throws IOException {
    Driver client = drivers.of(language);
    String address;
    try (Relay relay = new Relay(server.server().address())) {
      address = relay.address();
      client.call(command(address, queue, "work", work(2, "1h", "0s")));
      for (String id : List.of("a", "b")) {
        client.call(here("schedule", draft(id + queue, "{'do':'hang'}")));
        client.event("begin", id + queue, 1);
      }
      relay.hold("\"ack\"");
      client.send("'do':'go','id':'a%s'".formatted(queue));
      soon().until(() -> relay.holds() == 1);
      client.send("'do':'go','id':'b%s'".formatted(queue));
      client.event("end", "b" + queue, 0);
      if (language == Language.GO) { // whose claims may have taken neither ack along before
        client.call(here("schedule", draft("c" + queue, "{'do':'hang'}")));
        client.event("begin", "c" + queue, 1);
      }
      soon().until(() -> relay.holds() >= 2);
    }
    long begin = System.nanoTime();

    client.call(command(address, queue, "close", ""));

    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(15));
  }
}
