package io.punctual.cli.demo;

/**
 * An order of the demo. The worker closes an order that is not paid in time.
 *
 * @param number the number of the order, from 0
 * @param customer the customer who placed the order
 * @param cents the price in cents
 */
record DemoOrder(int number, String customer, long cents) {
  /** Returns the id under which the time-out of an order is scheduled. */
  static String id(int number) {
    return "order-" + number;
  }
}
