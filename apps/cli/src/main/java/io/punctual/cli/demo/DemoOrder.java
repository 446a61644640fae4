package io.punctual.cli.demo;

/**
 * An order of the demo, which is closed unless it is paid in time.
 *
 * @param number the number of the order, from 0
 * @param customer the customer who placed the order
 * @param cents the price
 */
record DemoOrder(int number, String customer, long cents) {
  /** Returns the id under which the time-out of an order is scheduled. */
  static String id(int number) {
    return "order-" + number;
  }
}
