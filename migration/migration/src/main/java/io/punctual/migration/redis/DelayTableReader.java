package io.punctual.migration.redis;

import java.util.List;

/**
 * Reads entries of the form {@code TOPIC:ID}, whose payload is the content in the hash. A
 * serializer of the old library may have put the entry in quotation marks.
 *
 * @param topic the topic to import; entries of other topics are skipped
 */
record DelayTableReader(String topic) implements EntryReader {
  static final String OTHER_TOPICS = "other topics";

  @Override
  public List<Reading> read(List<RedisEntry> entries) {
    return entries.stream().map(this::read).toList();
  }

  private Reading read(RedisEntry entry) {
    String member = entry.memberText();
    if (member == null) {
      return Reading.problem(IdSource.name(entry.member()), "Its member is not UTF-8");
    }
    String name = unquoted(member);
    if (!name.startsWith(topic + ":")) {
      return name.indexOf(':') > 0
          ? Reading.skipped(name, OTHER_TOPICS)
          : Reading.problem(name, "Its member is not of the form TOPIC:ID");
    }
    byte[] content = entry.content();
    return content == null
        ? Reading.problem(name, "It is an orphan: the hash has no payload for it")
        : MemberReader.checked(Reading.of(name.substring(topic.length() + 1), content));
  }

  private static String unquoted(String member) {
    boolean quoted = member.length() > 2 && member.startsWith("\"") && member.endsWith("\"");
    return quoted ? member.substring(1, member.length() - 1) : member;
  }
}
