package io.punctual.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LeaseRecordTest {
  private static final Pattern FORM =
      Pattern.compile("\\d+ (?<due>[^ /]+)(/(?<holder>[^ ]*))? (?<attempt>\\d{1,9})(?<mark> c)?");

  private static final String[] RECORD = {"17", " ", "5", "/", "h", " ", "3", " c"};
  private static final String[] OTHERS = {"", "", "7", " ", "/", "c", " c", "-3", "0.5", "x"};

  @Test
  void recordsOfTheStore_areParsed() {
    assertThat(LeaseRecord.parse("17 1700000000000/h4x-2 3"))
        .contains(new LeaseRecord(1_700_000_000_000L, 3, false, "h4x-2"));
    assertThat(LeaseRecord.parse("17 1700000000000/h4x-2 3 c"))
        .contains(new LeaseRecord(1_700_000_000_000L, 3, true, "h4x-2"));
    assertThat(LeaseRecord.parse("17 1700000000000.5 999999999"))
        .contains(new LeaseRecord(1_700_000_000_001L, 999_999_999, false, null));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        " c",
        "17",
        "17 3",
        "17 3 c",
        " 5 3",
        "17  3",
        "17 5/h 1234567890",
        "17 5/h -3",
        "17 5/h two 3",
        "17 /h 3",
        "17 soon/h 3",
        "x 5/h 3",
        "17 5/h 3 d",
        "17 5/h c",
        "17 lost/h 3"
      })
  void textOfAnotherForm_isNoRecord(String text) {
    assertThat(LeaseRecord.parse(text)).isEmpty();
  }

  @Test
  void anyText_isParsedByItsForm() {
    Random random = new Random(1);
    int records = 0;
    for (int i = 0; i < 100_000; i++) {
      StringBuilder text = new StringBuilder();
      for (String part : RECORD) {
        boolean isOther = random.nextInt(5) == 0;
        text.append(isOther ? OTHERS[random.nextInt(OTHERS.length)] : part);
      }
      Optional<LeaseRecord> expected = byForm(text.toString());
      assertThat(LeaseRecord.parse(text.toString())).as("'%s'", text).isEqualTo(expected);
      records += expected.isPresent() ? 1 : 0;
    }
    assertThat(records).isBetween(20_000, 80_000);
  }

  private static Optional<LeaseRecord> byForm(String text) {
    Matcher parts = FORM.matcher(text);
    return parts.matches()
        ? ReplyReader.time(parts.group("due"))
            .map(
                due ->
                    new LeaseRecord(
                        due,
                        Integer.parseInt(parts.group("attempt")),
                        parts.group("mark") != null,
                        parts.group("holder")))
        : Optional.empty();
  }
}
