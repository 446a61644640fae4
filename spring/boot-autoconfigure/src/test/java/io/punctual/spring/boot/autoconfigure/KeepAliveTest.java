package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.spring.PunctualListener;
import io.punctual.spring.PunctualTemplate;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A process without a web server ended before its first message came due. */
class KeepAliveTest {
  @TempDir private Path folder;

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {
    public static void main(String[] arguments) {
      SpringApplication.run(Application.class, arguments);
    }

    @PunctualListener("later")
    void handle(String text) {
      System.out.println("DELIVERED " + text);
    }

    @Bean
    ApplicationRunner first(PunctualTemplate punctual) {
      return arguments -> punctual.schedule("later", "42", Duration.ofSeconds(1));
    }
  }

  @Test
  void listener_keepsAProcessWithoutAWebServerAlive() throws Exception {
    try (ApplicationProcess process =
        ApplicationProcess.start(
            Application.class,
            "--spring.main.web-application-type=none",
            "--punctual.url=journal:" + folder.resolve("data"))) {
      assertThat(process.awaitLine("DELIVERED")).isEqualTo("DELIVERED 42");
      process.terminate();
      process.awaitEnd();
    }
  }

  @Test
  void keepAlive_followsTheContext() {
    ApplicationContextRunner runner =
        new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(PunctualAutoConfiguration.class))
            .withPropertyValues("punctual.url=memory:");
    runner
        .withBean(Listener.class)
        .run(
            context -> {
              ListenerKeepAlive keepAlive = context.getBean(ListenerKeepAlive.class);
              assertThat(keepAlive.isRunning()).isTrue();
              context.getSourceApplicationContext().stop();
              assertThat(keepAlive.isRunning()).isFalse();
              context.getSourceApplicationContext().start();
              assertThat(keepAlive.isRunning()).isTrue();
              context.getSourceApplicationContext().close();
              assertThat(keepAlive.isRunning()).isFalse();
            });
    runner.run(
        context -> assertThat(context.getBean(ListenerKeepAlive.class).isRunning()).isFalse());
  }

  static class Listener {
    @PunctualListener("orders")
    void handle(String text) {}
  }
}
