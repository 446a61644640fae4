package io.punctual.http.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.Codec;
import io.punctual.Punctual;
import io.punctual.http.HttpApi;
import io.punctual.http.console.ConsoleService;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.Principal;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.catalina.Context;
import org.apache.catalina.Wrapper;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The API in Tomcat, below a path. */
final class ApiServletTest {
  private final Punctual punctual = Punctual.open("memory:");
  private final HttpClient client = HttpClient.newHttpClient();
  private final Tomcat tomcat = new Tomcat();
  private String base = "";

  /** Stands for the security of an application: a header names the user. */
  private static final class Users implements Filter {
    private static final Set<String> ROLES = Set.of("PUNCTUAL_PRODUCE", "PUNCTUAL_CONSUME");

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
        throws IOException, ServletException {
      HttpServletRequest http = (HttpServletRequest) request;
      String user = http.getHeader("User");
      chain.doFilter(user == null ? request : as(http, user), response);
    }

    private static HttpServletRequest as(HttpServletRequest request, String user) {
      return new HttpServletRequestWrapper(request) {
        @Override
        public Principal getUserPrincipal() {
          return () -> user;
        }

        @Override
        public boolean isUserInRole(String role) {
          return user.equals("admin") || ROLES.contains(role);
        }
      };
    }
  }

  @BeforeEach
  void start(@TempDir Path folder) throws Exception {
    tomcat.setBaseDir(folder.toString());
    tomcat.setPort(0);
    Context context = tomcat.addContext("/app", folder.toString());
    ConsoleService console = new ConsoleService();
    HttpApi api =
        HttpApi.builder(punctual, new RoleAuthenticator())
            .service("/", console)
            .service(ConsoleService.PATH, console)
            .build();
    Wrapper servlet = Tomcat.addServlet(context, "api", new ApiServlet(api));
    servlet.setAsyncSupported(true);
    servlet.addMapping("/punctual/*");
    FilterDef filter = new FilterDef();
    filter.setFilterName("users");
    filter.setFilter(new Users());
    filter.setAsyncSupported("true");
    context.addFilterDef(filter);
    FilterMap map = new FilterMap();
    map.setFilterName("users");
    map.addURLPattern("/*");
    context.addFilterMap(map);
    tomcat.start();
    base = "http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + "/app/punctual";
  }

  @AfterEach
  void stop() throws Exception {
    tomcat.stop();
    tomcat.destroy();
    punctual.close();
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(base + path)).header("User", "shop");
  }

  private HttpRequest post(String path, String json) {
    return request(path)
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(json))
        .build();
  }

  private HttpResponse<String> send(HttpRequest request) throws Exception {
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void message_goesThroughTheServlet() throws Exception {
    HttpResponse<String> stored =
        send(post("/v1/queues/q/messages", "{\"id\":\"a;b%ä\",\"payload\":{\"n\":1}}"));
    assertThat(stored.statusCode()).as(stored.body()).isEqualTo(201);
    HttpResponse<String> claimed = send(post("/v1/queues/q/claims", "{\"wait\":\"5s\"}"));
    assertThat(claimed.body()).contains("\"id\":\"a;b%ä\"", "\"payload\":{\"n\":1}");
    HttpResponse<String> found = send(request("/v1/queues/q/messages/a;b%25%C3%A4").GET().build());
    assertThat(found.statusCode()).as(found.body()).isEqualTo(200);
    assertThat(found.body()).contains("LEASED");
  }

  @Test
  void poll_waitsWithoutAThread_andEndsWithAMessage() throws Exception {
    CompletableFuture<HttpResponse<String>> poll =
        client.sendAsync(
            post("/v1/queues/q/claims", "{\"wait\":\"60s\"}"),
            HttpResponse.BodyHandlers.ofString());
    punctual.queue("q", Codec.string()).schedule("\"x\"", Duration.ofMillis(200));
    assertThat(poll.get(30, TimeUnit.SECONDS).body()).contains("\"payload\":\"x\"");
  }

  @Test
  void rights_areTheRolesOfTheUser() throws Exception {
    assertThat(send(request("/v1/queues").GET().build()).statusCode()).isEqualTo(403);
    HttpRequest nobody = HttpRequest.newBuilder(URI.create(base + "/v1/queues")).build();
    assertThat(send(nobody).statusCode()).isEqualTo(401);
    HttpRequest admin =
        HttpRequest.newBuilder(URI.create(base + "/v1/queues")).header("User", "admin").build();
    assertThat(send(admin).statusCode()).isEqualTo(200);
  }

  @Test
  void failures_areProblems() throws Exception {
    HttpResponse<String> unknown = send(request("/v2").GET().build());
    assertThat(unknown.statusCode()).isEqualTo(404);
    assertThat(unknown.headers().firstValue("Content-Type")).contains("application/problem+json");
    HttpResponse<String> large = send(post("/v1/queues/q/settlements", " ".repeat((8 << 20) + 1)));
    assertThat(large.statusCode()).isEqualTo(413);
    HttpRequest.BodyPublisher chunked =
        HttpRequest.BodyPublishers.ofInputStream(
            () -> new java.io.ByteArrayInputStream(new byte[(8 << 20) + 1]));
    HttpResponse<String> chunkedLarge =
        send(
            request("/v1/queues/q/settlements")
                .header("Content-Type", "application/json")
                .POST(chunked)
                .build());
    assertThat(chunkedLarge.statusCode()).isEqualTo(413);
  }

  @ParameterizedTest
  @CsvSource({
    "Sec-Fetch-Site, cross-site",
    "Sec-Fetch-Site, same-site",
    "Origin, http://evil.example",
    "Origin, null"
  })
  void requestOfAnotherSitesPage_isRefused(String header, String value) throws Exception {
    HttpRequest forged =
        request("/v1/queues/q/messages/1/run")
            .header(header, value)
            .POST(HttpRequest.BodyPublishers.noBody())
            .build();
    HttpResponse<String> refused = send(forged);
    assertThat(refused.statusCode()).isEqualTo(403);
    assertThat(refused.body()).contains("other sites");
    assertThat(refused.headers().firstValue("Content-Security-Policy")).isPresent();
  }

  @Test
  void requestOfTheOwnPage_isServed() throws Exception {
    String origin = base.substring(0, base.indexOf("/app"));
    HttpRequest own = request("/v1/caller").header("Origin", origin).GET().build();
    HttpResponse<String> answer = send(own);
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
  }

  @Test
  void events_areStreamed() throws Exception {
    HttpRequest events =
        HttpRequest.newBuilder(URI.create(base + "/v1/events")).header("User", "admin").build();
    HttpResponse<InputStream> stream =
        client.send(events, HttpResponse.BodyHandlers.ofInputStream());
    try (InputStream body = stream.body()) {
      String first = new String(body.readNBytes(30), StandardCharsets.UTF_8);
      assertThat(first).startsWith("event: overview\ndata: {");
    }
  }

  @Test
  void console_isServedBelowThePath() throws Exception {
    HttpResponse<String> front = send(request("/").GET().build());
    assertThat(front.statusCode()).isEqualTo(308);
    URI console = URI.create(base + "/").resolve(front.headers().firstValue("Location").orElse(""));
    assertThat(console).isEqualTo(URI.create(base + "/console/"));
    HttpResponse<String> page = send(request("/console/q/mail").GET().build());
    assertThat(page.statusCode()).as(page.body()).isEqualTo(200);
    assertThat(page.headers().firstValue("Content-Security-Policy")).isPresent();
    Matcher file =
        Pattern.compile("src=\"\\./\\.\\./(files/[\\w-]+/app\\.js)\"").matcher(page.body());
    assertThat(file.find()).isTrue();
    HttpResponse<String> script = send(request("/console/" + file.group(1)).GET().build());
    assertThat(script.headers().firstValue("Content-Type").orElse(""))
        .startsWith("text/javascript");
  }
}
