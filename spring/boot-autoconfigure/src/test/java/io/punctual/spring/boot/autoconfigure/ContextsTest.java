package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Punctual;
import io.punctual.spring.PunctualListener;
import io.punctual.spring.PunctualListenerRegistry;
import io.punctual.spring.PunctualTemplate;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Tests contexts with a parent, and contexts with the application's own client. */
class ContextsTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  PunctualAutoConfiguration.class, PunctualHealthAutoConfiguration.class));
  private final ApplicationContextRunner memory = runner.withPropertyValues("punctual.url=memory:");

  static class ParentListener {
    @PunctualListener(value = "parent", id = "parent")
    void handle(String text) {}
  }

  static class ChildListener {
    final BlockingQueue<String> received = new LinkedBlockingQueue<>();

    @PunctualListener(value = "child", id = "child")
    void handle(String text) {
      received.add(text);
    }
  }

  @Test
  void childContext_runsItsOwnListeners() {
    memory
        .withBean(ParentListener.class)
        .run(
            parent ->
                runner
                    .withParent(parent)
                    .withBean(ChildListener.class)
                    .run(
                        child -> {
                          assertThat(child.getBean(Punctual.class))
                              .isSameAs(parent.getBean(Punctual.class));
                          child
                              .getBean(PunctualTemplate.class)
                              .schedule("child", "hi", Duration.ZERO);
                          assertThat(
                                  child
                                      .getBean(ChildListener.class)
                                      .received
                                      .poll(60, TimeUnit.SECONDS))
                              .isEqualTo("hi");
                          assertThat(ids(child.getBean(PunctualListenerRegistry.class)))
                              .containsExactly("child");
                          assertThat(ids(parent.getBean(PunctualListenerRegistry.class)))
                              .containsExactly("parent");
                        }));
  }

  private static Iterable<String> ids(PunctualListenerRegistry registry) {
    return registry.listeners().stream().map(listener -> listener.id()).toList();
  }

  @Test
  void disabledWithAnOwnClient_hasItsHealth() {
    runner
        .withPropertyValues("punctual.enabled=false")
        .withBean(Punctual.class, () -> Punctual.open("memory:"))
        .run(context -> assertThat(context).hasNotFailed().hasSingleBean(HealthIndicator.class));
  }
}
