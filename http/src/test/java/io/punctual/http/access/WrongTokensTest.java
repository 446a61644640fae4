package io.punctual.http.access;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class WrongTokensTest {
  private long now;
  private final WrongTokens wrong = new WrongTokens(() -> now);

  private boolean isRefused(String address) {
    boolean isRefused = false;
    for (int i = 0; i <= WrongTokens.LIMIT; i++) {
      isRefused = wrong.isTooMany(address.replace("#", Integer.toHexString(i)));
    }
    return isRefused;
  }

  @Test
  void addressThatGuesses_isRefusedForAMinute() {
    assertThat(isRefused("10.0.0.7")).isTrue();
    assertThat(wrong.isTooMany("10.0.0.8")).isFalse();
    now += 60_000_000_000L;
    assertThat(wrong.isTooMany("10.0.0.7")).isFalse();
  }

  @Test
  void addressesOfOneMachine_areOneAddress() {
    assertThat(isRefused("2001:db8:1:2::#")).isTrue();
    assertThat(wrong.isTooMany("2001:db8:1:2:ffff:ffff:ffff:ffff")).isTrue();
    assertThat(wrong.isTooMany("2001:db8:1:3::1")).isFalse();
    assertThat(isRefused("10.0.0.#")).isFalse();
    assertThat(wrong.isTooMany("no: address")).isFalse();
  }
}
