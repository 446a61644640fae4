package io.punctual.spi;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A partition's memory of its sessions: which number each expects next, and the answers it may be
 * asked for again. For stores that live in the client's process; the rules are those of {@link
 * Call}.
 *
 * <pre>{@code
 * Admission<A> admission = sessions.admit(call);
 * if (admission instanceof Admission.Refused<A> refused) {
 *   return refused.reply();
 * }
 * if (admission instanceof Admission.Repeated<A> repeated) {
 *   return again(repeated.answer());
 * }
 * A answer = carryOut(call.body());     // may throw: then the number is still expected
 * sessions.remember(call, answer);
 * }</pre>
 *
 * <p>What an answer is, is up to the store: a reply, what it takes to build one again, or the
 * promise of one. Not safe for use by many threads: the partition's lock guards it.
 *
 * @param <A> what is kept of an answer
 */
public final class SessionTable<A> {
  /**
   * How many sessions are kept. When one more is opened, the one that was quiet for longest is
   * forgotten, as if it had been closed.
   */
  public static final int MAX_SESSIONS = 10_000;

  private final Map<String, Session<A>> sessions = new LinkedHashMap<>(16, 0.75f, true);

  /** Creates one without sessions. */
  public SessionTable() {}

  /**
   * Opens a session unless it is open.
   *
   * @param replaces a session that ends, or null
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

  /** Forgets a session, if it is open. */
  public void close(String session) {
    sessions.remove(session);
  }

  /** Forgets all sessions. */
  public void clear() {
    sessions.clear();
  }

  /** Tells what is to be done with a call. Changes nothing. */
  public Admission<A> admit(Call call) {
    Session<A> session = sessions.get(call.session());
    return session == null
        ? new Admission.Refused<>(new Reply.NoSession())
        : session.admit(call.number(), call.repeated());
  }

  /**
   * Keeps the answer to a call that was admitted as {@link Admission.Fresh}; the session now
   * expects the next number, and the answers that the call says have arrived are forgotten.
   */
  public void remember(Call call, A answer) {
    Session<A> session = sessions.get(call.session());
    if (session == null || call.number() != session.last + 1) {
      throw new IllegalStateException("Not admitted: call " + call.number());
    }
    session.remember(answer, call.lowestUnanswered());
  }

  /**
   * What a partition has to do with a call.
   *
   * @param <A> what is kept of an answer
   */
  public sealed interface Admission<A> {
    /** The call is the next one: carry it out, then {@link #remember} the answer. */
    record Fresh<A>() implements Admission<A> {}

    /**
     * The call was carried out before: answer it again, without effect.
     *
     * @param answer what was kept
     */
    record Repeated<A>(A answer) implements Admission<A> {}

    /**
     * The call is not to be carried out.
     *
     * @param reply what to answer
     */
    record Refused<A>(Reply reply) implements Admission<A> {}
  }

  private static final class Session<A> {
    /** The number of the last call that was carried out; the last of {@link #answers} is its. */
    long last;

    /** Of consecutive numbers, so that a number tells the place. */
    final Deque<A> answers = new ArrayDeque<>();

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
