package io.punctual.spring.boot.autoconfigure;

/** Joins the last segments of an endpoint's path to an id, which may contain slashes. */
final class Paths {
  private Paths() {}

  static String id(String... segments) {
    return String.join("/", segments);
  }
}
