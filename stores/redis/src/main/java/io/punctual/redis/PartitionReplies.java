package io.punctual.redis;

import io.punctual.redis.client.connection.RedisReply;
import io.punctual.spi.Call;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Converts the replies to the calls of a partition, and takes the time of the server from them.
 * Thread-safe.
 */
final class PartitionReplies {
  private static final Logger log = LoggerFactory.getLogger(RedisPartition.class);

  private final String queue;
  private final int index;
  private final ServerClock clock;

  PartitionReplies(String queue, int index, ServerClock clock) {
    this.queue = queue;
    this.index = index;
    this.clock = clock;
  }

  /** Converts a reply. If the reply cannot be parsed, the outcome of its call is unknown. */
  Reply of(Call call, RedisReply answer) {
    try {
      Reply reply = ReplyReader.read(answer, values -> CallReplies.of(call, values, this::removed));
      if (!call.repeated()) {
        clock.heard(reply);
      }
      return reply;
    } catch (Partition.PartitionException unreadable) {
      log.error("A call to queue '{}' has no outcome", queue, unreadable);
      return new Reply.Forgotten();
    }
  }

  private void removed(List<String> ids) {
    log.warn(
        "Queue '{}', partition {}: removed {} from the key 'leased', since no message is stored"
            + " under these ids. Punctual did not write them; find out which program changed the"
            + " key",
        queue,
        index,
        ids);
  }
}
