package io.punctual.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.Principal;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Tests the HTTP API in an application with a web server. */
class PunctualHttpTest {
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
  static class Application {
    /** Stands for the security of the application: a header names the user. */
    @Bean
    Filter users() {
      return (request, response, chain) -> {
        HttpServletRequest http = (HttpServletRequest) request;
        chain.doFilter(http.getHeader("User") == null ? request : admin(http), response);
      };
    }

    private static HttpServletRequest admin(HttpServletRequest request) {
      return new HttpServletRequestWrapper(request) {
        @Override
        public Principal getUserPrincipal() {
          return () -> "admin";
        }

        @Override
        public boolean isUserInRole(String role) {
          return true;
        }
      };
    }
  }

  private static ServletWebServerApplicationContext run(String... properties) {
    String[] all = new String[properties.length + 2];
    all[0] = "--server.port=0";
    all[1] = "--punctual.url=memory:";
    for (int i = 0; i < properties.length; i++) {
      all[i + 2] = "--" + properties[i];
    }
    return (ServletWebServerApplicationContext) new SpringApplication(Application.class).run(all);
  }

  private static HttpResponse<String> get(
      ServletWebServerApplicationContext context, String path, String... headers) throws Exception {
    int port = context.getWebServer().getPort();
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://localhost:" + port + path));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void api_isMountedByOneProperty_behindTheSecurityOfTheApplication() throws Exception {
    try (ServletWebServerApplicationContext context = run("punctual.http.path=/punctual")) {
      HttpResponse<String> queues = get(context, "/punctual/v1/queues", "User", "admin");
      assertThat(queues.statusCode()).as(queues.body()).isEqualTo(200);
      assertThat(queues.body()).isEqualTo("{\"queues\":[]}");
      assertThat(get(context, "/punctual/v1/queues").statusCode()).isEqualTo(401);
      assertThat(get(context, "/punctual/openapi.json", "User", "admin").body()).contains("3.1.0");
      String page = get(context, "/punctual/console/q/a", "User", "admin").body();
      Matcher file = Pattern.compile("src=\"\\./\\.\\./(files/[\\w-]+/app\\.js)\"").matcher(page);
      assertThat(file.find()).as(page).isTrue();
      String script = "/punctual/console/" + file.group(1);
      assertThat(get(context, script, "User", "admin").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void withoutTheProperty_thereIsNoApi() throws Exception {
    try (ServletWebServerApplicationContext context = run()) {
      assertThat(get(context, "/punctual/v1/queues", "User", "admin").statusCode()).isEqualTo(404);
    }
  }
}
