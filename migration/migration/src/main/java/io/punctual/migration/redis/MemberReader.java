package io.punctual.migration.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.migration.internal.EntryCheck;
import java.util.List;

/**
 * Reads entries whose payload is the content in the hash, or the member if there is no hash.
 *
 * @param id the source of the ids
 * @param hasContents whether there is a hash of contents
 */
record MemberReader(IdSource id, boolean hasContents) implements EntryReader {
  @Override
  public List<Reading> read(List<RedisEntry> entries) {
    return entries.stream().map(this::read).toList();
  }

  private Reading read(RedisEntry entry) {
    byte[] content = entry.content();
    if (hasContents && content == null) {
      return Reading.problem(
          IdSource.name(entry.member()), "It is an orphan: the hash has no payload for it");
    }
    return checked(id.read(entry, content == null ? entry.member() : content));
  }

  /** Returns the reading, or a problem if its id cannot be the id of a message. */
  static Reading checked(Reading reading) {
    String problem = reading.isImportable() ? EntryCheck.idProblem(reading.id()) : null;
    return problem == null
        ? reading
        : Reading.problem(IdSource.name(reading.id().getBytes(UTF_8)), problem);
  }
}
