package io.punctual.timer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a thread leaves at a {@link Gate} that it finds taken. It extends {@link WheelEntry} only so
 * that a timeout can be both and still be one object.
 */
abstract class Request extends WheelEntry {
  private static final VarHandle BEHIND;

  static {
    try {
      BEHIND = MethodHandles.lookup().findVarHandle(Request.class, "behind", Request.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** The request that comes after this one in the gate's order; null when it is not left there. */
  @SuppressWarnings("UnusedVariable") // through BEHIND too
  private @Nullable Request behind;

  /** Does what was asked for. Called inside the gate; must not throw. */
  abstract void serve();

  /**
   * Whether it is left at a gate and will still be served: then {@link #serve()} will see all that
   * the asking thread did before, because {@link #pickUp()} comes before it.
   */
  final boolean isLeft() {
    return (Request) BEHIND.getVolatile(this) != null;
  }

  final void putBehind(Request other) {
    behind = other;
  }

  final Request behind() {
    return Objects.requireNonNull(behind);
  }

  /** It was not left at the gate after all. */
  final void keep() {
    if (behind != null) {
      behind = null;
    }
  }

  /** Takes it away from the gate, to be served; returns what it led to. */
  final Request pickUp() {
    Request following = behind();
    BEHIND.setVolatile(this, null);
    return following;
  }
}
