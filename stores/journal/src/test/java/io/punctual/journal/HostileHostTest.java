package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.Punctual;
import io.punctual.PunctualException;
import io.punctual.TimedQueue;
import io.punctual.journal.disk.FileNames;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the process and the machine around a journal do to it: other locales, interrupts of all
 * threads, files that can't be deleted, and a second owner.
 */
@Timeout(300)
final class HostileHostTest {
  @TempDir Path folder;

  private Punctual open() {
    return Punctual.open("journal:" + folder);
  }

  private static TimedQueue<String> queue(Punctual punctual) {
    return punctual.queue("q", Codec.string());
  }

  @ParameterizedTest
  @ValueSource(strings = {"ar-EG", "fa-IR", "mr-IN-u-nu-deva", "th-TH-u-nu-thai", "tr-TR"})
  void open_localeHasItsOwnDigitsOrLetters_filesAreTheSame(String locale) {
    Locale before = Locale.getDefault();
    try {
      Locale.setDefault(Locale.forLanguageTag(locale));
      for (int run = 1; run <= 2; run++) {
        try (Punctual punctual = open()) {
          queue(punctual).schedule(locale, Duration.ZERO);
        }
      }
      Locale.setDefault(Locale.ROOT);
      try (Punctual punctual = open()) {
        assertThat(queue(punctual).claim(10, Duration.ofMinutes(1)))
            .extracting(Delivery::payload)
            .containsExactly(locale, locale);
      }
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void interruptOfAllItsThreads_journalGoesOn() {
    try (Punctual punctual = open()) {
      TimedQueue<String> queue = queue(punctual);
      for (int round = 0; round < 200; round++) {
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().startsWith("punctual-journal"))
            .forEach(Thread::interrupt);
        queue.schedule("m" + round, Duration.ZERO);
        List<Delivery<String>> claimed = queue.claim(1, Duration.ofMinutes(1));
        assertThat(claimed).extracting(Delivery::payload).containsExactly("m" + round);
        claimed.get(0).ack();
      }
    }
  }

  @Test
  void open_leftoverCannotBeDeleted_startsAllTheSame() throws IOException {
    try (Punctual punctual = open()) {
      queue(punctual).schedule("kept", Duration.ofDays(1));
    }
    Path leftover = folder.resolve("attempts-00000001.log");
    Files.deleteIfExists(leftover);
    Files.createDirectories(leftover.resolve("held"));

    for (int start = 1; start <= 3; start++) {
      try (Punctual punctual = open()) {
        assertThat(queue(punctual).counts().scheduled()).isEqualTo(1);
      }
    }
    assertThat(leftover).isDirectory();
  }

  /**
   * Code of this process can lose the lock, for example when it copies the lock file. From the
   * moment in which the next owner has written its name, no change may be confirmed.
   */
  @Test
  void schedule_anotherOwnerWroteItsName_isNotConfirmed() throws IOException {
    Punctual punctual = open();
    try (punctual) {
      TimedQueue<String> queue = queue(punctual);
      queue.schedule("before", Duration.ofDays(1));
      Path owner = folder.resolve(FileNames.OWNER);
      try (FileChannel file = FileChannel.open(owner, StandardOpenOption.WRITE)) {
        file.write(StandardCharsets.US_ASCII.encode("pid 1\n0123456789abcdef\n"), 0);
      }

      assertThatThrownBy(() -> queue.schedule("after", Duration.ofDays(1)))
          .isInstanceOf(PunctualException.class)
          .hasMessageContaining("taken over");
    }
  }
}
