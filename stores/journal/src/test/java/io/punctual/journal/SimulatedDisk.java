package io.punctual.journal;

import io.punctual.journal.disk.Disk;
import io.punctual.journal.disk.DiskFile;
import io.punctual.journal.disk.ForceFailedException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;

/**
 * A folder on a simulated disk that can be full, fail, or lose power. After a loss of power,
 * unforced changes are lost, kept, or kept in part. Each page that was written since the last force
 * of its file is old, new, or new up to any byte. The file's length is old, new, or between the
 * two. Each creation, rename and deletion since the last force of the folder has happened or not.
 */
final class SimulatedDisk implements Disk {
  private final Random random;
  private final Map<String, SimulatedBytes> names = new TreeMap<>();
  private final Map<String, SimulatedBytes> safeNames = new TreeMap<>();
  private final List<FolderChange> changes = new ArrayList<>();
  private final BadPlaces badPlaces = new BadPlaces();

  private long capacity = Long.MAX_VALUE;
  private int operationsLeft = Integer.MAX_VALUE;
  private int forcesUntilFailure = Integer.MAX_VALUE;
  private int folderForcesUntilFailure = Integer.MAX_VALUE;
  private volatile CountDownLatch heldUp = new CountDownLatch(0);
  private boolean lost;
  private String ignoredForce = "";
  private int forcesAfterFailure;
  private int refusals;
  private int refusalsLeft;
  private String refusal = "";
  private long quota = Long.MAX_VALUE;
  private volatile long mostFileBytes = Long.MAX_VALUE;
  private long leastUsable = Long.MAX_VALUE;
  private int operations;

  /** A change of the folder: a name that was removed, and a name that was added for a file. */
  private record FolderChange(String removed, String added, SimulatedBytes inode) {}

  SimulatedDisk(Random random) {
    this.random = random;
  }

  /** Makes the power fail after this number of operations. */
  synchronized void losePowerAfter(int operations) {
    operationsLeft = operations;
  }

  synchronized boolean hasLostPower() {
    return lost;
  }

  /**
   * Lets this number of forces of files succeed, and makes the next force fail. The unforced bytes
   * of the file can then be read, but a loss of power may take them, even after a later force.
   */
  synchronized void failForceAfter(int forces) {
    forcesUntilFailure = forces;
  }

  /** Makes all forces of the folder fail after this number of forces. */
  synchronized void failFolderForceAfter(int forces) {
    folderForcesUntilFailure = forces;
  }

  /** Blocks the forces of files until the latch is counted down. */
  void holdForcesUpUntil(CountDownLatch latch) {
    heldUp = latch;
  }

  private void holdUp() {
    try {
      heldUp.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException("Nobody interrupts the store's threads", e);
    }
  }

  /** Returns the parts of files that can't be read. */
  BadPlaces badPlaces() {
    return badPlaces;
  }

  /** The number of forces of files after their first failed force. */
  synchronized int forcesAfterFailure() {
    return forcesAfterFailure;
  }

  /**
   * Turns off the forces in a method of the store, as if the code of the method lacked them.
   *
   * @param place the class, the method and the kind of force, such as {@code LogWriter.force/file}
   *     or {@code Compaction.copy/folder}
   */
  synchronized void ignoreForce(String place) {
    ignoredForce = place;
  }

  private boolean isIgnored(String what) {
    return !ignoredForce.isEmpty()
        && ignoredForce.equals(Callers.outside(SimulatedDisk.class) + what);
  }

  /**
   * The number of writes that failed because the disk was full, or because of {@link #quota} or
   * {@link #refuseWrites}.
   */
  synchronized int refusals() {
    return refusals;
  }

  /**
   * Limits the total length of the files: writes beyond this number of bytes fail, although {@link
   * #usableBytes} reports more space.
   */
  synchronized void quota(long bytes) {
    quota = bytes;
  }

  /** Limits the length of each file. */
  void mostFileBytes(long bytes) {
    mostFileBytes = bytes;
  }

  /** Makes this number of writes fail with a message, even if the disk has space. */
  synchronized void refuseWrites(int writes, String message) {
    refusalsLeft = writes;
    refusal = message;
  }

  /**
   * Returns the least free space after a file grew, since the last call of this method; {@link
   * Long#MAX_VALUE} if no file grew.
   */
  synchronized long leastUsableBytes() {
    long least = leastUsable;
    leastUsable = Long.MAX_VALUE;
    return least;
  }

  synchronized void capacity(long bytes) {
    capacity = bytes;
  }

  /**
   * Returns the disk as it is when the power is back. Chooses at random which unforced changes are
   * kept.
   */
  synchronized SimulatedDisk afterPowerLoss() {
    SimulatedDisk found = new SimulatedDisk(random);
    found.ignoredForce = ignoredForce;
    Map<String, SimulatedBytes> left = new TreeMap<>(safeNames);
    for (FolderChange change : changes) {
      if (random.nextBoolean()) {
        left.remove(change.removed);
        if (change.inode != null) {
          left.put(change.added, change.inode);
        }
      }
    }
    left.forEach((name, inode) -> found.put(name, inode.afterPowerLoss(random)));
    return found;
  }

  /** Returns a copy of the disk as the next process finds it after this process was killed. */
  synchronized SimulatedDisk afterKill() {
    SimulatedDisk found = new SimulatedDisk(random);
    names.forEach((name, inode) -> found.put(name, inode.read()));
    return found;
  }

  /**
   * Returns this disk for the next process, with power and without failing forces. Unforced changes
   * are still unforced.
   */
  synchronized SimulatedDisk restarted() {
    lost = false;
    operationsLeft = Integer.MAX_VALUE;
    forcesUntilFailure = Integer.MAX_VALUE;
    folderForcesUntilFailure = Integer.MAX_VALUE;
    return this;
  }

  /** Creates a file whose bytes and name are forced. */
  synchronized void put(String name, byte[] bytes) {
    SimulatedBytes inode = new SimulatedBytes();
    inode.bytes = bytes.clone();
    inode.safe = bytes.clone();
    names.put(name, inode);
    safeNames.put(name, inode);
  }

  /** Replaces the bytes of a file, which may be open. */
  synchronized void overwrite(String name, byte[] bytes) {
    names.get(name).bytes = bytes.clone();
  }

  synchronized boolean isThere(String name) {
    return names.containsKey(name);
  }

  /** Whether all bytes that were written to a file were forced. */
  synchronized boolean isSafe(String name) {
    return Arrays.equals(names.get(name).bytes, names.get(name).safe);
  }

  synchronized byte[] get(String name) {
    return names.get(name).read();
  }

  /** The number of writes, forces and changes of the folder. */
  synchronized int operations() {
    return operations;
  }

  private void operate() throws IOException {
    operations++;
    if (operationsLeft-- <= 0) {
      lost = true;
      operationsLeft = 0;
      throw new IOException("Input/output error: the power is out");
    }
  }

  synchronized long usedBytes() {
    return names.values().stream().mapToLong(inode -> inode.bytes.length).sum();
  }

  @Override
  public String describe() {
    return "simulated";
  }

  @Override
  public synchronized List<String> list() throws IOException {
    return List.copyOf(names.keySet());
  }

  @Override
  public synchronized DiskFile create(String name) throws IOException {
    operate();
    SimulatedBytes inode = new SimulatedBytes();
    names.put(name, inode);
    changes.add(new FolderChange(name, name, inode));
    return new File(name, inode);
  }

  @Override
  public synchronized DiskFile open(String name) throws IOException {
    SimulatedBytes inode = names.get(name);
    if (inode == null) {
      throw new FileNotFoundException(name);
    }
    return new File(name, inode);
  }

  @Override
  public synchronized void rename(String from, String to) throws IOException {
    operate();
    SimulatedBytes inode = names.remove(from);
    names.put(to, inode);
    changes.add(new FolderChange(from, to, inode));
  }

  @Override
  public synchronized void delete(String name) throws IOException {
    operate();
    names.remove(name);
    changes.add(new FolderChange(name, name, null));
  }

  @Override
  public synchronized void force() throws ForceFailedException {
    beforeForce("");
    if (folderForcesUntilFailure-- <= 0) {
      folderForcesUntilFailure = 0;
      throw new ForceFailedException("The folder", new IOException("seeded failure"));
    }
    if (!isIgnored("/folder")) {
      safeNames.clear();
      safeNames.putAll(names);
      changes.clear();
    }
  }

  private void beforeForce(String what) throws ForceFailedException {
    try {
      operate();
    } catch (IOException e) {
      throw new ForceFailedException(what, e);
    }
  }

  @Override
  public synchronized long usableBytes() {
    return capacity - usedBytes();
  }

  @Override
  public long mostFileBytes() {
    return mostFileBytes;
  }

  private final class File implements DiskFile {
    private final String name;
    private final SimulatedBytes inode;

    File(String name, SimulatedBytes inode) {
      this.name = name;
      this.inode = inode;
    }

    @Override
    public void write(ByteBuffer from, long position) throws IOException {
      synchronized (SimulatedDisk.this) {
        operate();
        int end = (int) position + from.remaining();
        if (refusalsLeft > 0) {
          refusalsLeft--;
          throw refused(from, refusal);
        }
        if (end > mostFileBytes) {
          throw refused(from, "File too large");
        }
        if (end > inode.bytes.length) {
          long used = usedBytes() + end - inode.bytes.length;
          if (used > capacity) {
            throw refused(from, "No space left on device");
          }
          if (used > quota) {
            throw refused(from, "Disk quota exceeded");
          }
          inode.bytes = Arrays.copyOf(inode.bytes, end);
          leastUsable = Math.min(leastUsable, capacity - used);
        }
        from.get(inode.bytes, (int) position, from.remaining());
      }
    }

    private IOException refused(ByteBuffer from, String message) {
      from.position(from.limit());
      refusals++;
      return new IOException(message);
    }

    @Override
    public int read(ByteBuffer into, long position) throws IOException {
      synchronized (SimulatedDisk.this) {
        int there = (int) Math.max(0, Math.min(into.remaining(), inode.bytes.length - position));
        int count = badPlaces.readable(name, (int) position, (int) position + there);
        into.put(inode.bytes, (int) position, count);
        return count;
      }
    }

    @Override
    public void force() throws ForceFailedException {
      holdUp();
      synchronized (SimulatedDisk.this) {
        beforeForce(name);
        if (inode.failed) {
          forcesAfterFailure++;
          return;
        }
        if (forcesUntilFailure-- <= 0) {
          inode.failed = true;
          throw new ForceFailedException(name, new IOException("seeded failure"));
        }
        if (!isIgnored("/file")) {
          inode.safe = inode.bytes.clone();
        }
      }
    }

    @Override
    public long size() {
      synchronized (SimulatedDisk.this) {
        return inode.bytes.length;
      }
    }

    @Override
    public void close() {}
  }
}
