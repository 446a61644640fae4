package io.punctual.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the header of W3C Trace Context. */
class TraceParentTest {
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String SPAN = "b7ad6b7169203331";

  @ParameterizedTest
  @CsvSource({"00,false", "01,true", "02,false", "03,true", "ff,true"})
  void header_hasIdsAndTheSampledFlag(String flags, boolean sampled) {
    assertThat(TraceParent.parse("00-" + TRACE + "-" + SPAN + "-" + flags))
        .isEqualTo(new TraceParent(TRACE, SPAN, sampled));
  }

  /** Headers that {@link TraceParent} does not parse. The propagator reads or refuses them. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
        "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331_01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0g"
      })
  void otherForms_areNotRead(String text) {
    assertThat(TraceParent.parse(text)).isNull();
  }
}
