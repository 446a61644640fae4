package io.punctual.migration.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;

/**
 * Reads entries whose payload is the content in the hash, or the member if there is no hash.
 *
 * @param id the source of the ids
 * @param hasContents whether there is a hash of contents
 */
record MemberReader(IdSource id, boolean hasContents) implements EntryReader {
  private static final int LARGEST_ID = 256;

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
    int length = reading.id().getBytes(UTF_8).length;
    if (reading.isImportable() && (length == 0 || length > LARGEST_ID)) {
      return Reading.problem(
          IdSource.name(reading.id().getBytes(UTF_8)),
          "Its id has " + length + " bytes; ids have 1 to " + LARGEST_ID);
    }
    return reading;
  }
}
