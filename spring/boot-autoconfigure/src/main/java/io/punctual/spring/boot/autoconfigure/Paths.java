package io.punctual.spring.boot.autoconfigure;

/** The rest of an endpoint's path as an id, which may contain slashes. */
final class Paths {
  private Paths() {}

  static String id(String... segments) {
    return String.join("/", segments);
  }
}
