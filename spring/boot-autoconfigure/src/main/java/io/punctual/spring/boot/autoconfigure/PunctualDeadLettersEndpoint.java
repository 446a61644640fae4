package io.punctual.spring.boot.autoconfigure;

import io.punctual.Codec;
import io.punctual.Page;
import io.punctual.Punctual;
import io.punctual.QueueInfo;
import io.punctual.QueueQuery;
import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.deadletter.DeadLetterGroup;
import io.punctual.deadletter.DeadLetterGroups;
import io.punctual.deadletter.DeadLetterProgress;
import io.punctual.deadletter.DeadLetters;
import io.punctual.deadletter.DeadReason;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * The endpoint {@code punctualdeadletters}. Groups dead letters by their failure, and redrives a
 * group if the application allows writes.
 */
@Endpoint(id = "punctualdeadletters", defaultAccess = Access.READ_ONLY)
public final class PunctualDeadLettersEndpoint {
  private static final int PAGE = 1000;

  private final Punctual punctual;
  private final PunctualEndpointProperties properties;

  PunctualDeadLettersEndpoint(Punctual punctual, PunctualEndpointProperties properties) {
    this.punctual = punctual;
    this.properties = properties;
  }

  /** The number of dead letters of each queue that has dead letters. */
  public record Queues(Map<String, Long> queues) {}

  /**
   * The groups of a queue.
   *
   * @param total the number of dead letters in all groups
   * @param others the number of dead letters in further groups, which follow the first 1,000 groups
   */
  public record Groups(String queue, long total, long others, List<Group> groups) {}

  /**
   * Dead letters with the same reason and failure. The reason is null if it is unknown, and the
   * failure is null unless the user may see failures.
   *
   * @param key the key by which a redrive names the group
   */
  public record Group(
      String key,
      @Nullable DeadReason reason,
      @Nullable String failure,
      long count,
      Instant firstDied,
      Instant lastDied,
      String sampleId) {}

  /** Counts the dead letters of each queue that has dead letters. */
  @ReadOperation
  public Queues queues() {
    Map<String, Long> dead = new TreeMap<>();
    QueueQuery query = QueueQuery.of("").limit(PAGE);
    Optional<String> cursor = Optional.empty();
    do {
      Page<QueueInfo> page = punctual.queues(cursor.map(query::after).orElse(query));
      page.items().stream()
          .filter(queue -> queue.counts().dead() > 0)
          .forEach(queue -> dead.put(queue.name(), queue.counts().dead()));
      cursor = page.next();
    } while (cursor.isPresent());
    return new Queues(dead);
  }

  /** Groups the dead letters of a queue, or returns null if the store has no such queue. */
  @ReadOperation
  public @Nullable Groups groups(SecurityContext user, @Selector String queue) {
    DeadLetters<byte[]> letters = letters(queue);
    if (letters == null) {
      return null;
    }
    DeadLetterGroups groups = letters.groups(DeadLetterFilter.ALL);
    boolean shown = properties.showsPayloads(user);
    return new Groups(
        queue,
        groups.total(),
        groups.others(),
        groups.groups().stream().map(group -> describe(group, shown)).toList());
  }

  private static Group describe(DeadLetterGroup group, boolean showsFailure) {
    return new Group(
        group.key(),
        group.reason().orElse(null),
        showsFailure ? group.failure() : null,
        group.count(),
        group.firstDied(),
        group.lastDied(),
        group.sampleId());
  }

  /**
   * Redrives the dead letters of a group, and waits for the end of the redrive. The reply has the
   * status 404 if the store has no queue of this name, and the status 400 with a reason if the
   * action is unknown.
   */
  @WriteOperation
  public WebEndpointResponse<Object> change(@Selector String queue, String action, String group) {
    return Replies.to(
        () -> {
          DeadLetters<byte[]> letters = letters(queue);
          return letters == null ? Replies.notFound() : redrive(letters, action, group);
        });
  }

  private static WebEndpointResponse<Object> redrive(
      DeadLetters<byte[]> letters, String action, String group) {
    if (!action.toLowerCase(Locale.ROOT).equals("redrive")) {
      throw Replies.unknown(action, "redrive");
    }
    DeadLetterFilter filter = DeadLetterFilter.ALL.withGroup(group);
    DeadLetterProgress end = letters.redrive(filter, DeadLetters.UNLIMITED).await();
    return new WebEndpointResponse<>(Map.of("redriven", end.changed(), "refused", end.refused()));
  }

  /**
   * Returns the dead letters of a queue, or null if the store has no such queue. Does not create
   * the queue.
   */
  private @Nullable DeadLetters<byte[]> letters(String queue) {
    return punctual.queues().contains(queue)
        ? punctual.queue(queue, Codec.bytes()).deadLetters()
        : null;
  }
}
