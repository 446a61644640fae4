package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Constructor;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetailsFactories;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetailsFactory;
import org.springframework.boot.docker.compose.core.ConnectionPorts;
import org.springframework.boot.docker.compose.core.ImageReference;
import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;
import org.springframework.core.env.Environment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;
import org.springframework.mock.env.MockEnvironment;

/** Tests the connection details of containers; needs no Docker. */
class DockerComposeDetailsTest {
  private record Service(ImageReference image) implements RunningService, ConnectionPorts {
    @Override
    public String name() {
      return "store";
    }

    @Override
    public String host() {
      return "docker.example";
    }

    @Override
    public ConnectionPorts ports() {
      return this;
    }

    @Override
    public int get(int containerPort) {
      return containerPort + 10_000;
    }

    @Override
    public List<Integer> getAll() {
      return List.of(16_379);
    }

    @Override
    public List<Integer> getAll(String protocol) {
      return getAll();
    }

    @Override
    public Map<String, String> env() {
      return Map.of();
    }

    @Override
    public Map<String, String> labels() {
      return Map.of();
    }
  }

  private static Map<Class<?>, ?> details(String image) throws ReflectiveOperationException {
    Constructor<DockerComposeConnectionSource> constructor =
        DockerComposeConnectionSource.class.getDeclaredConstructor(
            RunningService.class, Environment.class);
    constructor.setAccessible(true);
    return new ConnectionDetailsFactories(DockerComposeDetailsTest.class.getClassLoader())
        .getConnectionDetails(
            constructor.newInstance(new Service(ImageReference.of(image)), new MockEnvironment()),
            false);
  }

  @ParameterizedTest
  @ValueSource(strings = {"redis:8", "valkey/valkey:9.1", "redis/redis-stack-server"})
  void service_namesTheStore(String image) throws ReflectiveOperationException {
    assertThat(details(image).get(PunctualConnectionDetails.class))
        .isInstanceOfSatisfying(
            PunctualConnectionDetails.class,
            found -> assertThat(found.getUrl()).isEqualTo("redis://docker.example:16379"));
  }

  /**
   * Tests only that Spring finds both factories. The connection details of Testcontainers would
   * need a container.
   */
  @Test
  void factories_areFound() {
    assertThat(
            SpringFactoriesLoader.forDefaultResourceLocation()
                .load(ConnectionDetailsFactory.class, FailureHandler.throwing()))
        .hasAtLeastOneElementOfType(PunctualContainerConnectionDetailsFactory.class)
        .hasAtLeastOneElementOfType(PunctualDockerComposeConnectionDetailsFactory.class);
  }
}
