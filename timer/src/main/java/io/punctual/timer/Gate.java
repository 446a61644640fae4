package io.punctual.timer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Lets one thread at a time at the wheel without making the others wait: who finds the gate taken
 * leaves a request and goes on; the thread inside serves it before it leaves.
 *
 * <p>One word holds the whole state, so that no request can slip in between "nothing is left" and
 * "the gate is free". It is null while the gate is free and {@link #taken} while it is taken; or it
 * is the request that was left last, which leads through {@link Request#behind()} to those left
 * before it and at last to {@code taken}. To enter, to leave a request and to leave are one
 * compare-and-set each.
 *
 * <p>After flat combining (D. Hendler, I. Incze, N. Shavit, M. Tzafrir, SPAA 2010), with a stack
 * for the publication list. Safe for use by many threads, as each method says.
 */
final class Gate {
  /**
   * How many requests, found at once, show that more are left than one thread can serve. Until that
   * is over, who leaves one waits for a turn too, and takes over the serving then: so what is left
   * stays bounded, and no thread serves for ever.
   */
  private static final int CROWD = 1024;

  private static final VarHandle WORD;

  static {
    try {
      WORD = MethodHandles.lookup().findVarHandle(Gate.class, "word", Request.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Request taken = new Turn(this);

  private volatile @Nullable Request word;
  private volatile boolean crowded;

  /** Those who wait to come in, in order, and who is to be woken. Touched inside only. */
  private @Nullable Turn firstTurn;

  private @Nullable Turn lastTurn;
  private @Nullable Thread toWake;

  /** Enters if the gate is free. Never waits. */
  boolean tryEnter() {
    return word == null && WORD.compareAndSet(this, null, taken);
  }

  /** Enters; waits while another thread is inside. */
  void enter() {
    if (tryEnter()) {
      return;
    }
    Turn turn = new Turn(this);
    if (!enterOrLeave(turn)) {
      turn.await();
    }
  }

  /**
   * Has {@code request} served: at once if the gate is free, otherwise by the thread inside.
   *
   * @param request one that is not left at a gate now, and that no other thread submits
   */
  void submit(Request request) {
    if (enterOrLeave(request)) {
      request.serve();
      leave();
    } else if (crowded) {
      enter();
      leave();
    }
  }

  /** Serves what was left meanwhile, then hands the gate on or frees it. Inside only. */
  void leave() {
    Thread sleeper = null;
    while (true) {
      if (toWake != null) {
        sleeper = toWake;
        toWake = null;
      }
      if (handOn() || WORD.compareAndSet(this, taken, null)) {
        break;
      }
      serveAll((Request) WORD.getAndSet(this, taken));
    }
    if (sleeper != null) {
      LockSupport.unpark(sleeper);
    }
  }

  /** Wakes {@code thread} once the gate is free again. Inside only. */
  void wakeAfterwards(Thread thread) {
    toWake = thread;
  }

  /** Lets a thread in when those before it have been. Inside only. */
  void enqueue(Turn turn) {
    if (lastTurn == null) {
      firstTurn = turn;
    } else {
      lastTurn.nextTurn = turn;
    }
    lastTurn = turn;
  }

  /** Returns true if this thread is inside now, false if {@code request} was left. */
  private boolean enterOrLeave(Request request) {
    while (true) {
      Request last = word;
      if (last != null) {
        request.putBehind(last);
        if (WORD.compareAndSet(this, last, request)) {
          return false;
        }
      } else if (WORD.compareAndSet(this, null, taken)) {
        request.keep();
        return true;
      }
    }
  }

  private boolean handOn() {
    Turn turn = firstTurn;
    if (turn == null) {
      return false;
    }
    firstTurn = turn.nextTurn;
    if (firstTurn == null) {
      lastTurn = null;
    }
    turn.grant();
    return true;
  }

  /** Serves the requests from the one left first to {@code last}. */
  private void serveAll(Request last) {
    Request request = taken;
    int count = 0;
    for (Request at = last; at != taken; count++) {
      Request before = at.behind();
      at.putBehind(request);
      request = at;
      at = before;
    }
    if (crowded != count > CROWD) {
      crowded = count > CROWD;
    }
    while (request != taken) {
      Request following = request.pickUp();
      request.serve();
      request = following;
    }
  }
}
