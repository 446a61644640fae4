package com.example.shop;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.spring.boot.test.AutoConfigurePunctualTest;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

/** Tests that the console and its API are behind the security of the shop. */
@SpringBootTest(
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = "spring.datasource.url=jdbc:h2:mem:console")
@AutoConfigurePunctualTest
class ConsoleTest {
  private static final String ANN =
      "Basic " + Base64.getEncoder().encodeToString("ann:secret".getBytes(StandardCharsets.UTF_8));

  private final HttpClient client = HttpClient.newHttpClient();

  @Value("${local.server.port}")
  private int port;

  @Autowired private Orders orders;

  private HttpResponse<String> send(String method, String path, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
            .method(method, HttpRequest.BodyPublishers.noBody());
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void console_asksForTheSignInOfTheShop() throws Exception {
    HttpResponse<String> page = send("GET", "/punctual/console/", "Accept", "text/html");

    assertThat(page.statusCode()).isEqualTo(302);
    assertThat(page.headers().firstValue("Location").orElseThrow()).endsWith("/login");
    assertThat(send("GET", "/punctual/v1/queues", "Accept", "application/json").statusCode())
        .isEqualTo(401);
  }

  @Test
  void ann_seesTheQueues_andMayPauseThem() throws Exception {
    Order order = orders.place("Ada", 1999);

    assertThat(send("GET", "/punctual/console/", "Authorization", ANN).body())
        .contains("<title>Punctual</title>");
    assertThat(send("GET", "/punctual/v1/overview", "Authorization", ANN).statusCode())
        .isEqualTo(200);
    String queue = "/punctual/v1/queues/" + Orders.TIMEOUTS;
    assertThat(send("GET", queue + "/messages/" + order.id(), "Authorization", ANN).body())
        .contains("SCHEDULED");
    assertThat(send("PUT", queue + "/pause", "Authorization", ANN).statusCode()).isEqualTo(200);
    assertThat(send("DELETE", queue + "/pause", "Authorization", ANN).statusCode()).isEqualTo(200);
  }

  @Test
  void pageOfAnotherSite_isRefused_andCustomersOrderWithoutASignIn() throws Exception {
    assertThat(
            send("GET", "/punctual/v1/queues", "Authorization", ANN, "Sec-Fetch-Site", "cross-site")
                .statusCode())
        .isEqualTo(403);
    assertThat(send("GET", "/orders/unknown").statusCode()).isEqualTo(404);
  }
}
