package io.punctual;

import io.punctual.internal.message.Checks;

/**
 * The reason of a queue's pause, and the person or program that paused the queue. The store keeps
 * the note until the queue is resumed or paused again.
 *
 * @param reason the reason, up to {@link Limits#PAUSE_NOTE_BYTES} bytes of UTF-8 without control
 *     characters; empty if it is not stated
 * @param by the name of the person or program, with the same limits; empty if it is not stated
 */
public record PauseNote(String reason, String by) {
  /** The note of a queue that is not paused, or was paused without a reason and a name. */
  public static final PauseNote NONE = new PauseNote("", "");

  /**
   * Creates a note.
   *
   * @throws IllegalArgumentException if a text is too long, has control characters, or is not valid
   *     UTF-16
   */
  public PauseNote {
    Checks.line(reason, Limits.PAUSE_NOTE_BYTES, "The reason of a pause");
    Checks.line(by, Limits.PAUSE_NOTE_BYTES, "The name of who pauses a queue");
  }
}
