package io.punctual.spring.boot.autoconfigure;

import io.punctual.Punctual;
import io.punctual.spring.PunctualListener;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.annotation.Configuration;

/** An application with a web server, whose endpoints are requested over HTTP. */
final class ActuatorApplication implements AutoCloseable {
  private final ServletWebServerApplicationContext context;
  private final HttpClient http = HttpClient.newHttpClient();

  private ActuatorApplication(ServletWebServerApplicationContext context) {
    this.context = context;
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
  static class Application {
    @PunctualListener(value = "handled", id = "handled")
    void handle(String text) {}
  }

  static ActuatorApplication run(String... properties) {
    List<String> all =
        List.of(
            "server.port=0",
            "management.endpoints.web.exposure.include=*",
            "management.endpoint.health.show-details=always");
    String[] arguments =
        Stream.concat(all.stream(), Stream.of(properties))
            .map(each -> "--" + each)
            .toArray(String[]::new);
    SpringApplication application = new SpringApplication(Application.class);
    return new ActuatorApplication((ServletWebServerApplicationContext) application.run(arguments));
  }

  Punctual punctual() {
    return context.getBean(Punctual.class);
  }

  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder().GET(), path);
  }

  HttpResponse<String> post(String path, String action) throws IOException, InterruptedException {
    return postJson(path, "{\"action\":\"" + action + "\"}");
  }

  HttpResponse<String> postJson(String path, String json) throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder()
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(json));
    return send(request, path);
  }

  private HttpResponse<String> send(HttpRequest.Builder request, String path)
      throws IOException, InterruptedException {
    int port = context.getWebServer().getPort();
    return http.send(
        request.uri(URI.create("http://localhost:" + port + "/actuator/" + path)).build(),
        BodyHandlers.ofString());
  }

  @Override
  public void close() {
    context.close();
  }
}
