package com.example.shop;

import com.example.shop.Order.Status;
import io.punctual.Message;
import io.punctual.spring.PunctualTemplate;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Service;

/** The orders. A real shop keeps them in a database. */
@Service
public class Orders {
  static final String TIMEOUTS = "order-timeouts";
  static final String REMINDERS = "payment-reminders";
  static final String WEBHOOKS = "webhooks";

  /** The time during which customers may repeat a payment. */
  private static final Duration REPEATED_FOR = Duration.ofDays(1);

  private final Map<String, Order> byId = new ConcurrentHashMap<>();
  private final PunctualTemplate punctual;
  private final ShopProperties shop;

  Orders(PunctualTemplate punctual, ShopProperties shop) {
    this.punctual = punctual;
    this.shop = shop;
  }

  /** Stores an order, and schedules its reminder and its closing; a payment cancels both. */
  Order place(String customer, int cents) {
    Order order = new Order(UUID.randomUUID().toString(), customer, cents, Status.OPEN);
    byId.put(order.id(), order);
    schedule(TIMEOUTS, order, shop.paymentTime());
    schedule(REMINDERS, order, shop.reminderTime());
    return order;
  }

  /** Schedules a message with the id of the order, so that a payment can cancel the message. */
  private void schedule(String queue, Order order, Duration delay) {
    punctual.schedule(queue, Message.of(order.id()).id(order.id()).dueIn(delay));
  }

  /**
   * Takes the payment of an order; returns empty if the order is closed or unknown. A payment can
   * be repeated, for example because its reply was lost: Punctual remembers the id of the webhook
   * for a day, so that a repeated payment schedules no second webhook.
   */
  Optional<Order> pay(String id) {
    Optional<Order> paid = change(id, Status.PAID);
    paid.ifPresent(
        order -> {
          punctual.cancel(TIMEOUTS, id);
          punctual.cancel(REMINDERS, id);
          punctual.schedule(WEBHOOKS, Message.of(order).id(id).rememberFor(REPEATED_FOR));
        });
    return paid;
  }

  /** Closes an open order; returns empty if the order is paid or unknown. */
  Optional<Order> close(String id) {
    return change(id, Status.CLOSED);
  }

  Optional<Order> find(String id) {
    return Optional.ofNullable(byId.get(id));
  }

  long count(Status status) {
    return byId.values().stream().filter(order -> order.status() == status).count();
  }

  /**
   * Changes the status of an order if it is open; returns the order if it then has this status. A
   * message can arrive twice, and the second arrival must change nothing.
   */
  private Optional<Order> change(String id, Status status) {
    Order after =
        byId.computeIfPresent(
            id, (key, order) -> order.status() == Status.OPEN ? order.with(status) : order);
    return Optional.ofNullable(after).filter(order -> order.status() == status);
  }
}
