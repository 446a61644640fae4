package io.punctual.spring.boot.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionDetailsFactory;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionSource;
import org.testcontainers.containers.Container;

/** Creates the connection details of a Redis or Valkey container in a test. */
final class PunctualContainerConnectionDetailsFactory
    extends ContainerConnectionDetailsFactory<Container<?>, PunctualConnectionDetails> {
  PunctualContainerConnectionDetailsFactory() {
    super(RedisImages.list());
  }

  @Override
  protected PunctualConnectionDetails getContainerConnectionDetails(
      ContainerConnectionSource<Container<?>> source) {
    return new Details(source);
  }

  private static final class Details extends ContainerConnectionDetails<Container<?>>
      implements ServiceConnectionDetails {
    Details(ContainerConnectionSource<Container<?>> source) {
      super(source);
    }

    @Override
    public String getUrl() {
      Container<?> container = getContainer();
      return RedisImages.url(
          container.getHost(), container.getMappedPort(RedisImages.PORT), getSslBundle() != null);
    }

    @Override
    public @Nullable SslBundle getSslBundle() {
      return super.getSslBundle();
    }
  }
}
