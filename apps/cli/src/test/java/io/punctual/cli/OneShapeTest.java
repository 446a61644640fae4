package io.punctual.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.kit.views.EveryState;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** The command line shows the same JSON as every other program. */
class OneShapeTest {
  private static final JsonMapper JSON = new JsonMapper();

  @Test
  void messageInEveryState_isShownAsByOtherPrograms() {
    try (EveryState every = new EveryState()) {
      Cli cli = new Cli().shared(every.store());

      assertShown(cli.run("stats", EveryState.QUEUE, "-o", "json"), EveryState.queue());
      EveryState.messages()
          .forEach(
              (id, json) -> assertShown(cli.run("show", EveryState.QUEUE, id, "-o", "json"), json));
    }
  }

  private static void assertShown(Cli.Result result, String json) {
    assertThat(JSON.readTree(EveryState.normal(result.out()))).isEqualTo(JSON.readTree(json));
  }
}
