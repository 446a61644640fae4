package io.punctual.timer;

/**
 * Something that a {@link TimingWheel} can hold, to be extended by what shall be timed. The wheel's
 * links live inside the entry, so scheduling allocates nothing: 32 bytes with the object's header.
 *
 * <p>An entry is in one wheel at a time, and as safe for threads as its wheel: not at all.
 */
public abstract class WheelEntry {
  long due;

  /** The neighbours in a bucket's ring; the entry itself when it is in none. */
  WheelEntry next = this;

  WheelEntry previous = this;

  /** An entry that is not scheduled. */
  protected WheelEntry() {}

  /** The tick it was last scheduled for, as it was given. */
  public final long due() {
    return due;
  }

  /** Whether a wheel holds it. False while the wheel's listener has it. */
  public final boolean isScheduled() {
    return next != this;
  }

  /** Puts this entry, which is in no ring, between {@code last} and what follows it. */
  final void linkAfter(WheelEntry last) {
    WheelEntry following = last.next;
    previous = last;
    next = following;
    last.next = this;
    following.previous = this;
  }

  /** Takes this entry out of its ring, and returns its former neighbour. */
  final WheelEntry unlink() {
    WheelEntry before = previous;
    WheelEntry after = next;
    before.next = after;
    after.previous = before;
    next = this;
    previous = this;
    return before;
  }
}
