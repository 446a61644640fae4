package io.punctual.cli.demo;

/**
 * What the demo schedules: an order that is closed unless it is paid in time.
 *
 * @param number which order it is, from 0
 * @param customer who placed it
 * @param cents what it costs
 */
record DemoOrder(int number, String customer, long cents) {
  /** Returns the id under which the time-out of an order is scheduled. */
  static String id(int number) {
    return "order-" + number;
  }
}
