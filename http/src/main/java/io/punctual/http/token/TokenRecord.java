package io.punctual.http.token;

import io.punctual.http.access.Caller;
import io.punctual.http.access.Grant;
import io.punctual.http.access.Right;
import io.punctual.http.json.Fields;
import io.punctual.http.json.JsonInput;
import io.punctual.http.json.JsonOutput;
import io.punctual.view.Tree;
import io.punctual.view.Values;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A token as the store keeps it. Immutable.
 *
 * @param id its id
 * @param sha256 the SHA-256 of its text
 * @param roles the names of its roles
 * @param expires when it ends, or null
 * @param createdAt when it was made
 * @param by who made it
 */
record TokenRecord(
    String id,
    String sha256,
    List<String> roles,
    @Nullable Instant expires,
    Instant createdAt,
    String by) {
  private static final Fields FIELDS =
      Fields.of("id", "sha256", "roles", "expires", "createdAt", "by");
  private static final int MOST_ROLES = 100;

  TokenRecord {
    roles = List.copyOf(roles);
  }

  /** Returns what callers see. */
  Tree tree() {
    return new Tree()
        .put("id", id)
        .put("roles", roles)
        .put("createdAt", Values.instant(createdAt))
        .put("by", by)
        .put("expires", expires == null ? null : (Object) Values.instant(expires));
  }

  byte[] toBytes() {
    return JsonOutput.tree(tree().put("sha256", sha256).toMap());
  }

  static TokenRecord parse(byte[] bytes) {
    return JsonInput.read(
        bytes,
        input -> {
          String[] texts = {"", "", ""};
          List<?>[] roles = {List.of()};
          Instant[] times = new Instant[2];
          input.object(
              FIELDS,
              name -> {
                switch (name) {
                  case "id" -> texts[0] = input.text();
                  case "sha256" -> texts[1] = input.text();
                  case "by" -> texts[2] = input.text();
                  case "roles" -> roles[0] = input.array(MOST_ROLES, JsonInput::text);
                  case "expires" -> times[0] = input.instant();
                  default -> times[1] = input.instant();
                }
              });
          return new TokenRecord(
              texts[0],
              texts[1],
              roles[0].stream().map(String.class::cast).toList(),
              times[0],
              Objects.requireNonNullElse(times[1], Instant.EPOCH),
              texts[2]);
        });
  }

  /** Returns the rights of the roles that are configured now; a role that is gone has none. */
  Set<Grant> grants(Map<String, Set<Grant>> byRole) {
    Set<Grant> all = new HashSet<>();
    roles.forEach(role -> all.addAll(byRole.getOrDefault(role, Set.of())));
    return all;
  }

  /** Returns whether a caller manages all queues to which this token has rights. */
  boolean isManagedBy(Caller caller, Map<String, Set<Grant>> byRole) {
    return caller.may(Right.ADMIN, "")
        || (byRole.keySet().containsAll(roles)
            && grants(byRole).stream().allMatch(grant -> caller.may(Right.ADMIN, grant.prefix())));
  }
}
