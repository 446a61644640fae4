package io.punctual.console;

import io.punctual.http.access.AccessToken;

/** The tokens of a server's configuration, each with a role of its own. */
final class Tokens {
  private final StringBuilder roles = new StringBuilder("roles:\n");
  private final StringBuilder tokens = new StringBuilder("tokens:\n");

  /** Adds a token with the rights of a role, such as {@code {observe: '*'}}, and returns it. */
  String add(String name, String role) {
    String token = AccessToken.generate(name);
    roles.append("  %s: %s%n".formatted(name, role));
    tokens.append(
        "  - {id: %s, sha256: %s, role: %s}%n".formatted(name, AccessToken.sha256(token), name));
    return token;
  }

  String yaml() {
    return roles.toString() + tokens;
  }
}
