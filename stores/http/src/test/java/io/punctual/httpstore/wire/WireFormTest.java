package io.punctual.httpstore.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.punctual.IfPresent;
import io.punctual.spi.Call;
import io.punctual.spi.Content;
import io.punctual.spi.DueTime;
import io.punctual.spi.Operation;
import io.punctual.spi.Outcome;
import io.punctual.spi.Partition;
import io.punctual.spi.Reply;
import io.punctual.spi.Sessions;
import io.punctual.spi.Store;
import java.io.ByteArrayOutputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.recursive.comparison.RecursiveComparisonConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.dataformat.cbor.CBORFactory;

/** Tests that the wire form carries everything of the SPI, and refuses everything else. */
final class WireFormTest {
  private static final Place PLACE = new Place("orders", 1, 3);

  /**
   * The methods of the SPI that need no request of their own, because a client knows the answer or
   * another method carries them.
   */
  private static final Set<String> LOCAL =
      Set.of(
          "Partition.indexOf",
          "Partition.queue",
          "Partition.index",
          "Partition.prefersBatching",
          "Partition.applyIn",
          "Store.describe",
          "Store.safetyCheckInterval",
          "Store.close");

  private static final Map<String, String> REQUESTS =
      Map.ofEntries(
          Map.entry("Sessions.openSession", "OpenSession"),
          Map.entry("Sessions.call", "MakeCall"),
          Map.entry("Sessions.closeSession", "CloseSession"),
          Map.entry("Partition.claimSessions", "FindPartitions"),
          Map.entry("Partition.operationsPerCall", "FindPartitions"),
          Map.entry("Partition.find", "FindMany"),
          Map.entry("Partition.browse", "Browse"),
          Map.entry("Partition.cursorAfter", "Browse"),
          Map.entry("Partition.counts", "Count"),
          Map.entry("Partition.countsNow", "Count"),
          Map.entry("Partition.forecast", "Forecast"),
          Map.entry("Partition.pause", "Pause"),
          Map.entry("Partition.limits", "SetLimits"),
          Map.entry("Partition.limitUse", "ReadLimitUse"),
          Map.entry("Partition.moveShares", "MoveShares"),
          Map.entry("Partition.purge", "Purge"),
          Map.entry("Partition.onWakeUp", "Listen"),
          Map.entry("Partition.handOver", "HandOver"),
          Map.entry("Store.capabilities", "Hello"),
          Map.entry("Store.partitions", "FindPartitions"),
          Map.entry("Store.queues", "ListQueues"),
          Map.entry("Store.counts", "CountQueues"),
          Map.entry("Store.find", "FindInQueues"),
          Map.entry("Store.forecast", "ForecastQueues"),
          Map.entry("Store.delete", "DeleteQueue"),
          Map.entry("Store.untilNext", "UntilNext"),
          Map.entry("Store.announce", "Announce"),
          Map.entry("Store.announcements", "ListAnnouncements"),
          Map.entry("Store.ping", "Ping"));

  private static final RecursiveComparisonConfiguration SAME =
      RecursiveComparisonConfiguration.builder()
          .withIgnoredFieldsMatchingRegexes(".*confirmation")
          .build();

  static Stream<Class<?>> requests() {
    List<Class<?>> all = new ArrayList<>();
    Requests.all().forEach(all::add);
    return all.stream();
  }

  @Test
  void everyMethodOfTheSpi_hasARequest() {
    Set<String> missing = new TreeSet<>();
    for (Class<?> type : List.of(Store.class, Partition.class, Sessions.class)) {
      for (Method method : type.getDeclaredMethods()) {
        String name = type.getSimpleName() + "." + method.getName();
        boolean isCarried = LOCAL.contains(name) || REQUESTS.containsKey(name);
        if (Modifier.isPublic(method.getModifiers()) && !method.isSynthetic() && !isCarried) {
          missing.add(name);
        }
      }
    }
    assertThat(missing).as("methods of the SPI that no request carries").isEmpty();
    assertThat(requests().map(Class::getSimpleName)).containsAll(REQUESTS.values());
  }

  /** A default method that asks messages one by one would cost a request for each. */
  @Test
  void everyDefaultMethodThatAsks_isOverridden() throws ReflectiveOperationException {
    for (Class<?> type :
        List.of(
            Class.forName("io.punctual.httpstore.HttpStore"),
            Class.forName("io.punctual.httpstore.client.HttpPartition"))) {
      Set<String> own =
          Arrays.stream(type.getDeclaredMethods())
              .map(WireFormTest::signature)
              .collect(Collectors.toSet());
      Set<String> inherited =
          Arrays.stream(type.getMethods())
              .filter(Method::isDefault)
              .filter(method -> method.getReturnType() == CompletionStage.class)
              .map(WireFormTest::signature)
              .filter(
                  each ->
                      !own.contains(each)
                          && !each.startsWith("browse")
                          && !each.equals("pause[boolean]"))
              .collect(Collectors.toCollection(TreeSet::new));
      assertThat(inherited).as("default methods of %s", type).isEmpty();
    }
  }

  private static String signature(Method method) {
    return method.getName()
        + Arrays.stream(method.getParameterTypes()).map(Class::getSimpleName).toList();
  }

  @ParameterizedTest
  @MethodSource("requests")
  void request_everyPartFilled_comesBackEqual(Class<?> type) {
    assertSame(type, true);
  }

  @ParameterizedTest
  @MethodSource("requests")
  void answer_everyPartFilled_comesBackEqual(Class<?> type) {
    assertSame(Requests.answer(type), false);
  }

  private static void assertSame(Type type, boolean isRequest) {
    for (Object value : valid(type)) {
      byte[] document = Wire.write(type, value);
      Object back =
          isRequest ? Wire.request((Class<?>) type, document) : Wire.answer(type, document);
      assertThat(back).usingRecursiveComparison(SAME).isEqualTo(value);
      if (value instanceof Reply.Applied applied) {
        assertThat(((Reply.Applied) back).confirmation() == null)
            .isEqualTo(applied.confirmation() == null);
      }
    }
  }

  private static List<Object> valid(Type type) {
    return Samples.of(type);
  }

  @Test
  void nullable_absent_comesBackNull() {
    Operation.Redrive redrive = new Operation.Redrive("a");
    assertThat(Wire.request(Operation.Redrive.class, Wire.write(Operation.Redrive.class, redrive)))
        .isEqualTo(redrive);
  }

  /** A change of these bytes breaks clients and servers that are in use. */
  @Test
  void document_ofACall_hasTheseBytes() {
    Call call =
        new Call(
            "s.1",
            7,
            5,
            new Call.Apply(
                List.of(
                    new Operation.Schedule(
                        "a",
                        new DueTime(true, 1000),
                        IfPresent.KEEP,
                        Content.of("x".getBytes(StandardCharsets.UTF_8)))),
                null),
            false);
    byte[] document =
        Wire.write(Request.MakeCall.class, new Request.MakeCall(PLACE, false, call, 9));
    assertThat(HexFormat.of().formatHex(document)).isEqualTo(GOLDEN);
    assertThat(Wire.request(Request.MakeCall.class, document))
        .usingRecursiveComparison()
        .isEqualTo(new Request.MakeCall(PLACE, false, call, 9));
  }

  private static final String GOLDEN =
      "bf65706c616365bf657175657565666f726465727365696e646578016a706172746974696f6e7303"
          + "ff6463616c6cbf6773657373696f6e63732e31666e756d62657207706c6f77657374556e616e7377"
          + "657265640564626f6479bf654170706c79bf6a6f7065726174696f6e7381bf685363686564756c65"
          + "bf626964616163647565bf67697344656c6179f5666d696c6c69731903e8ff69696650726573656e"
          + "74644b45455067636f6e74656e74bf677061796c6f616441786e6e6f7441667465724d696c6c6973"
          + "1b7fffffffffffffffffffffffffff6773656e64696e6709ff";

  @Test
  void unknownPart_inRequest_isRefusedAndInAnswer_isIgnored() {
    byte[] document =
        cbor(
            out -> {
              out.writeStartObject();
              out.writeName("outcome");
              out.writeString("CANCELLED");
              out.writeName("newer");
              out.writeStartArray();
              out.writeNumber(1);
              out.writeEndArray();
              out.writeEndObject();
            });
    assertThat(Wire.answer(Outcome.OfCancel.class, document)).isInstanceOf(Outcome.OfCancel.class);
    assertThatThrownBy(() -> Wire.request(Outcome.OfCancel.class, document))
        .isInstanceOf(UnreadableException.class)
        .hasMessageContaining("does not know");
  }

  @Test
  void missingPart_isRefused() {
    byte[] document = HexFormat.of().parseHex("a0");
    assertThatThrownBy(() -> Wire.request(Request.MakeCall.class, document))
        .isInstanceOf(UnreadableException.class)
        .hasMessageContaining("has no 'place'");
  }

  @Test
  void partTwice_isRefused() {
    byte[] document =
        cbor(
            out -> {
              out.writeStartObject();
              out.writeName("queue");
              out.writeString("a");
              out.writeName("queue");
              out.writeString("b");
              out.writeEndObject();
            });
    assertThatThrownBy(() -> Wire.request(Request.DeleteQueue.class, document))
        .isInstanceOf(UnreadableException.class)
        .hasMessageContaining("twice");
  }

  private interface Writing {
    void to(JsonGenerator out);
  }

  private static byte[] cbor(Writing writing) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator out = new CBORFactory().createGenerator(ObjectWriteContext.empty(), bytes)) {
      writing.to(out);
    }
    return bytes.toByteArray();
  }

  /** Cut, changed and random bytes end in a refusal or in a valid request, and in nothing else. */
  @Test
  void hostileBytes_areRefusedInAllPlaces() {
    Random random = new Random(42);
    List<byte[]> documents = new ArrayList<>();
    for (Object each : valid(Request.MakeCall.class)) {
      documents.add(Wire.write(Request.MakeCall.class, each));
    }
    for (int i = 0; i < 20_000; i++) {
      byte[] document = documents.get(random.nextInt(documents.size())).clone();
      int changes = 1 + random.nextInt(3);
      for (int change = 0; change < changes; change++) {
        document[random.nextInt(document.length)] = (byte) random.nextInt(256);
      }
      byte[] body = Arrays.copyOf(document, 1 + random.nextInt(document.length));
      try {
        Wire.request(Request.MakeCall.class, random.nextBoolean() ? document : body);
      } catch (UnreadableException expected) {
        assertThat(expected.getMessage()).isNotEmpty();
      }
    }
  }

  @ParameterizedTest
  @org.junit.jupiter.params.provider.ValueSource(
      strings = {
        "", // nothing
        "00", // a number
        "f6", // null
        "a16571756575655a7fffffff", // a name with bytes of 2 GiB
        "a165717565756578ff", // a text that ends too early
        "bf", // an object without an end
        "a1657175657565616100", // bytes after the end
        "a165717565756561ff", // no UTF-8
        "9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f9f" // deep
      })
  void hostileDocument_isRefused(String hex) {
    assertThatThrownBy(() -> Wire.request(Request.DeleteQueue.class, HexFormat.of().parseHex(hex)))
        .isInstanceOf(UnreadableException.class);
  }
}
