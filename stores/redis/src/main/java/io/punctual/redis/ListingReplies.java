package io.punctual.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.punctual.State;
import io.punctual.spi.Content;
import io.punctual.spi.ContentFormat;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import io.punctual.spi.EntryQuery;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** Reads the replies of find.lua and browse.lua, and the dead letters in replies to ZRANGE. */
final class ListingReplies {
  private ListingReplies() {}

  static Optional<Entry> found(ReplyReader values) {
    long nowMillis = values.nextLong();
    return values.hasNext()
        ? Optional.of(next(values, values.nextText(), nowMillis))
        : Optional.empty();
  }

  static EntryPage page(ReplyReader values, EntryQuery query) {
    long nowMillis = values.nextLong();
    boolean hasMore = values.nextLong() == 1;
    List<Entry> entries = new ArrayList<>();
    while (values.hasNext()) {
      entries.add(next(values, place(query.state()), nowMillis));
    }
    return new EntryPage(
        List.copyOf(entries),
        hasMore ? Cursor.after(query, entries.get(entries.size() - 1)).toString() : null);
  }

  /**
   * A step of a page without contents; the records of the retries are not read yet. The messages
   * have the same order in each list.
   *
   * @param newestFirst whether the messages have the opposite order of their ranks
   * @param rank the lowest rank of a message among all messages of its sorted set, from 0
   * @param leases the leases of messages that are listed as leased; empty in the other states
   */
  record Listed(
      long nowMillis,
      boolean hasMore,
      boolean newestFirst,
      long rank,
      List<byte[]> ids,
      List<byte[]> scores,
      List<byte @Nullable []> leases) {
    long lastRank() {
      return rank + ids.size() - 1;
    }

    /**
     * Reads the messages that are now at the ranks of this step, and returns whether they are the
     * messages of this step.
     */
    boolean isStill(ReplyReader values) {
      for (int k = 0; k < ids.size(); k++) {
        int i = newestFirst ? ids.size() - 1 - k : k;
        if (!values.hasNext()
            || !Arrays.equals(values.nextSome(), ids.get(i))
            || !Arrays.equals(values.nextSome(), scores.get(i))) {
          return false;
        }
      }
      return true;
    }

    /**
     * Reads the reply with the messages from the rank of this step's last message on.
     *
     * @param limit the largest number of messages in the result
     * @param beforeMillis the first time after the range, or {@link Long#MAX_VALUE} if the range
     *     has no end
     * @return the messages after this step, or empty if the last message has left its rank
     */
    Optional<Listed> following(ReplyReader values, int limit, long beforeMillis) {
      int last = ids.size() - 1;
      if (!values.hasNext()
          || !Arrays.equals(values.nextSome(), ids.get(last))
          || !Arrays.equals(values.nextSome(), scores.get(last))) {
        return Optional.empty();
      }
      List<byte[]> nextIds = new ArrayList<>();
      List<byte[]> nextScores = new ArrayList<>();
      while (values.hasNext()) {
        byte[] id = values.nextSome();
        byte[] score = values.nextSome();
        boolean isInRange =
            beforeMillis == Long.MAX_VALUE || ReplyReader.millis(score) < beforeMillis;
        if (!isInRange || nextIds.size() == limit) {
          return Optional.of(listed(nextIds, nextScores, isInRange));
        }
        nextIds.add(id);
        nextScores.add(score);
      }
      return Optional.of(listed(nextIds, nextScores, false));
    }

    private Listed listed(List<byte[]> nextIds, List<byte[]> nextScores, boolean hasNext) {
      return new Listed(nowMillis, hasNext, false, lastRank() + 1, nextIds, nextScores, List.of());
    }

    /** Returns the position after the last listed message. There must be one. */
    Cursor last() {
      int last = ids.size() - 1;
      return new Cursor(ReplyReader.millis(scores.get(last)), ids.get(last), newestFirst);
    }

    /**
     * Returns the page of these messages. If there are further messages, its cursor continues after
     * the last listed message.
     *
     * @param retries for each message the record of its retries, or null if it has none
     * @param isGone whether the message with this index has left the state since; the page does not
     *     contain such messages
     */
    EntryPage with(List<byte @Nullable []> retries, IntPredicate isGone, State state) {
      List<Entry> present = new ArrayList<>(ids.size());
      for (int i = 0; i < ids.size(); i++) {
        if (!isGone.test(i)) {
          present.add(entry(i, retries.get(i), state));
        }
      }
      return new EntryPage(List.copyOf(present), hasMore ? last().toString() : null);
    }

    private Entry entry(int index, byte @Nullable [] retries, State state) {
      return ListingReplies.entry(
          Ids.text(ids.get(index)),
          ReplyReader.millis(scores.get(index)),
          leases.isEmpty() ? null : leases.get(index),
          null,
          retries,
          place(state),
          nowMillis);
    }
  }

  /** Reads the reply of browse.lua without contents. */
  static Listed listed(ReplyReader values, boolean newestFirst) {
    long nowMillis = values.nextLong();
    boolean hasMore = values.nextLong() == 1;
    Listed listed =
        new Listed(
            nowMillis,
            hasMore,
            newestFirst,
            values.nextLong(),
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>());
    ReplyReader members = values.nextList();
    while (members.hasNext()) {
      listed.ids.add(members.nextSome());
      listed.scores.add(members.nextSome());
    }
    ReplyReader leases = values.nextList();
    while (leases.hasNext()) {
      listed.leases.add(leases.nextBytes());
    }
    if (newestFirst) {
      Collections.reverse(listed.ids);
      Collections.reverse(listed.scores);
      Collections.reverse(listed.leases);
    }
    return listed;
  }

  private static String place(State state) {
    return switch (state) {
      case SCHEDULED, READY -> "S";
      case LEASED -> "L";
      case DEAD -> "D";
      case FINISHED -> "F";
    };
  }

  /** Returns the letter of a state in the arguments of browse.lua and purge.lua. */
  static String code(State state) {
    return state == State.READY ? "R" : place(state);
  }

  private static Entry next(ReplyReader values, String place, long nowMillis) {
    String id = Ids.text(values.nextSome());
    long score = values.nextLong();
    byte[] lease = values.nextBytes();
    Content content = content(values.nextBytes());
    return entry(id, score, lease, content, values.nextBytes(), place, nowMillis);
  }

  private static Entry entry(
      String id,
      long score,
      byte @Nullable [] lease,
      @Nullable Content content,
      byte @Nullable [] retries,
      String place,
      long nowMillis) {
    RetryRecord record = RetryRecord.of(retries);
    byte[] history = record.history();
    int attempts = record.attempts();
    return switch (place) {
      case "L" -> leased(id, content, LeaseRecord.parse(text(lease)), history, score);
      case "D" -> {
        long due = record.due().flatMap(ReplyReader::time).orElse(score);
        yield new Entry(id, State.DEAD, content, due, attempts, history, 0, false, score, null);
      }
      case "F" -> new Entry(id, State.FINISHED, null, score, 0, history, 0, false, 0, null);
      default -> {
        State state = score <= nowMillis ? State.READY : State.SCHEDULED;
        yield new Entry(id, state, content, score, attempts, history, 0, false, 0, null);
      }
    };
  }

  private static Entry leased(
      String id,
      @Nullable Content content,
      Optional<LeaseRecord> lease,
      byte[] history,
      long until) {
    return new Entry(
        id,
        State.LEASED,
        content,
        lease.map(LeaseRecord::dueMillis).orElse(until),
        lease.map(LeaseRecord::attempt).orElse(0),
        history,
        until,
        lease.map(LeaseRecord::cancelled).orElse(false),
        0,
        lease.map(LeaseRecord::holder).orElse(null));
  }

  private static String text(byte @Nullable [] bytes) {
    return bytes == null ? "" : new String(bytes, ISO_8859_1);
  }

  private static @Nullable Content content(byte @Nullable [] bytes) {
    try {
      return bytes == null ? null : ContentFormat.decode(bytes);
    } catch (IllegalArgumentException unreadable) {
      return null;
    }
  }
}
