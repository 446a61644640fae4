package com.example.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.example.shop.Order.Status;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.web.client.RestClient;

/** Tests the application with its real stores, over HTTP and in real time. */
class StoresTest {
  @TempDir private Path folder;

  @Test
  void database() throws Exception {
    placeAndWait();
  }

  @Test
  void journal() throws Exception {
    placeAndWait("--punctual.url=journal:" + folder.resolve("data"));
  }

  @Test
  @EnabledIfSystemProperty(named = "shop.redis", matches = "redis://.+")
  void redis() throws Exception {
    placeAndWait(
        "--spring.profiles.active=redis",
        "--punctual.url=" + System.getProperty("shop.redis"),
        "--shop.report-cron=* * * * * *");
  }

  private void placeAndWait(String... store) throws Exception {
    List<String> arguments = new ArrayList<>(List.of(store));
    arguments.add("--spring.datasource.url=jdbc:h2:async:" + folder.resolve("shop"));
    arguments.add("--server.port=0");
    arguments.add("--shop.payment-time=200ms");
    // A loaded machine may take longer than the default time-out of a second.
    arguments.add("--punctual.health.timeout=20s");
    try (var context =
        SpringApplication.run(ShopApplication.class, arguments.toArray(String[]::new))) {
      String port = context.getEnvironment().getProperty("local.server.port");
      RestClient http = RestClient.create("http://localhost:" + port);
      Order placed =
          http.post()
              .uri("/orders")
              .body(Map.of("customer", "Ada", "cents", 1999))
              .retrieve()
              .body(Order.class);
      await()
          .atMost(Duration.ofSeconds(20))
          .until(() -> find(http, placed.id()).status() == Status.CLOSED);
      assertThat(http.get().uri("/actuator/health").retrieve().body(String.class)).contains("UP");
      assertThat(http.get().uri("/actuator/punctual").retrieve().body(String.class))
          .contains("order-timeouts");
    }
  }

  private static Order find(RestClient http, String id) {
    return http.get().uri("/orders/{id}", id).retrieve().body(Order.class);
  }
}
