package io.punctual.journal;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.Punctual;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An option without an effect is refused, and the exception says what to do. */
class InapplicableOptionsTest {
  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"fsync=always", "networkFileSystem=allow", "create=true"})
  void optionOfAJournalThatIsOnlyRead_isRefused(String option) {
    assertThatThrownBy(() -> Punctual.open("journal:" + folder + "?access=read&" + option))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("[" + option.substring(0, option.indexOf('=')) + "]")
        .hasMessageContaining("leave access=read out");
  }
}
