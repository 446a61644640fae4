package io.punctual.spring.boot.test.shop;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.spring.PunctualListener;
import io.punctual.spring.PunctualTemplate;
import io.punctual.spring.boot.autoconfigure.WorkerOptionsCustomizer;
import io.punctual.spring.boot.test.PunctualTest;
import io.punctual.spring.boot.test.PunctualTester;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;

@PunctualTest
class LingerTest {
  @Autowired private PunctualTester tester;
  @Autowired private PunctualTemplate template;
  @Autowired private Batches batches;

  static class Batches {
    final List<String> received = new CopyOnWriteArrayList<>();

    @PunctualListener(value = "batches", batchSize = "10")
    void handle(List<String> texts) {
      received.addAll(texts);
    }
  }

  @TestConfiguration(proxyBeanMethods = false)
  static class Configuration {
    @Bean
    static Batches batches() {
      return new Batches();
    }

    @Bean
    static WorkerOptionsCustomizer linger() {
      return (listener, queue, options) -> options.batchLinger(Duration.ofSeconds(5));
    }
  }

  @Test
  void batchThatIsNotFull_isProcessedWhenItIsDue() {
    template.schedule("batches", "a", Duration.ofMinutes(1));
    tester.advance(Duration.ofMinutes(1));
    assertThat(batches.received).containsExactly("a");
  }
}
