package io.punctual.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.http.webhook.WebhookAttempt;
import io.punctual.http.webhook.WebhookKey;
import io.punctual.http.webhook.WebhookRecord;
import io.punctual.http.webhook.WebhookSpec;
import io.punctual.timer.WheelTimer;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Which addresses are connected to. A receiver listens on all addresses of the machine, and
 * 127.0.0.9 is the only one that the rules allow.
 */
final class AddressTest {
  private static final String GOOD = "127.0.0.9";

  private final Receiver receiver = Receiver.everywhere(Receiver.answering(200));
  private final NetworkRules rules =
      NetworkRules.allowing(List.of(GOOD + "/32"), Set.of(receiver.port()), true);
  private final Map<String, Deque<List<InetAddress>>> names = new HashMap<>();
  private final WheelTimer timer = WheelTimer.create();
  private final Sender sender = new Sender(timer, Clock.systemUTC(), this::resolve, () -> rules);

  @AfterEach
  void close() {
    sender.close();
    timer.close();
    receiver.close();
  }

  private synchronized List<InetAddress> resolve(String host) throws UnknownHostException {
    Deque<List<InetAddress>> answers = names.get(host);
    if (answers != null) {
      return answers.size() > 1 ? answers.removeFirst() : answers.getFirst();
    }
    return HostResolver.SYSTEM.resolve(host);
  }

  /** Sets what each look-up of a name returns in turn; the last answer stays. */
  private synchronized void name(String name, String... answers) {
    Deque<List<InetAddress>> all = new ArrayDeque<>();
    for (String answer : answers) {
      all.add(Arrays.stream(answer.split(",")).map(AddressTest::address).toList());
    }
    names.put(name, all);
  }

  private static InetAddress address(String literal) {
    try {
      return InetAddress.getByName(literal);
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  private Answered call(String url) throws Exception {
    Sender.Order order =
        new Sender.Order("crm", URI.create(url), Map.of(), new byte[] {1}, Duration.ofSeconds(60));
    return sender.send(order).get(60, TimeUnit.SECONDS);
  }

  private String url(String host) {
    return "http://" + host + ":" + receiver.port() + "/";
  }

  private void assertOnlyGoodOnesConnected() {
    assertThat(receiver.connectedTo()).allMatch(GOOD::equals);
  }

  @Test
  void allowedAddress_isConnected() throws Exception {
    name("good.example", GOOD);
    assertThat(call(url("good.example")).isDelivered()).isTrue();
    assertThat(call(url(GOOD)).isDelivered()).isTrue();
    assertThat(receiver.connectedTo()).isNotEmpty();
    assertOnlyGoodOnesConnected();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1",
        "127.1",
        "127.0.1",
        "2130706433",
        "017700000001",
        "0177.0.0.1",
        "0x7f.0.0.1",
        "0x7f000001",
        "0x7f.1",
        "127.0.0.1.",
        "127.0.0.01",
        "127.0.0.256",
        "0",
        "0.0.0.0",
        "10.0.0.1",
        "100.64.0.1",
        "169.254.169.254",
        "172.16.0.1",
        "192.168.1.1",
        "192.0.2.1",
        "198.18.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[0:0:0:0:0:ffff:127.0.0.1]",
        "[::127.0.0.1]",
        "[64:ff9b::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[64:ff9b:1::7f00:1]",
        "[2002:7f00:1::]",
        "[2001:0:7f00:1::]",
        "[fd00::1]",
        "[fe80::1]",
        "[fe80::1%25lo]",
        "[fe80::1%lo]",
        "[::1%25lo]",
        "[::1%1]",
        "[fec0::1]",
        "[ff02::1]",
        "[2001:db8::1]",
        "localhost",
        "LOCALHOST",
        "localhost.",
        "a.localhost",
        "１２７.０.０.１",
        "127。0。0。1",
        "ⓛocalhost",
        "loc%61lhost",
        "%31%32%37.0.0.1",
        "good.example@127.0.0.1",
        "good.example:80@127.0.0.1",
        "127.0.0.1#@good.example",
        "127.0.0.1\\@good.example",
        "good.example\t127.0.0.1",
        " 127.0.0.1",
        "good..example",
        "-good.example",
        "good.example.0x1",
        "good.127"
      })
  void otherForms_areRefused_andNoneConnected(String host) throws Exception {
    name("good.example", GOOD);
    assertThatThrownBy(() -> TargetAddress.parse(url(host), rules))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("'url' ");
    // The sender refuses too, whatever reaches it.
    URI uri;
    try {
      uri = URI.create(url(host));
    } catch (IllegalArgumentException e) {
      uri = null;
    }
    if (uri != null && uri.getHost() != null) {
      assertThat(call(uri.toString()).isDelivered()).isFalse();
    }
    assertThat(receiver.requests()).isEmpty();
    assertOnlyGoodOnesConnected();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1",
        "0.0.0.0",
        "10.1.2.3",
        "100.127.255.255",
        "169.254.169.254",
        "172.31.255.255",
        "192.168.0.1",
        "192.0.0.8",
        "198.51.100.7",
        "203.0.113.7",
        "198.19.0.1",
        "239.1.1.1",
        "240.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "::ffff:127.0.0.1",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b:1::1",
        "2002:7f00:1::1",
        "2001::1",
        "2001:db8::1",
        "3fff::1",
        "fc00::1",
        "fdff::1",
        "fe80::1",
        "fec0::1",
        "ff05::2",
        "100::1",
        "5f00::1"
      })
  void nameWithARefusedAddress_isNotConnected(String address) throws Exception {
    name("bad.example", address);
    Answered answered = call(url("bad.example"));
    assertThat(answered.status()).isZero();
    assertThat(answered.text()).contains("bad.example is public");
    assertThat(receiver.connectedTo()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.1.1.1", "172.32.0.1", "100.128.0.1", "11.0.0.1", "2606:4700::1111"})
  void publicAddresses_areAllowed(String address) {
    assertThat(NetworkRules.PUBLIC.allows(address(address))).isTrue();
  }

  @Test
  void nameWithGoodAndBadAddresses_isConnectedAtTheGoodOneOnly() throws Exception {
    name("mixed.example", "127.0.0.1,::1,10.0.0.1," + GOOD + ",169.254.169.254");
    assertThat(call(url("mixed.example")).isDelivered()).isTrue();
    assertThat(receiver.connectedTo()).containsExactly(GOOD);
  }

  @Test
  void nameThatChangesBetweenTwoLookUps_isJudgedEachTime() throws Exception {
    receiver.answer(Receiver.answering(200, "Connection", "close"));
    name("rebind.example", GOOD, "127.0.0.1", GOOD, "::1");
    assertThat(call(url("rebind.example")).isDelivered()).isTrue();
    assertThat(call(url("rebind.example")).isDelivered()).isFalse();
    assertThat(call(url("rebind.example")).isDelivered()).isTrue();
    assertThat(call(url("rebind.example")).isDelivered()).isFalse();
    assertThat(receiver.connectedTo()).containsExactly(GOOD, GOOD);
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 303, 307, 308})
  void redirect_isNotFollowed(int status) throws Exception {
    name("good.example", GOOD);
    receiver.answer(Receiver.answering(status, "Location", url("127.0.0.1")));
    Answered answered = call(url("good.example"));
    assertThat(answered.status()).isEqualTo(status);
    assertThat(answered.isDelivered()).isFalse();
    assertThat(receiver.requests()).hasSize(1);
    assertOnlyGoodOnesConnected();
  }

  @Test
  void challenges_areNotAnswered() throws Exception {
    receiver.answer(Receiver.answering(401, "WWW-Authenticate", "Basic realm=\"x\""));
    assertThat(call(url(GOOD)).status()).isEqualTo(401);
    receiver.answer(Receiver.answering(407, "Proxy-Authenticate", "Basic realm=\"x\""));
    assertThat(call(url(GOOD)).status()).isEqualTo(407);
    assertThat(receiver.requests()).hasSize(2);
  }

  @Test
  void schemesAndPorts_areThoseThatAreAllowed() {
    for (String url :
        List.of(
            "http://good.example/",
            "ftp://good.example/",
            "file:///etc/passwd",
            "https://good.example:22/",
            "https://good.example:0/",
            "https://good.example:99999/",
            "https:good.example",
            "//good.example/",
            "good.example",
            "",
            "https://")) {
      assertThatThrownBy(() -> TargetAddress.parse(url, NetworkRules.PUBLIC))
          .as(url)
          .isInstanceOf(IllegalArgumentException.class);
    }
    for (String url :
        List.of(
            "https://good.example/",
            "https://good.example:443/a?b=c",
            "HTTPS://Good.Example:80/",
            "https://1.1.1.1/",
            "https://[2606:4700::1111]/",
            "https://xn--bcher-kva.example/",
            "https://a-b.example/%20")) {
      assertThat(TargetAddress.parse(url, NetworkRules.PUBLIC)).as(url).isNotNull();
    }
  }

  @Test
  void refusedTarget_isRefusedByTheService_andByItsCalls() throws Exception {
    try (Fixture fixture = Fixture.real()) {
      fixture.resolver = host -> List.of(address("127.0.0.1"));
      WebhookService service =
          WebhookService.builder(fixture.punctual, timer)
              .resolver(fixture.resolver)
              .rules(rules)
              .start();
      try (service) {
        WebhookSpec inner = WebhookSpec.of("crm", "orders", url("127.0.0.1"));
        WebhookKey key = WebhookKey.generate(WebhookKey.Kind.HMAC, Instant.now());
        assertThatThrownBy(() -> service.put(inner, Optional.of(key)))
            .hasMessageContaining("not public");
        Fixture.get(
            service.put(WebhookSpec.of("crm", "orders", url("name.example")), Optional.of(key)));
        WebhookAttempt attempt = Fixture.get(service.test("crm"));
        assertThat(attempt.outcome()).isEqualTo(WebhookAttempt.Outcome.FAILED);
        assertThat(attempt.error()).contains("allowAddresses");
        // A reload with stricter rules holds for targets that are there.
        service.configure(
            List.of(new WebhookRecord(WebhookSpec.of("old", "other", url(GOOD)), List.of(key))),
            NetworkRules.PUBLIC);
        Fixture.patiently().until(() -> service.find("old").isPresent());
        assertThat(Fixture.get(service.test("old")).error()).contains("https://");
      }
    }
    assertThat(receiver.connectedTo()).isEmpty();
  }
}
