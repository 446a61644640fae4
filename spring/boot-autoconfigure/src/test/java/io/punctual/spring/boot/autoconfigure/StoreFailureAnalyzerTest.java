package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.punctual.Punctual;
import io.punctual.spring.PunctualTemplate;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** Tests that the advice fits the cause of a start without the store. */
class StoreFailureAnalyzerTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(PunctualAutoConfiguration.class));

  private static String action(Throwable failure, String... properties) {
    try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
      TestPropertyValues.of(properties).applyTo(context);
      return new StoreFailureAnalyzer(context.getEnvironment()).analyze(failure).getAction();
    }
  }

  @Test
  void redisAway() {
    String url = "punctual.url=redis://localhost:1";
    runner
        .withPropertyValues(url)
        .run(
            context ->
                assertThat(action(context.getStartupFailure(), url))
                    .contains("Start the server")
                    .contains("punctual.startup.on-unavailable=wait")
                    .contains("@AutoConfigurePunctualTest"));
  }

  @Test
  void journalOfADifferentProcess(@TempDir Path folder) {
    String url = "punctual.url=journal:" + folder;
    try (Punctual owner = Punctual.open("journal:" + folder)) {
      runner
          .withPropertyValues(url)
          .run(
              context ->
                  assertThat(action(context.getStartupFailure(), url))
                      .contains("different process has the journal open", "jdbc:")
                      .doesNotContain("Start the server"));
      assertThat(owner.queues()).isEmpty();
    }
  }

  @Test
  void callDuringAStartInTheBackground() {
    String[] properties = {
      "punctual.url=redis://localhost:1", "punctual.startup.on-unavailable=background"
    };
    runner
        .withPropertyValues(properties)
        .withPropertyValues("punctual.blocking-timeout=10ms")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              PunctualTemplate template = context.getBean(PunctualTemplate.class);
              Throwable failure =
                  catchThrowable(() -> template.schedule("orders", "1", Duration.ZERO));
              assertThat(action(failure, properties))
                  .contains("a call needed the store", "ApplicationRunner")
                  .doesNotContain("with background it starts");
            });
  }
}
