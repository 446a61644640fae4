package io.punctual.spring.boot.autoconfigure;

import io.punctual.Page;
import io.punctual.Punctual;
import io.punctual.QueueInfo;
import io.punctual.QueueQuery;
import io.punctual.deadletter.DeadLetterFilter;
import io.punctual.deadletter.DeadLetterGroups;
import io.punctual.deadletter.DeadLetters;
import io.punctual.task.TaskProgress;
import io.punctual.view.GroupView;
import io.punctual.view.Redaction;
import io.punctual.view.TaskView;
import io.punctual.view.Tree;
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
  private final QueueLookup queues;
  private final PunctualEndpointProperties properties;

  PunctualDeadLettersEndpoint(Punctual punctual, PunctualEndpointProperties properties) {
    this.punctual = punctual;
    this.queues = new QueueLookup(punctual);
    this.properties = properties;
  }

  /** Counts the dead letters of each queue that has dead letters. */
  @ReadOperation
  public @Nullable Object queues() {
    return Replies.of(() -> Map.of("queues", counts()));
  }

  private Map<String, Long> counts() {
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
    return dead;
  }

  /**
   * Groups the dead letters of a queue, or returns null if the store has no such queue. {@code
   * others} is the number of dead letters in further groups, which follow the first 1,000 groups.
   */
  @ReadOperation
  public @Nullable Object groups(SecurityContext user, @Selector String queue) {
    return Replies.of(
        () -> letters(queue).map(letters -> groups(user, queue, letters)).orElse(null));
  }

  private Map<String, @Nullable Object> groups(
      SecurityContext user, String queue, DeadLetters<byte[]> letters) {
    DeadLetterGroups groups = letters.groups(DeadLetterFilter.ALL);
    Redaction redaction = properties.redaction(user);
    return new Tree()
        .put("queue", queue)
        .put("total", groups.total())
        .put("others", groups.others())
        .putAll(
            "groups",
            groups.groups().stream().map(group -> GroupView.of(group, redaction)).toList())
        .toMap();
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
          Optional<DeadLetters<byte[]>> letters = letters(queue);
          return letters.isEmpty() ? Replies.notFound() : redrive(letters.get(), action, group);
        });
  }

  private static WebEndpointResponse<Object> redrive(
      DeadLetters<byte[]> letters, String action, String group) {
    if (!action.toLowerCase(Locale.ROOT).equals("redrive")) {
      throw Replies.unknown(action, "redrive");
    }
    DeadLetterFilter filter = DeadLetterFilter.ALL.withGroup(group);
    TaskProgress end = letters.redrive(filter, DeadLetters.UNLIMITED).await();
    return new WebEndpointResponse<>(TaskView.of(end, "redriven").tree());
  }

  /** Returns the dead letters of a queue, or empty if the store has no such queue. */
  private Optional<DeadLetters<byte[]>> letters(String queue) {
    return queues.isPresent(queue)
        ? Optional.of(queues.open(queue).deadLetters())
        : Optional.empty();
  }
}
