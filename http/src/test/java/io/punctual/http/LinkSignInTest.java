package io.punctual.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.http.access.Caller;
import io.punctual.http.access.LinkSignIn;
import io.punctual.http.access.UnauthenticatedException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LinkSignInTest {
  private final Caller terminal = new Caller("terminal", Set.of());
  private Instant now = Instant.parse("2030-01-01T00:00:00Z");
  private final LinkSignIn links = new LinkSignIn(terminal, () -> now);

  private void pass(Duration time) {
    now = now.plus(time);
  }

  private LinkSignIn.Halves signIn() {
    return Objects.requireNonNull(links.use(links.newLink()));
  }

  private void refuses(String... headers) {
    assertThatThrownBy(() -> links.authenticate(TestHead.of("GET", "/v1/queues", headers)))
        .isInstanceOf(UnauthenticatedException.class);
  }

  private static String cookie(LinkSignIn.Halves halves) {
    return halves.cookieName() + "=" + halves.cookie();
  }

  @Test
  void linkWorksOnce() {
    String link = links.newLink();

    assertThat(links.use(link)).isNotNull();
    assertThat(links.use(link)).isNull();
  }

  @Test
  void linkWorksForFiveMinutes() {
    String link = links.newLink();
    pass(LinkSignIn.LINK_LIFE);

    assertThat(links.use(link)).isNull();
  }

  @Test
  void guess_isRefused_andDoesNotUseTheLinkUp() {
    String link = links.newLink();

    assertThat(links.use("0".repeat(32))).isNull();
    assertThat(links.use("")).isNull();
    assertThat(links.use(link)).isNotNull();
  }

  @Test
  void newLinkReplacesTheOldOne() {
    String old = links.newLink();
    String link = links.newLink();

    assertThat(links.use(old)).isNull();
    assertThat(links.use(link)).isNotNull();
  }

  @Test
  void bothHalvesTogether_areTheCaller() {
    LinkSignIn.Halves halves = signIn();

    assertThat(
            links.authenticate(
                TestHead.of(
                    "GET",
                    "/v1/queues",
                    LinkSignIn.HEADER,
                    halves.key(),
                    "Cookie",
                    "other=1; " + cookie(halves) + "; more=2")))
        .isEqualTo(terminal);
  }

  /** The cookie goes to each port of the host, and the key can be read by scripts of the page. */
  @Test
  void oneHalf_isNotEnough() {
    LinkSignIn.Halves halves = signIn();

    refuses("Cookie", cookie(halves));
    refuses(LinkSignIn.HEADER, halves.key());
    refuses(LinkSignIn.HEADER, halves.key(), "Cookie", "punctual-0=" + halves.cookie());
    refuses(LinkSignIn.HEADER, halves.cookie(), "Cookie", cookie(halves));
    refuses(LinkSignIn.HEADER, halves.key(), "Cookie", halves.cookieName() + "=" + halves.key());
  }

  @Test
  void sessionEnds_afterItsTime_orWhenItIsEnded() {
    LinkSignIn.Halves halves = signIn();
    pass(LinkSignIn.SESSION_LIFE);
    refuses(LinkSignIn.HEADER, halves.key(), "Cookie", cookie(halves));

    LinkSignIn.Halves next = signIn();
    links.end();
    refuses(LinkSignIn.HEADER, next.key(), "Cookie", cookie(next));
  }

  @Test
  void nothingButTheHalvesOfTheNewestSession_worksBeforeAnyLink() {
    refuses(LinkSignIn.HEADER, "", "Cookie", "=");
  }
}
