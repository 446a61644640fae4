package io.punctual.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.punctual.State;
import io.punctual.spi.Content;
import io.punctual.spi.ContentFormat;
import io.punctual.spi.Entry;
import io.punctual.spi.EntryPage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the replies of find.lua and browse.lua. */
final class ListingReplies {
  /** The beginning of the retries of a message, before their history. */
  private static final Pattern RETRIES = Pattern.compile("(?<attempts>\\d{1,9}) (?<due>\\S+) ");

  /** The length of the longest beginning. */
  private static final int RETRIES_LENGTH = 50;

  private ListingReplies() {}

  static Optional<Entry> found(ReplyReader values) {
    long nowMillis = values.nextLong();
    return values.hasNext()
        ? Optional.of(next(values, values.nextText(), nowMillis))
        : Optional.empty();
  }

  static EntryPage page(ReplyReader values, State state) {
    long nowMillis = values.nextLong();
    boolean hasMore = values.nextLong() == 1;
    List<Entry> entries = new ArrayList<>();
    while (values.hasNext()) {
      entries.add(next(values, place(state), nowMillis));
    }
    return new EntryPage(
        List.copyOf(entries),
        hasMore ? Cursor.after(entries.get(entries.size() - 1)).toString() : null);
  }

  private static String place(State state) {
    return switch (state) {
      case SCHEDULED, READY -> "S";
      case LEASED -> "L";
      case DEAD -> "D";
      case DONE -> "F";
    };
  }

  /** Returns the letter of a state in the arguments of browse.lua and purge.lua. */
  static String code(State state) {
    return state == State.READY ? "R" : place(state);
  }

  private static Entry next(ReplyReader values, String place, long nowMillis) {
    String id = Ids.text(values.nextSome());
    long score = values.nextLong();
    String lease = text(values.nextBytes());
    Content content = content(values.nextBytes());
    byte[] retries = values.nextBytes();
    byte[] history = CallReplies.history(retries);
    Matcher tried = RETRIES.matcher(beginning(retries));
    boolean isTried = tried.lookingAt();
    int attempts = isTried ? Integer.parseInt(tried.group("attempts")) : 0;
    return switch (place) {
      case "L" -> leased(id, content, LeaseRecord.parse(lease), history, score);
      case "D" -> {
        long due = isTried ? ReplyReader.time(tried.group("due")).orElse(score) : score;
        yield new Entry(id, State.DEAD, content, due, attempts, history, 0, false, score, null);
      }
      case "F" -> new Entry(id, State.DONE, null, score, 0, history, 0, false, 0, null);
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

  private static String beginning(byte @Nullable [] retries) {
    return retries == null
        ? ""
        : new String(retries, 0, Math.min(retries.length, RETRIES_LENGTH), ISO_8859_1);
  }

  private static @Nullable Content content(byte @Nullable [] bytes) {
    try {
      return bytes == null ? null : ContentFormat.decode(bytes);
    } catch (IllegalArgumentException unreadable) {
      return null;
    }
  }
}
