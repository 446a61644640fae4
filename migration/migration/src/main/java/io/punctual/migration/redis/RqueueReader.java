package io.punctual.migration.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.migration.internal.JsonFields;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads the messages of Rqueue, which are JSON objects. If a message is deleted, Rqueue only sets a
 * flag, in a separate key that may be on a different server.
 */
final class RqueueReader implements EntryReader {
  static final String DELETED = "deleted";
  static final String PERIODIC = "periodic";

  private static final String METADATA = "__rq::m-mdata::";
  private static final String SEPARATOR = "::";

  private final RedisCalls redis;
  private final boolean unwrap;

  /**
   * Creates a reader.
   *
   * @param unwrap whether to remove the envelope of Rqueue's default message converter
   */
  RqueueReader(RedisCalls redis, boolean unwrap) {
    this.redis = redis;
    this.unwrap = unwrap;
  }

  @Override
  public List<Reading> read(List<RedisEntry> entries) {
    List<Optional<Map<String, String>>> messages =
        entries.stream().map(entry -> JsonFields.of(entry.member())).toList();
    List<byte[]> metadata = metadata(messages);
    List<Reading> readings = new ArrayList<>();
    for (int i = 0; i < entries.size(); i++) {
      byte[] member = entries.get(i).member();
      boolean deleted =
          JsonFields.of(metadata.get(i))
              .map(fields -> fields.getOrDefault(DELETED, ""))
              .filter("true"::equals)
              .isPresent();
      readings.add(
          messages
              .get(i)
              .map(fields -> read(fields, member, deleted))
              .orElseGet(() -> unknown(member)));
    }
    return readings;
  }

  private List<byte[]> metadata(List<Optional<Map<String, String>>> messages) {
    List<String> keys = new ArrayList<>();
    for (Optional<Map<String, String>> fields : messages) {
      String queue = fields.map(known -> known.get("queueName")).orElse("");
      String id = fields.map(known -> known.get("id")).orElse("");
      keys.add(METADATA + queue + SEPARATOR + id);
    }
    List<byte[]> values = new ArrayList<>();
    redis.values(keys).forEach(value -> values.add(value == null ? new byte[0] : value));
    return values;
  }

  private Reading read(Map<String, String> fields, byte[] member, boolean deleted) {
    String id = fields.get("id");
    String text = fields.get("message");
    if (id == null || text == null) {
      return unknown(member);
    }
    if (deleted) {
      return Reading.skipped(id, DELETED);
    }
    if (!"0".equals(fields.getOrDefault("period", "0"))) {
      return Reading.skipped(id, PERIODIC);
    }
    byte[] payload = text.getBytes(UTF_8);
    if (!unwrap) {
      return MemberReader.checked(Reading.of(id, payload));
    }
    Optional<String> inner =
        JsonFields.of(payload)
            .filter(envelope -> envelope.containsKey("name"))
            .map(envelope -> envelope.get("msg"));
    return inner
        .map(body -> MemberReader.checked(Reading.of(id, body.getBytes(UTF_8))))
        .orElseGet(
            () ->
                Reading.problem(
                    id,
                    "Its payload lacks the envelope of Rqueue's default converter; import the"
                        + " payloads as they are"));
  }

  private static Reading unknown(byte[] member) {
    return Reading.problem(IdSource.name(member), "It is no message of Rqueue");
  }
}
