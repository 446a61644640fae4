package io.punctual.spring.boot.autoconfigure;

import io.punctual.kit.process.JavaProcess;
import java.time.Duration;

final class ApplicationProcess {
  private ApplicationProcess() {}

  static JavaProcess start(Class<?> application, String... properties) {
    return JavaProcess.of(application)
        .arguments("--server.port=0", "--spring.docker.compose.enabled=false")
        .arguments(properties)
        .patience(Duration.ofMinutes(3))
        .start();
  }
}
