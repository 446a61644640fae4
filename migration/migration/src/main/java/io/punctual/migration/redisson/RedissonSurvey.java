package io.punctual.migration.redisson;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.protocol.CommandType;
import io.punctual.migration.internal.ImportContext;
import io.punctual.migration.internal.ImportEntry;
import io.punctual.migration.internal.ImportTally;
import io.punctual.migration.internal.RedisStaging;
import io.punctual.redis.client.deployment.Deployment;
import io.punctual.redis.client.request.Request;
import io.punctual.redis.client.request.Script;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Counts the entries of a Redisson delayed queue, and changes nothing. Not thread-safe. */
final class RedissonSurvey {
  private static final Script READ = Script.of(RedissonSurvey.class::getResourceAsStream, "survey");
  private static final int PAGE = 500;

  private final Deployment deployment;
  private final RedissonKeys keys;
  private final ImportContext context;
  private final ImportTally tally;
  private final Set<String> ids = new HashSet<>();
  private long withDue;

  RedissonSurvey(Deployment deployment, RedissonKeys keys, ImportContext context) {
    this.deployment = deployment;
    this.keys = keys;
    this.context = context;
    this.tally = context.tally();
  }

  void run() {
    for (RedissonEntry.Format format : RedissonEntry.Format.values()) {
      tally.detail(format.text(), 0);
    }
    tally.detail("duplicates", 0);
    tally.detail("without due time", 0);
    long read = 0;
    for (List<@Nullable Object> page = page(read);
        !page.isEmpty() && !context.isStopped();
        page = page(read)) {
      for (int i = 0; i + 1 < page.size(); i += 2) {
        count(page.get(i), RedisStaging.text(page.get(i + 1)));
        read++;
      }
      context.settings().progress().accept(tally.report(false));
    }
    boundary(0);
    boundary(-1);
    tally.detail("orphans", Math.max(0, length(CommandType.ZCARD, keys.dues()) - withDue));
    tally.detail("ready", length(CommandType.LLEN, keys.ready()));
    tally.detail(
        "staged",
        length(CommandType.ZCARD, keys.staged())
            + length(CommandType.ZCARD, keys.staging().marked()));
  }

  private void count(@Nullable Object bytes, String due) {
    if (!(bytes instanceof byte[] token)) {
      return;
    }
    long dueMillis = due.isEmpty() ? 0 : new RedisStaging.Scored(token, due).dueMillis();
    ImportEntry entry = RedissonEntry.of(token, dueMillis);
    tally.addDetail(RedissonEntry.parse(token).format().text(), 1);
    if (!ids.add(entry.id())) {
      tally.addDetail("duplicates", 1);
    } else if (!due.isEmpty()) {
      withDue++;
    }
    if (due.isEmpty()) {
      tally.addDetail("without due time", 1);
    } else {
      tally.found(entry);
      check(entry);
    }
  }

  private void check(ImportEntry entry) {
    String problem = context.check().problem(entry);
    if (problem != null) {
      tally.left(entry.id(), problem);
    }
  }

  /**
   * Includes the first or the last due time of the queue in the report. This due time may lack an
   * entry.
   */
  private void boundary(int index) {
    List<@Nullable Object> found =
        RedisStaging.await(
            deployment
                .link(keys.dues())
                .send(
                    Request.of(
                        CommandType.ZRANGE,
                        new String(keys.dues(), UTF_8),
                        "" + index,
                        "" + index,
                        "WITHSCORES")));
    if (found.size() > 1) {
      tally.due(new RedisStaging.Scored(new byte[0], RedisStaging.text(found.get(1))).dueMillis());
    }
  }

  private List<@Nullable Object> page(long from) {
    List<@Nullable Object> reply =
        RedisStaging.await(
            deployment.run(
                READ,
                List.of(keys.list(), keys.dues()),
                List.of(
                    RedisStaging.bytes(from),
                    RedisStaging.bytes(PAGE),
                    RedisStaging.bytes(RedisStaging.BATCH_BYTES))));
    return reply.subList(1, reply.size());
  }

  private long length(CommandType command, byte[] key) {
    Object length =
        RedisStaging.await(deployment.link(key).send(Request.of(command, new String(key, UTF_8))))
            .get(0);
    return length instanceof Long number ? number : 0;
  }
}
