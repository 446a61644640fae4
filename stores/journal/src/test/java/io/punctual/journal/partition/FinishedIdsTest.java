package io.punctual.journal.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.embedded.Place;
import io.punctual.journal.disk.Folder;
import io.punctual.journal.format.Location;
import io.punctual.journal.format.Manifest;
import io.punctual.journal.format.ManifestFile;
import io.punctual.journal.format.SegmentHeader;
import io.punctual.journal.log.AttemptLog;
import io.punctual.journal.log.RecordLog;
import io.punctual.journal.log.Segment;
import io.punctual.journal.log.Segments;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the memory of remembered ids that are scheduled and finished again. */
final class FinishedIdsTest {
  private static final long MONTH_MILLIS = 30L * 24 * 3600 * 1000;
  private static final int IDS = 500;

  /** Each round schedules and finishes the ids again, as REPLACE and ack do. */
  @Test
  void finish_sameIdsAgainAndAgain_entriesDoNotAccumulateUntilTheyExpire(@TempDir Path folder)
      throws IOException {
    PartitionState partition = partition(folder);
    for (int round = 0; round < 300; round++) {
      for (int id = 0; id < IDS; id++) {
        if (round > 0) {
          partition.forget(partition.numbered(sequence(round - 1, id), id));
        }
        int slot = partition.enter(sequence(round, id), id, round, Location.of(1, 64), 100);
        partition.put(slot, Place.FINISHED, 0, MONTH_MILLIS + round);
      }
    }
    assertThat(partition.finished().entries()).isLessThan(3 * IDS);

    for (int id = 0; id < IDS; id++) {
      partition.forget(partition.numbered(sequence(299, id), id));
    }
    assertThat(partition.finished().entries()).isLessThan(IDS);
  }

  private static long sequence(int round, int id) {
    return 1 + (long) round * IDS + id;
  }

  private static PartitionState partition(Path folder) throws IOException {
    var disk = Folder.read(folder).disk();
    ManifestFile manifest = new ManifestFile(disk, new Manifest(1, 2, 3, List.of()));
    Segments segments = new Segments();
    segments.add(new Segment(new SegmentHeader(1, 1, 1, 0, 1, 2)));
    RecordLog log = new RecordLog(segments, manifest, frame -> {}, 4096, into -> into.marks(1, 1));
    AttemptLog attempts = new AttemptLog(disk, manifest, 4096);
    return new Partitions(2, log, segments, attempts, 0).named("q");
  }
}
