package io.punctual.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.kit.redis.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A Kafka broker in KRaft mode, as a separate process that a test can kill and restart. */
final class KafkaBroker implements AutoCloseable {
  private static final long START_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final int port = FreePorts.next();
  private final Path folder;
  private Process process;
  private int starts;

  private KafkaBroker() throws Exception {
    folder = Files.createTempDirectory("punctual-kafka");
    int controller = FreePorts.next();
    Files.writeString(
        folder.resolve("server.properties"),
        String.join(
            "\n",
            "process.roles=broker,controller",
            "node.id=1",
            "controller.quorum.voters=1@127.0.0.1:" + controller,
            "listeners=PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controller,
            "advertised.listeners=PLAINTEXT://127.0.0.1:" + port,
            "controller.listener.names=CONTROLLER",
            "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "log.dirs=" + folder.resolve("data"),
            "offsets.topic.replication.factor=1",
            "auto.create.topics.enable=false",
            "log.cleaner.enable=false"));
    process = java("kafka.tools.StorageTool", "format", "-t", "4L6g3nShT-eMCtK--X86sw", "-c");
    if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
      throw new IOException(Files.readString(log()));
    }
    restart();
  }

  static KafkaBroker start() throws Exception {
    return new KafkaBroker();
  }

  private Path log() {
    return folder.resolve("log-" + starts);
  }

  private Process java(String main, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=info");
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
    command.addAll(List.of(arguments));
    command.add(folder.resolve("server.properties").toString());
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(log().toFile())
        .start();
  }

  /** Starts the broker again, with the data that it had. */
  void restart() throws Exception {
    starts++;
    process = java("kafka.Kafka");
    long end = System.nanoTime() + START_NANOS;
    while (!Files.readString(log(), UTF_8).contains("Kafka Server started")) {
      if (!process.isAlive() || System.nanoTime() - end > 0) {
        throw new IOException("Kafka did not start: " + Files.readString(log(), UTF_8));
      }
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  void kill() throws InterruptedException {
    process.destroyForcibly();
    process.waitFor();
  }

  String address() {
    return "127.0.0.1:" + port;
  }

  /** The properties of a producer for this broker. */
  Map<String, Object> properties() {
    return Map.of("bootstrap.servers", address());
  }

  void createTopic(String name, int partitions, Map<String, String> settings) throws Exception {
    try (Admin admin = Admin.create(properties())) {
      NewTopic topic = new NewTopic(name, partitions, (short) 1).configs(settings);
      admin.createTopics(List.of(topic)).all().get(60, TimeUnit.SECONDS);
    }
  }

  /** Returns the records that a topic has now, in the order of each partition. */
  List<ConsumerRecord<byte[], byte[]>> records(String topic) {
    Map<String, Object> properties =
        Map.of(
            "bootstrap.servers",
            address(),
            "key.deserializer",
            ByteArrayDeserializer.class,
            "value.deserializer",
            ByteArrayDeserializer.class);
    List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(properties)) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream()
              .map(info -> new TopicPartition(topic, info.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      while (partitions.stream().anyMatch(one -> consumer.position(one) < ends.get(one))) {
        consumer.poll(Duration.ofMillis(200)).forEach(all::add);
      }
    }
    return all;
  }

  @Override
  public void close() throws Exception {
    kill();
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted((a, b) -> b.compareTo(a)).forEach(file -> file.toFile().delete());
    }
  }
}
