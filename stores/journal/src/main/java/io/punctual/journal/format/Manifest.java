package io.punctual.journal.format;

import io.punctual.journal.disk.Disk;
import io.punctual.journal.disk.DiskFile;
import io.punctual.journal.disk.FileNames;
import io.punctual.journal.disk.FileWindow;
import io.punctual.journal.report.JournalDamagedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.zip.CRC32C;

/**
 * The segments of the journal, in the order in which they are read. The manifest is a text file.
 * Each change writes a temporary file, forces it, and renames it.
 *
 * @param salt a random number of the journal
 * @param hashSeed the seed of the hashes of ids, a random number
 * @param nextFile the number that the next new file gets
 * @param segments the segments; only the last can be open
 */
public record Manifest(long salt, long hashSeed, int nextFile, List<Entry> segments) {
  private static final String TITLE = "punctual-journal";
  private static final String VERSION = "1";
  private static final String ASIDE = FileNames.aside(FileNames.MANIFEST);

  /**
   * A segment.
   *
   * @param header its header
   * @param length its length in bytes, or 0 while it is open
   * @param checksum the checksum of its last frame, or 0 while it is open
   */
  public record Entry(SegmentHeader header, long length, int checksum) {
    public boolean isOpen() {
      return length == 0;
    }

    public String name() {
      return FileNames.segment(header.file());
    }
  }

  public Manifest with(int nextFile, List<Entry> segments) {
    return new Manifest(salt, hashSeed, nextFile, List.copyOf(segments));
  }

  /** Writes this manifest to the disk in the place of the manifest that is there. */
  public void write(Disk disk) throws IOException {
    write(disk, create(disk));
  }

  /** Creates the file for {@link #write(Disk, DiskFile)}. */
  static DiskFile create(Disk disk) throws IOException {
    return disk.create(ASIDE);
  }

  /** Writes this manifest to a file from {@link #create}, which this method closes. */
  void write(Disk disk, DiskFile to) throws IOException {
    try (DiskFile file = to) {
      file.write(ByteBuffer.wrap(encode().getBytes(StandardCharsets.US_ASCII)), 0);
      file.force();
    }
    disk.rename(ASIDE, FileNames.MANIFEST);
    disk.force();
  }

  public static Manifest read(Disk disk) throws IOException {
    try (DiskFile file = disk.open(FileNames.MANIFEST)) {
      FileWindow window = new FileWindow(file, FileNames.MANIFEST);
      ByteBuffer bytes = window.at(0, Math.toIntExact(window.size()));
      return decode(StandardCharsets.ISO_8859_1.decode(bytes).toString());
    }
  }

  private String encode() {
    StringBuilder text = new StringBuilder();
    text.append(TITLE).append(' ').append(VERSION).append('\n');
    text.append(
        String.format(
            Locale.ROOT, "salt %016x\nhash-seed %016x\nnext-file %d\n", salt, hashSeed, nextFile));
    for (Entry entry : segments) {
      SegmentHeader header = entry.header();
      text.append(
          String.format(
              Locale.ROOT,
              "segment %d %d %d %d %016x %d %08x\n",
              header.file(),
              header.first(),
              header.last(),
              header.cleaned(),
              header.salt(),
              entry.length(),
              entry.checksum()));
    }
    return text + "end " + checksum(text.toString()) + "\n";
  }

  private static Manifest decode(String text) {
    int newline = text.indexOf('\n');
    String title = newline < 0 ? text : text.substring(0, newline);
    int end = text.lastIndexOf("end ");
    if (end < 0 || !text.substring(end).equals("end " + checksum(text.substring(0, end)) + "\n")) {
      throw damaged(Math.max(end, 0), "its checksum is wrong, or it is cut off");
    }
    if (title.startsWith(TITLE + " ") && !title.equals(TITLE + " " + VERSION)) {
      String version = title.substring(TITLE.length() + 1);
      throw new NewerVersionException(FileNames.MANIFEST, version, VERSION);
    }
    try {
      return parse(text.substring(0, end).split("\n", -1));
    } catch (RuntimeException e) {
      throw new JournalDamagedException(FileNames.MANIFEST, 0, "it can't be read", e);
    }
  }

  private static Manifest parse(String[] lines) {
    long hashSeed = hex(lines[2].split(" ", -1)[1]);
    List<Entry> segments = new ArrayList<>();
    for (int i = 4; i < lines.length - 1; i++) {
      segments.add(segment(lines[i].split(" ", -1), hashSeed));
    }
    return new Manifest(
        hex(lines[1].split(" ", -1)[1]),
        hashSeed,
        Integer.parseInt(lines[3].split(" ", -1)[1]),
        List.copyOf(segments));
  }

  private static Entry segment(String[] words, long hashSeed) {
    SegmentHeader header =
        new SegmentHeader(
            Integer.parseInt(words[1]),
            Integer.parseInt(words[2]),
            Integer.parseInt(words[3]),
            Integer.parseInt(words[4]),
            hex(words[5]),
            hashSeed);
    return new Entry(header, Long.parseLong(words[6]), (int) hex(words[7]));
  }

  private static long hex(String digits) {
    return Long.parseUnsignedLong(digits, 16);
  }

  private static String checksum(String text) {
    CRC32C crc = new CRC32C();
    crc.update(text.getBytes(StandardCharsets.ISO_8859_1));
    return String.format(Locale.ROOT, "%08x", crc.getValue());
  }

  private static JournalDamagedException damaged(int offset, String reason) {
    return new JournalDamagedException(FileNames.MANIFEST, offset, reason);
  }
}
