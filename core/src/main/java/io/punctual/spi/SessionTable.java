package io.punctual.spi;

import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of a partition: the next expected number of each session, and the answers that a
 * client may request again. Applies the rules of {@link Call}, for stores that run in the client's
 * process.
 *
 * <pre>{@code
 * Admission<A> admission = sessions.admit(call);
 * if (admission instanceof Admission.Refused<A> refused) {
 *   return refused.reply();
 * }
 * if (admission instanceof Admission.Repeated<A> repeated) {
 *   return again(repeated.answer());
 * }
 * A answer = execute(call.body());     // if it throws, the session still expects the number
 * sessions.remember(call, answer);
 * }</pre>
 *
 * <p>The store chooses the type of the answers: a reply, the data to build a reply again, or a
 * future reply. Not safe for use by many threads: the partition's lock guards it.
 *
 * @param <A> the type of the remembered answers
 */
public final class SessionTable<A> {
  /**
   * The largest number of sessions. Opening a further session closes the session that was not used
   * for the longest time.
   */
  public static final int MAX_SESSIONS = 10_000;

  private final Map<String, Session<A>> sessions = new LinkedHashMap<>(16, 0.75f, true);

  /** Creates a table without sessions. */
  public SessionTable() {}

  /**
   * Opens a session unless it is open. Above {@link #MAX_SESSIONS}, closes another session.
   *
   * @param replaces an earlier session to forget, or null if there is none
   */
  public void open(String session, @Nullable String replaces) {
    if (replaces != null && !replaces.equals(session)) {
      sessions.remove(replaces);
    }
    sessions.computeIfAbsent(session, id -> new Session<>());
    if (sessions.size() > MAX_SESSIONS) {
      sessions.remove(sessions.keySet().iterator().next());
    }
  }

  /** Forgets a session. Has no effect if the session is not open. */
  public void close(String session) {
    sessions.remove(session);
  }

  /** Forgets all sessions. */
  public void clear() {
    sessions.clear();
  }

  /** Decides about a call, without changing its session. */
  public Admission<A> admit(Call call) {
    Session<A> session = sessions.get(call.session());
    return session == null
        ? new Admission.Refused<>(new Reply.NoSession())
        : session.admit(call.number(), call.repeated());
  }

  /**
   * Remembers the answer to a call that was admitted as {@link Admission.Fresh}. The session then
   * expects the next number, and forgets the answers that the client has confirmed.
   */
  public void remember(Call call, A answer) {
    Session<A> session = sessions.get(call.session());
    if (session == null || call.number() != session.last + 1) {
      throw new IllegalStateException("Not admitted: call " + call.number());
    }
    session.remember(answer, call.lowestUnanswered());
  }

  /**
   * The decision about a call.
   *
   * @param <A> the type of the remembered answers
   */
  public sealed interface Admission<A> {
    /** The call is the next call: execute it, then {@link #remember} the answer. */
    record Fresh<A>() implements Admission<A> {}

    /**
     * The call was executed before: return the answer again, without effect.
     *
     * @param answer the remembered answer
     */
    record Repeated<A>(A answer) implements Admission<A> {}

    /**
     * The call must not be executed.
     *
     * @param reply the reply to the client
     */
    record Refused<A>(Reply reply) implements Admission<A> {}
  }

  private static final class Session<A> {
    /** The number of the last executed call, to which the last of {@link #answers} belongs. */
    long last;

    /** The remembered answers, of consecutive numbers. */
    @SuppressWarnings("JdkObsolete") // An ArrayDeque that can't grow loses its elements.
    final Deque<A> answers = new LinkedList<>();

    Admission<A> admit(long number, boolean repeated) {
      if (number > last) {
        return number == last + 1
            ? new Admission.Fresh<>()
            : new Admission.Refused<>(new Reply.Gap(last + 1));
      }
      if (!repeated) {
        return new Admission.Refused<>(new Reply.NoSession());
      }
      if (number <= last - answers.size()) {
        return new Admission.Refused<>(new Reply.Forgotten());
      }
      return new Admission.Repeated<>(answer(number));
    }

    private A answer(long number) {
      long skipped = last - number;
      var latestFirst = answers.descendingIterator();
      while (skipped-- > 0) {
        latestFirst.next();
      }
      return latestFirst.next();
    }

    void remember(A answer, long lowestUnanswered) {
      answers.addLast(answer);
      last++;
      while (!answers.isEmpty() && last - answers.size() + 1 < lowestUnanswered) {
        answers.removeFirst();
      }
    }
  }
}
