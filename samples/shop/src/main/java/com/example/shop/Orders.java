package com.example.shop;

import com.example.shop.Order.Status;
import io.punctual.Message;
import io.punctual.spring.PunctualTemplate;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * The orders. An order and its messages change in one transaction: no closing of an order that was
 * never placed, and no order without its closing. If the messages are in Redis, they are sent after
 * the commit.
 */
@Service
public class Orders {
  static final String TIMEOUTS = "order-timeouts";
  static final String REMINDERS = "payment-reminders";
  static final String WEBHOOKS = "webhooks";

  /** The time during which customers may repeat a payment. */
  private static final Duration REPEATED_FOR = Duration.ofDays(1);

  private final JdbcClient database;
  private final PunctualTemplate punctual;
  private final ShopProperties shop;

  Orders(JdbcClient database, PunctualTemplate punctual, ShopProperties shop) {
    this.database = database;
    this.punctual = punctual;
    this.shop = shop;
  }

  /** Stores an order, and schedules its reminder and its closing; a payment cancels both. */
  @Transactional
  public Order place(String customer, int cents) {
    Order order = new Order(UUID.randomUUID().toString(), customer, cents, Status.OPEN);
    database
        .sql("INSERT INTO orders (id, customer, cents, status) VALUES (?, ?, ?, ?)")
        .params(order.id(), customer, cents, order.status().name())
        .update();
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
  @Transactional
  public Optional<Order> pay(String id) {
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
  @Transactional
  public Optional<Order> close(String id) {
    return change(id, Status.CLOSED);
  }

  public Optional<Order> find(String id) {
    return database
        .sql("SELECT id, customer, cents, status FROM orders WHERE id = ?")
        .param(id)
        .query(Order.class)
        .optional();
  }

  public long count(Status status) {
    return database
        .sql("SELECT COUNT(*) FROM orders WHERE status = ?")
        .param(status.name())
        .query(Long.class)
        .single();
  }

  /**
   * Changes the status of an order if it is open; returns the order if it then has this status. A
   * message can arrive twice, and the second arrival must change nothing.
   */
  private Optional<Order> change(String id, Status status) {
    database
        .sql("UPDATE orders SET status = ? WHERE id = ? AND status = 'OPEN'")
        .params(status.name(), id)
        .update();
    return find(id).filter(order -> order.status() == status);
  }
}
