package io.punctual.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Punctual;
import io.punctual.kit.views.EveryState;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** The HTTP API shows the same JSON as every other program. */
final class OneShapeTest {
  private static final JsonMapper JSON = new JsonMapper();

  @Test
  void messageInEveryState_isShownAsByOtherPrograms() {
    try (EveryState every = new EveryState();
        ApiDriver api =
            new ApiDriver(Punctual.builder().store(every.store()).build(), settings -> settings)) {
      assertShown(api.get("/v1/queues/" + EveryState.QUEUE), EveryState.queue());
      EveryState.messages()
          .forEach(
              (id, json) ->
                  assertShown(api.get("/v1/queues/" + EveryState.QUEUE + "/messages/" + id), json));
    }
  }

  private static void assertShown(ApiDriver.Response response, String json) {
    assertThat(JSON.readTree(EveryState.normal(response.is(200).text())))
        .isEqualTo(JSON.readTree(json));
  }
}
