package io.punctual.redis.client.deployment;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SlotMapTest {
  private static final NodeAddress ASKED = new NodeAddress("10.0.0.1", 7001);

  private static List<Object> range(long first, long last, String host, long port) {
    return List.of(first, last, List.of(host.getBytes(UTF_8), port));
  }

  @Test
  void parse_rangesWithGaps_knowsBothEndsAndNoMore() {
    SlotMap map =
        SlotMap.parse(
            List.of(range(0, 9, "10.0.0.2", 7002), range(16383, 16383, "10.0.0.3", 7003)), ASKED);
    assertThat(map.nodeOf(0)).isEqualTo(new NodeAddress("10.0.0.2", 7002));
    assertThat(map.nodeOf(9)).isEqualTo(new NodeAddress("10.0.0.2", 7002));
    assertThat(map.nodeOf(10)).isNull();
    assertThat(map.nodeOf(16383)).isEqualTo(new NodeAddress("10.0.0.3", 7003));
    assertThat(map.primaries())
        .containsExactly(new NodeAddress("10.0.0.2", 7002), new NodeAddress("10.0.0.3", 7003));
  }

  @Test
  void parse_primaryWithoutAHost_hasTheHostOfTheAskedNode() {
    SlotMap map = SlotMap.parse(List.of(range(0, 1, "", 7002), range(2, 3, "?", 7003)), ASKED);
    assertThat(map.nodeOf(0)).isEqualTo(new NodeAddress("10.0.0.1", 7002));
    assertThat(map.nodeOf(2)).isEqualTo(new NodeAddress("10.0.0.1", 7003));
  }

  @Test
  void parse_malformedRange_isSkipped() {
    SlotMap map =
        SlotMap.parse(List.of("text", List.of(1L, 2L), range(5, 5, "10.0.0.2", 7002)), ASKED);
    assertThat(map.primaries()).containsExactly(new NodeAddress("10.0.0.2", 7002));
  }

  @Test
  void with_otherNode_changesOnlyTheCopy() {
    SlotMap map = SlotMap.parse(List.of(range(0, 9, "10.0.0.2", 7002)), ASKED);
    SlotMap changed = map.with(3, ASKED);
    assertThat(changed.nodeOf(3)).isEqualTo(ASKED);
    assertThat(changed.nodeOf(4)).isEqualTo(map.nodeOf(4));
    assertThat(map.nodeOf(3)).isEqualTo(new NodeAddress("10.0.0.2", 7002));
  }

  @ParameterizedTest
  @CsvSource({"foo,12182", "{foo}.bar,12182", "a{foo}b,12182", "bar,5061", "'',0"})
  void slotOf_hashTag_decidesTheSlot(String key, int slot) {
    assertThat(SlotMap.slotOf(key.getBytes(UTF_8))).isEqualTo(slot);
  }

  @ParameterizedTest
  @CsvSource({
    "MOVED 3999 10.0.0.9:6381,3999,10.0.0.9,6381",
    "ERR in script: -MOVED 0 host.example:1,0,host.example,1",
    "MOVED 7 :6379,7,10.0.0.1,6379",
    "MOVED 7 ?:6379,7,10.0.0.1,6379",
    "MOVED 12 2001:db8::1:6379,12,2001:db8::1,6379"
  })
  void redirect_moved_namesSlotAndNode(String error, int slot, String host, int port) {
    assertThat(Redirect.of(new IllegalStateException(error), ASKED))
        .contains(new Redirect(slot, new NodeAddress(host, port)));
  }

  @ParameterizedTest
  @CsvSource({"ASK 3999 10.0.0.9:6381", "MOVED elsewhere", "CLUSTERDOWN Hash slot not served"})
  void redirect_otherError_isEmpty(String error) {
    assertThat(Redirect.of(new IllegalStateException(error), ASKED)).isEmpty();
  }

  @Test
  void toString_ipv6_hasBrackets() {
    assertThat(new NodeAddress("2001:db8::1", 6379)).hasToString("[2001:db8::1]:6379");
    assertThat(ASKED).hasToString("10.0.0.1:7001");
  }
}
