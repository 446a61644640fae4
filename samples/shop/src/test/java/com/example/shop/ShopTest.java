package com.example.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.client.match.MockRestRequestMatchers.requestTo;
import static org.springframework.test.web.client.response.MockRestResponseCreators.withServerError;
import static org.springframework.test.web.client.response.MockRestResponseCreators.withSuccess;

import com.example.shop.Order.Status;
import io.punctual.spring.boot.test.AutoConfigurePunctualTest;
import io.punctual.spring.boot.test.PunctualTester;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.restclient.test.autoconfigure.AutoConfigureMockRestServiceServer;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.web.client.ExpectedCount;
import org.springframework.test.web.client.MockRestServiceServer;

/**
 * Tests the closing of an unpaid order and the webhook of a paid order, on a clock that the test
 * advances.
 */
@SpringBootTest(properties = "spring.datasource.url=jdbc:h2:mem:shop")
@AutoConfigurePunctualTest
@AutoConfigureMockRestServiceServer
class ShopTest {
  @Autowired private Orders orders;
  @Autowired private PunctualTester tester;
  @Autowired private MockRestServiceServer partner;

  @Test
  void unpaidOrder_isClosedAfterThirtyMinutes() {
    Order order = orders.place("Ada", 1999);
    tester.advance(Duration.ofMinutes(29));
    assertThat(orders.find(order.id())).get().extracting(Order::status).isEqualTo(Status.OPEN);
    tester.advance(Duration.ofMinutes(1));
    assertThat(orders.find(order.id())).get().extracting(Order::status).isEqualTo(Status.CLOSED);
    assertThat(orders.pay(order.id())).isEmpty();
  }

  @Test
  void payment_cancelsTheTimeout_andTheWebhookIsRetried() {
    partner
        .expect(ExpectedCount.once(), requestTo("http://localhost:8080/partner"))
        .andRespond(withServerError());
    partner
        .expect(ExpectedCount.once(), requestTo("http://localhost:8080/partner"))
        .andRespond(withSuccess());
    Order order = orders.place("Bob", 500);
    orders.pay(order.id());
    assertThat(tester.scheduled(Orders.TIMEOUTS, String.class))
        .noneMatch(message -> message.id().equals(order.id()));
    tester.advance(Duration.ofHours(1));
    partner.verify();
    assertThat(orders.find(order.id())).get().extracting(Order::status).isEqualTo(Status.PAID);
    assertThat(tester.deadLetters(Orders.WEBHOOKS, Order.class)).isEmpty();
  }

  @Test
  void repeatedPayment_returnsTheOrder_andThePartnerReceivesItOnce() {
    partner
        .expect(ExpectedCount.once(), requestTo("http://localhost:8080/partner"))
        .andRespond(withSuccess());
    Order order = orders.place("Cleo", 700);
    assertThat(orders.pay(order.id())).isPresent();
    tester.advance(Duration.ofMinutes(1));
    assertThat(orders.pay(order.id())).isPresent();
    tester.advance(Duration.ofHours(1));
    partner.verify();
    assertThat(tester.deadLetters(Orders.WEBHOOKS, Order.class)).isEmpty();
  }
}
