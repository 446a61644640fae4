package io.punctual.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.impl.LongStringHelper;
import java.math.BigDecimal;
import org.junit.jupiter.api.Test;

final class XDelayTest {
  @Test
  void of_numbersAndStrings_areMilliseconds() {
    assertThat(XDelay.of(5000)).isEqualTo(new XDelay(5000, null));
    assertThat(XDelay.of((byte) 5).millis()).isEqualTo(5);
    assertThat(XDelay.of((short) 500).millis()).isEqualTo(500);
    assertThat(XDelay.of(5_000_000_000L).millis()).isEqualTo(5_000_000_000L);
    assertThat(XDelay.of(LongStringHelper.asLongString("1500")).millis()).isEqualTo(1500);
    assertThat(XDelay.of(2.9).millis()).isEqualTo(2);
    assertThat(XDelay.of(2.9f).millis()).isEqualTo(2);
    assertThat(XDelay.of(new BigDecimal("12.5")).millis()).isEqualTo(12);
  }

  @Test
  void of_absentZeroOrNegative_isDueAtOnceWithoutWarning() {
    assertThat(XDelay.of(null)).isEqualTo(new XDelay(0, null));
    assertThat(XDelay.of(0)).isEqualTo(new XDelay(0, null));
    assertThat(XDelay.of(-5000)).isEqualTo(new XDelay(0, null));
    assertThat(XDelay.of("-1")).isEqualTo(new XDelay(0, null));
    assertThat(XDelay.of(Long.MIN_VALUE)).isEqualTo(new XDelay(0, null));
    assertThat(XDelay.of(0.9)).isEqualTo(new XDelay(0, null));
  }

  @Test
  void of_noNumber_isDueAtOnceWithWarning() {
    assertThat(XDelay.of("soon").millis()).isZero();
    assertThat(XDelay.of("soon").fault()).contains("no number");
    assertThat(XDelay.of("").fault()).contains("no number");
    assertThat(XDelay.of(true).fault()).contains("no number");
    assertThat(XDelay.of(new byte[1]).fault()).contains("no number");
    assertThat(XDelay.of(Double.NaN).fault()).contains("no number");
    assertThat(XDelay.of(Double.POSITIVE_INFINITY).fault()).contains("no number");
  }

  @Test
  void of_moreThanThePluginDelays_holds() {
    assertThat(XDelay.of(1L << 32)).isEqualTo(new XDelay(1L << 32, null));
  }

  @Test
  void of_tooLong_isTheLongestDelayWithWarning() {
    assertThat(XDelay.of(Long.MAX_VALUE).millis()).isEqualTo(XDelay.LONGEST.toMillis());
    assertThat(XDelay.of("99999999999999999999999").fault()).contains("longest delay");
    assertThat(XDelay.of(1e300).millis()).isEqualTo(XDelay.LONGEST.toMillis());
  }

  @Test
  void delivered_isNegative_andAnIntegerIfItFits() {
    assertThat(XDelay.of("5000").delivered()).isEqualTo(-5000);
    assertThat(XDelay.of(1L << 40).delivered()).isEqualTo(-(1L << 40));
  }
}
