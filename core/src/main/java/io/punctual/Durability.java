package io.punctual;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a change must be stored before the store confirms it, for stores with replicas. Examples of
 * the text form are {@code none}, {@code aof}, {@code replicas:2} and {@code aof+replicas:2}.
 * Immutable.
 *
 * @param localDisk whether the primary must have written the change to its disk (fsync)
 * @param replicas how many replicas must have the change, 0 to 100; with {@code localDisk}, these
 *     replicas must have written the change to their disks as well
 */
public record Durability(boolean localDisk, int replicas) {
  private static final Pattern FORM =
      Pattern.compile("aof|(?:aof\\+)?replicas:(?<replicas>[0-9]{1,3})");

  /** A change is confirmed once the primary has it in memory. */
  public static final Durability NONE = new Durability(false, 0);

  /** Checks the range. */
  public Durability {
    if (replicas < 0 || replicas > 100) {
      throw new IllegalArgumentException("replicas must be between 0 and 100, but was " + replicas);
    }
  }

  /**
   * Parses a durability.
   *
   * @throws IllegalArgumentException if the text is not the text form of a durability
   */
  public static Durability parse(String text) {
    Matcher form = FORM.matcher(text);
    if (text.equals("none")) {
      return NONE;
    }
    if (form.matches()) {
      String replicas = form.group("replicas");
      return new Durability(
          text.startsWith("aof"), replicas == null ? 0 : Integer.parseInt(replicas));
    }
    throw new IllegalArgumentException(
        "Durability is none, aof, replicas:N or aof+replicas:N, but was '" + text + "'");
  }

  @Override
  public String toString() {
    if (replicas == 0) {
      return localDisk ? "aof" : "none";
    }
    return (localDisk ? "aof+" : "") + "replicas:" + replicas;
  }
}
