package com.example.shop;

import io.punctual.Delivery;
import io.punctual.spring.PunctualListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Closes unpaid orders and sends reminders when their messages are due. */
@Component
class OrderListeners {
  private static final Logger log = LoggerFactory.getLogger(OrderListeners.class);
  private final Orders orders;

  OrderListeners(Orders orders) {
    this.orders = orders;
  }

  @PunctualListener(Orders.TIMEOUTS)
  void close(String orderId, Delivery<String> delivery) {
    orders
        .close(orderId)
        .ifPresent(
            order ->
                log.info(
                    "Closed unpaid order {}, {} ms after its time",
                    orderId,
                    delivery.lateness().toMillis()));
  }

  @PunctualListener(Orders.REMINDERS)
  void remind(String orderId) {
    orders
        .find(orderId)
        .filter(order -> order.status() == Order.Status.OPEN)
        .ifPresent(order -> log.info("Dear {}, please pay order {}", order.customer(), orderId));
  }
}
