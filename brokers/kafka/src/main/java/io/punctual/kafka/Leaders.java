package io.punctual.kafka;

import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * The partitions of a topic that have no leader: their brokers are away. A record for such a
 * partition waits in the producer until its time-out, and a batch waits with it.
 *
 * @param partitions the number of partitions of the topic
 * @param missing the partitions without a leader, in ascending order
 * @param byKey whether the key of a record chooses its partition
 */
record Leaders(int partitions, List<Integer> missing, boolean byKey) {
  static final Leaders ALL = new Leaders(0, List.of(), false);

  static Leaders of(TopicDescription topic, boolean hasOwnPartitioner) {
    int partitions = topic.partitions().size();
    List<Integer> missing =
        IntStream.range(0, partitions)
            .filter(i -> isNone(topic.partitions().get(i).leader()))
            .map(i -> topic.partitions().get(i).partition())
            .sorted()
            .boxed()
            .toList();
    return missing.isEmpty() ? ALL : new Leaders(partitions, missing, !hasOwnPartitioner);
  }

  private static boolean isNone(@Nullable Node leader) {
    return leader == null || leader.isEmpty();
  }

  /**
   * Returns whether the partition of a record is known to have no leader. Kafka's client sends
   * records without a key to partitions with a leader.
   */
  boolean isMissing(byte @Nullable [] key) {
    if (missing.isEmpty()) {
      return false;
    }
    return missing.size() == partitions
        || (byKey
            && key != null
            && missing.contains(Utils.toPositive(Utils.murmur2(key)) % partitions));
  }
}
