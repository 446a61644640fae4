package io.punctual.server;

import io.punctual.server.config.ServerConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;

/** A server on a free port whose configuration a test writes. */
public final class TestServer implements AutoCloseable {
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final Path file;
  private final PunctualServer server;

  private TestServer(Path file, PunctualServer server) {
    this.file = file;
    this.server = server;
  }

  /** Starts a server on {@code memory:} with a configuration in a folder. */
  public static TestServer start(Path folder, String yaml) {
    return start(folder, "memory:", yaml);
  }

  public static TestServer start(Path folder, String store, String yaml) {
    Path file = write(folder.resolve("punctual.yaml"), yaml);
    ServerConfig.Options options = new ServerConfig.Options(file, store, null, null, 0);
    try {
      return new TestServer(file, PunctualServer.start(options, Map.of("SECRET", "value")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes a file that only its owner may read. */
  public static Path write(Path file, String text) {
    try {
      Files.writeString(file, text);
      return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes the configuration again, and lets the server read it. */
  public boolean reload(String yaml) {
    write(file, yaml);
    return server.reload();
  }

  public PunctualServer server() {
    return server;
  }

  public int port() {
    return server.address().getPort();
  }

  /** Sends a request with headers, names and values in turn. */
  public HttpResponse<String> send(String method, String path, String body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(server.address() + path))
            .method(method, HttpRequest.BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    try {
      return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  public HttpResponse<String> get(String path, String... headers) {
    return send("GET", path, "", headers);
  }

  @Override
  public void close() {
    server.close();
  }
}
