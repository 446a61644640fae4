package io.punctual.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.IfPresent;
import io.punctual.Limits;
import io.punctual.SettleOutcome;
import io.punctual.State;
import io.punctual.spi.Call;
import io.punctual.spi.Capability;
import io.punctual.spi.Content;
import io.punctual.spi.Operation;
import io.punctual.spi.Reply;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Ids, payloads, headers and histories are returned by the store without any change. */
interface ContentContract {
  /** Ids that an encoding, an escape or a pattern could corrupt. All are different. */
  List<String> IDS =
      List.of(
          "a",
          "A",
          "a ",
          " a",
          " ",
          "\u0000",
          "a\u0000",
          "a\u0000b",
          "\n",
          "a\r\nb",
          "\t",
          "1",
          "01",
          "1.0",
          "1e3",
          "-1",
          "nan",
          "inf",
          "+",
          "-",
          "(1",
          "[1",
          "*",
          "?",
          "%s",
          "{a}",
          "a:b",
          "a}b{c",
          "'",
          "\"",
          "\\",
          "\\u0000",
          "../a",
          "é",
          "e\u0301",
          "ß",
          "SS",
          "\uFEFFa",
          "\u202Eשלום",
          "时间到了",
          "🕰",
          "🕰\uFE0F",
          "👩\u200D👩\u200D👧",
          "\uFFFF",
          "\uD800\uDC00",
          "\uDBFF\uDFFF",
          "x".repeat(Limits.ID_BYTES),
          "🕰".repeat(Limits.ID_BYTES / 4));

  @ParameterizedTest
  @EnumSource(Sample.class)
  default void content_anyBytes_comeBackAsTheyWere(
      Sample sample, TestPartition partition, TestSession session) {
    Content content = sample.content();
    session.apply(new Operation.Schedule("a", partition.past(), IfPresent.KEEP, content));
    if (partition.has(Capability.BROWSE)) {
      expectContent(partition.entry("a").content(), content);
      expectContent(partition.browse(State.READY, 10).get(0).content(), content);
    }
    Call.Claim claim = new Call.Claim(10, 3_600_000);
    Reply.Claimed first = (Reply.Claimed) session.send(claim);
    Reply.Claimed again = (Reply.Claimed) session.sendLastAgain(claim);
    expectContent(first.messages().get(0).content(), content);
    expectContent(again.messages().get(0).content(), content);
    ClaimedMessage held = ClaimedMessage.of(first.messages().get(0), first, 3_600_000);
    assertThat(session.retry(held, partition.past(), "why")).isEqualTo(SettleOutcome.DONE);
    expectContent(session.claimOne().message().content(), content);
  }

  /** Compares the parts, because a recursive comparison needs seconds for a large payload. */
  private static void expectContent(@Nullable Content found, Content expected) {
    Content actual = Objects.requireNonNull(found, "the content");
    assertThat(actual.payload()).isEqualTo(expected.payload());
    assertThat(actual.headers()).isEqualTo(expected.headers());
    assertThat(actual.notAfterMillis()).isEqualTo(expected.notAfterMillis());
  }

  @Test
  default void ids_ofEveryKind_areNeverConfused(TestPartition partition, TestSession session) {
    for (String id : IDS) {
      session.schedule(id, partition.past());
    }
    partition.expectCounts(0, IDS.size(), 0, 0);
    List<ClaimedMessage> held = session.hold(1000, TestSession.LONG);
    assertThat(held).extracting(ClaimedMessage::id).containsExactlyInAnyOrderElementsOf(IDS);
    assertThat(held).allSatisfy(one -> assertThat(one.payload()).isEqualTo(one.id()));
    for (ClaimedMessage one : held) {
      assertThat(session.retry(one, partition.past(), "why of " + one.id()))
          .isEqualTo(SettleOutcome.DONE);
    }
    assertThat(session.hold(1000, TestSession.LONG))
        .hasSize(IDS.size())
        .allSatisfy(one -> assertThat(one.history()).isEqualTo("why of " + one.id()))
        .allSatisfy(one -> assertThat(session.bury(one, one.id())).isEqualTo(SettleOutcome.DONE));
    partition.expectCounts(0, 0, 0, IDS.size());
  }

  @ParameterizedTest
  @EnumSource(names = {"SCHEDULED", "READY", "LEASED", "DEAD"})
  default void ids_ofEveryKindInAState_listedPageByPage(
      State state, TestPartition partition, TestSession session) {
    partition.needs(Capability.BROWSE);
    for (String id : IDS) {
      session.schedule(id, state == State.SCHEDULED ? partition.far() : partition.past());
    }
    if (state == State.LEASED || state == State.DEAD) {
      List<ClaimedMessage> held = session.hold(1000, TestSession.LONG);
      if (state == State.DEAD) {
        held.forEach(one -> session.bury(one, "why"));
      }
    }
    for (int pageSize : new int[] {1, 7, 1000}) {
      assertThat(partition.browseIds(state, pageSize)).containsExactlyInAnyOrderElementsOf(IDS);
    }
    assertThat(IDS).allSatisfy(id -> assertThat(partition.entry(id).state()).isEqualTo(state));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 255, 256, 65_536})
  default void history_anyBytes_comeBackAsTheyWere(
      int size, TestPartition partition, TestSession session) {
    byte[] history = Sample.bytes(size);
    session.schedule("a", partition.past());
    ClaimedMessage held = session.claimOne();
    session.settle(new Operation.Retry("a", held.token(), partition.past(), history));
    assertThat(session.claimOne().message().history()).isEqualTo(history);
  }

  @Test
  default void claim_notAfterPassed_isDelivered(TestPartition partition, TestSession session) {
    Content content = new Content(new byte[] {1}, Map.of(), partition.past(-5).millis());
    session.apply(new Operation.Schedule("a", partition.past(), IfPresent.KEEP, content));
    assertThat(session.claimOne().message().content().notAfterMillis())
        .isEqualTo(partition.past(-5).millis());
  }

  /** Contents with unusual sizes, bytes, headers or expiry times. */
  enum Sample {
    EMPTY {
      @Override
      Content content() {
        return Content.of(new byte[0]);
      }
    },
    EVERY_BYTE {
      @Override
      Content content() {
        return Content.of(bytes(256));
      }
    },
    MEBIBYTE {
      @Override
      Content content() {
        byte[] payload = new byte[1 << 20];
        new Random(1).nextBytes(payload);
        return Content.of(payload);
      }
    },
    NOT_UTF_8 {
      @Override
      Content content() {
        return Content.of(new byte[] {(byte) 0xC3, 0x28, (byte) 0xFF, (byte) 0xFE, 0, '\n', '\r'});
      }
    },
    HEADERS {
      @Override
      Content content() {
        return new Content(
            "payload".getBytes(StandardCharsets.UTF_8),
            Map.of("tenant", "a", "empty", "", "名前", "値 🕰", "line\nbreak", "a=b; \u0000"),
            Content.ALWAYS);
      }
    },
    MANY_HEADERS {
      @Override
      Content content() {
        Map<String, String> headers = new HashMap<>();
        for (int i = 0; i < Limits.HEADERS; i++) {
          headers.put("name" + i, "v".repeat(200));
        }
        return new Content(bytes(3), Map.copyOf(headers), Content.ALWAYS);
      }
    },
    NOT_AFTER {
      @Override
      Content content() {
        return new Content(bytes(3), Map.of("a", "b"), 4_102_444_800_123L);
      }
    },
    NOT_AFTER_BEFORE_1970 {
      @Override
      Content content() {
        return new Content(bytes(3), Map.of(), -1);
      }
    };

    abstract Content content();

    static byte[] bytes(int size) {
      byte[] bytes = new byte[size];
      for (int i = 0; i < size; i++) {
        bytes[i] = (byte) i;
      }
      return bytes;
    }
  }
}
