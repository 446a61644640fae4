package io.punctual.timer;

/**
 * The base class of entries of a {@link TimingWheel}. The entry contains the wheel's links, so
 * scheduling allocates nothing; the fields of this class and the object header take about 32 bytes.
 *
 * <p>An entry can be in a single wheel at a time. Not safe for use by many threads.
 */
public abstract class WheelEntry {
  long due;

  /** The neighbours in the ring of a bucket; the entry itself if it is not linked. */
  WheelEntry next = this;

  WheelEntry previous = this;

  /** Creates an entry that is not scheduled. */
  protected WheelEntry() {}

  /** The tick that the entry was last scheduled for. */
  public final long due() {
    return due;
  }

  /** Whether the entry is in a wheel; false when the wheel's listener receives it. */
  public final boolean isScheduled() {
    return next != this;
  }

  /** Links this entry, which is in no ring, behind {@code last}. */
  final void linkAfter(WheelEntry last) {
    WheelEntry following = last.next;
    previous = last;
    next = following;
    last.next = this;
    following.previous = this;
  }

  /** Unlinks this entry from its ring, and returns the entry that was before it. */
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
