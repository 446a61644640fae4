package io.punctual.spring.boot.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionDetailsFactory;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;
import org.springframework.boot.ssl.SslBundle;

/** Creates the connection details of a Redis or Valkey service of Docker Compose. */
final class PunctualDockerComposeConnectionDetailsFactory
    extends DockerComposeConnectionDetailsFactory<PunctualConnectionDetails> {
  PunctualDockerComposeConnectionDetailsFactory() {
    super(RedisImages.names());
  }

  @Override
  protected PunctualConnectionDetails getDockerComposeConnectionDetails(
      DockerComposeConnectionSource source) {
    return new Details(source.getRunningService());
  }

  private static final class Details extends DockerComposeConnectionDetails
      implements ServiceConnectionDetails {
    private final @Nullable SslBundle bundle;
    private final String url;

    Details(RunningService service) {
      super(service);
      bundle = getSslBundle(service);
      url = RedisImages.url(service.host(), service.ports().get(RedisImages.PORT), bundle != null);
    }

    @Override
    public String getUrl() {
      return url;
    }

    @Override
    public @Nullable SslBundle getSslBundle() {
      return bundle;
    }
  }
}
