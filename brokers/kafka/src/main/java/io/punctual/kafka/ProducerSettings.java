package io.punctual.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Completes the properties of a producer, and refuses properties that contradict the bridge. */
final class ProducerSettings {
  /** The default limit of a send's wait for the metadata of a topic, in milliseconds. */
  private static final long BLOCK_MILLIS = 5_000;

  private static final long REQUEST_MILLIS = 10_000;

  private ProducerSettings() {}

  /**
   * Returns the properties for a bridge.
   *
   * @param given the user's properties
   * @param confirmTimeout how long a send may take, with all repetitions
   * @throws IllegalArgumentException if a property contradicts the bridge, or {@code
   *     bootstrap.servers} is missing
   */
  static Map<String, Object> of(Map<String, ?> given, Duration confirmTimeout, String clientId) {
    Map<String, Object> all = new HashMap<>(given);
    require(all, ProducerConfig.ACKS_CONFIG, "all", "-1");
    require(all, ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true");
    refuse(all, ProducerConfig.TRANSACTIONAL_ID_CONFIG);
    refuse(all, ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG);
    refuse(all, ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG);
    refuse(all, ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG);
    if (!all.containsKey(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG)) {
      throw new IllegalArgumentException(
          "The properties of the producer have no " + ProducerConfig.BOOTSTRAP_SERVERS_CONFIG);
    }
    all.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    all.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    long millis = confirmTimeout.toMillis();
    all.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, (int) millis);
    // Kafka's client requires that the linger and a request fit into the time for the delivery.
    all.putIfAbsent(ProducerConfig.LINGER_MS_CONFIG, 0);
    all.putIfAbsent(
        ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) Math.min(REQUEST_MILLIS, millis));
    all.putIfAbsent(ProducerConfig.MAX_BLOCK_MS_CONFIG, Math.min(BLOCK_MILLIS, millis));
    all.putIfAbsent(ProducerConfig.CLIENT_ID_CONFIG, clientId);
    return all;
  }

  /** Returns how long a send waits for the metadata of a topic, in milliseconds. */
  static int blockMillis(Map<String, Object> settings) {
    Object millis = settings.getOrDefault(ProducerConfig.MAX_BLOCK_MS_CONFIG, BLOCK_MILLIS);
    long most = Long.parseLong(millis.toString().strip());
    return (int) Math.max(1, Math.min(most, BLOCK_MILLIS));
  }

  /** Returns those of a producer's settings that an administrative client has, too. */
  static Map<String, Object> ofAdmin(Map<String, Object> settings) {
    Map<String, Object> all = new HashMap<>(settings);
    all.keySet().retainAll(AdminClientConfig.configNames());
    all.put(
        AdminClientConfig.CLIENT_ID_CONFIG,
        all.get(AdminClientConfig.CLIENT_ID_CONFIG) + "-topics");
    return all;
  }

  private static void require(Map<String, Object> all, String name, String... allowed) {
    Object value = all.putIfAbsent(name, allowed[0]);
    String text = value == null ? allowed[0] : value.toString().toLowerCase(Locale.ROOT);
    if (!java.util.List.of(allowed).contains(text)) {
      throw new IllegalArgumentException(
          "The bridge needs " + name + "=" + allowed[0] + ", but the property is " + value);
    }
  }

  private static void refuse(Map<String, Object> all, String name) {
    if (all.containsKey(name)) {
      throw new IllegalArgumentException(
          "The bridge sets " + name + " itself; remove the property");
    }
  }
}
