package io.punctual.journal.disk;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The names of the files in a journal's folder. */
public final class FileNames {
  public static final String MANIFEST = "manifest";
  public static final String OWNER = "owner.lock";

  private static final String ASIDE = ".tmp";
  private static final Pattern MADE =
      Pattern.compile("(segment|attempts)-[0-9]{8,10}\\.(log|hint)(\\.tmp)?|manifest\\.tmp");
  private static final Pattern NUMBER = Pattern.compile("[a-z]+-([0-9]{8,10})\\.");
  private static final Pattern SEGMENT = Pattern.compile("segment-[0-9]{8,10}\\.log");

  private FileNames() {}

  public static String segment(int file) {
    return String.format(Locale.ROOT, "segment-%08d.log", file);
  }

  public static String hint(int file) {
    return String.format(Locale.ROOT, "segment-%08d.hint", file);
  }

  public static String attempts(int file) {
    return String.format(Locale.ROOT, "attempts-%08d.log", file);
  }

  /** The temporary name of a file while it is written; the complete file is renamed. */
  public static String aside(String name) {
    return name + ASIDE;
  }

  /** The name under which a damaged file, or its copy, is kept. */
  public static String damaged(String name) {
    return name + ".damaged";
  }

  /**
   * Returns a name that no file of the disk has: the wanted name, with a number appended if it is
   * taken.
   */
  public static String free(Disk disk, String wanted) throws IOException {
    List<String> names = disk.list();
    String name = wanted;
    for (int i = 2; names.contains(name); i++) {
      name = wanted + "-" + i;
    }
    return name;
  }

  /**
   * The highest file number in the given names, or 0 if there is none. Ignores names for which
   * {@link #isMade} is false.
   */
  public static int highest(List<String> names) {
    return names.stream().filter(FileNames::isMade).mapToInt(FileNames::number).max().orElse(0);
  }

  /** The number in a file name, or 0 if it has none. */
  public static int number(String name) {
    Matcher number = NUMBER.matcher(name);
    return number.lookingAt()
        ? (int) Math.min(Long.parseLong(number.group(1)), Integer.MAX_VALUE - 1)
        : 0;
  }

  public static boolean isAttempts(String name) {
    return name.startsWith("attempts-") && MADE.matcher(name).matches();
  }

  public static boolean isSegment(String name) {
    return SEGMENT.matcher(name).matches();
  }

  /**
   * Whether this is the name of a file that the journal creates, except its manifest and its lock
   * file.
   */
  public static boolean isMade(String name) {
    return MADE.matcher(name).matches();
  }
}
