package com.example.shop;

/** An order of a customer. */
public record Order(String id, String customer, int cents, Status status) {
  /** The states of an order. */
  public enum Status {
    OPEN,
    PAID,
    CLOSED
  }

  Order with(Status newStatus) {
    return new Order(id, customer, cents, newStatus);
  }
}
