package com.example.shop;

import io.punctual.RetryAfterException;
import io.punctual.spring.PunctualListener;
import java.time.Duration;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.RestClient;

/**
 * Sends paid orders to a partner. A failed call is retried, unless the partner answers with 400 or
 * 410. The retry policy is in {@code application.yaml}; after a 429, the {@code Retry-After} header
 * sets the delay in seconds, or the delay is a minute.
 */
@Component
class Webhooks {
  private final RestClient http;
  private final ShopProperties shop;

  Webhooks(RestClient.Builder http, ShopProperties shop) {
    this.http = http.build();
    this.shop = shop;
  }

  @PunctualListener(
      value = Orders.WEBHOOKS,
      noRetryFor = {HttpClientErrorException.BadRequest.class, HttpClientErrorException.Gone.class})
  void send(Order order) {
    try {
      http.post().uri(shop.webhookUrl()).body(order).retrieve().toBodilessEntity();
    } catch (HttpClientErrorException.TooManyRequests e) {
      throw new RetryAfterException(retryAfter(e), e);
    }
  }

  private static Duration retryAfter(HttpClientErrorException failure) {
    HttpHeaders headers = failure.getResponseHeaders();
    String seconds = headers == null ? null : headers.getFirst(HttpHeaders.RETRY_AFTER);
    return seconds != null && seconds.matches("[0-9]{1,5}")
        ? Duration.ofSeconds(Long.parseLong(seconds))
        : Duration.ofMinutes(1);
  }
}
