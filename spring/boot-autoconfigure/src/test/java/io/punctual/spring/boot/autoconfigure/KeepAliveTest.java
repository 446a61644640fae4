package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.kit.process.JavaProcess;
import io.punctual.spring.PunctualListener;
import io.punctual.spring.PunctualTemplate;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.config.AutowireCapableBeanFactory;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Tests that a process without a web server stays alive until its first message is due. */
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
    assertDelivers(Application.class);
  }

  private void assertDelivers(Class<?> application) throws Exception {
    try (JavaProcess process =
        ApplicationProcess.start(
            application,
            "--spring.main.web-application-type=none",
            "--punctual.url=journal:" + folder.resolve("data"))) {
      assertThat(process.awaitLine("DELIVERED")).isEqualTo("DELIVERED 42");
      process.terminate();
      process.awaitExit();
    }
  }

  /** An application that registers its listener after the start of the context. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class LateApplication {
    public static void main(String[] arguments) {
      SpringApplication.run(LateApplication.class, arguments);
    }

    @Bean
    ApplicationRunner first(AutowireCapableBeanFactory beans, PunctualTemplate punctual) {
      return arguments -> {
        punctual.schedule("later", "42", Duration.ofSeconds(1));
        beans.initializeBean(new Listener(), "late");
      };
    }
  }

  @Test
  void listenerRegisteredAfterTheStart_keepsTheProcessAlive() throws Exception {
    assertDelivers(LateApplication.class);
  }

  static class Listener {
    @PunctualListener("later")
    void handle(String text) {
      System.out.println("DELIVERED " + text);
    }
  }
}
