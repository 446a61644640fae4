package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Punctual;
import io.punctual.kit.views.EveryState;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The Actuator shows the same JSON as every other program. */
class OneShapeTest {
  private static final JsonMapper JSON = new JsonMapper();

  @Test
  void messageInEveryState_isShownAsByOtherPrograms() {
    try (EveryState every = new EveryState();
        Punctual reader = Punctual.builder().store(every.store()).build()) {
      PunctualEndpoint endpoint =
          new PunctualEndpoint(reader, new PunctualEndpointProperties(Show.ALWAYS, Set.of()));

      assertThat(
              shown(endpoint.queues(null, null, null).getBody())
                  .get("queues")
                  .get(EveryState.QUEUE))
          .isEqualTo(JSON.readTree(EveryState.queue()));
      EveryState.messages()
          .forEach(
              (id, json) ->
                  assertThat(shown(endpoint.message(SecurityContext.NONE, EveryState.QUEUE, id)))
                      .isEqualTo(JSON.readTree(json)));
    }
  }

  private static JsonNode shown(Object body) {
    return JSON.readTree(EveryState.normal(JSON.writeValueAsString(Objects.requireNonNull(body))));
  }

  @Test
  void storeThatFails_isAProblemWithTheReason() {
    Punctual closed = Punctual.open("memory:");
    closed.close();
    PunctualEndpoint endpoint =
        new PunctualEndpoint(closed, new PunctualEndpointProperties(Show.NEVER, Set.of()));

    assertThat(endpoint.queues(null, null, null).getStatus()).isEqualTo(503);
    assertThat(endpoint.queues(null, null, null).getBody().toString())
        .contains("urn:punctual:problem:closed", "outcome=not-done");
  }
}
