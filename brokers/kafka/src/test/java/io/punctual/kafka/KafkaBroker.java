package io.punctual.kafka;

import io.punctual.kit.process.Folders;
import io.punctual.kit.process.JavaProcess;
import io.punctual.kit.redis.FreePorts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A Kafka broker in KRaft mode, as a separate process that a test can kill and restart. */
final class KafkaBroker implements AutoCloseable {
  private final int port = FreePorts.next();
  private final Path folder = Folders.create("punctual-kafka");
  private final int controller;
  private JavaProcess process;

  private KafkaBroker(int node, String roles, int controller) throws Exception {
    this.controller = controller;
    String listener = "PLAINTEXT://127.0.0.1:" + port;
    Files.writeString(
        folder.resolve("server.properties"),
        String.join(
            "\n",
            "process.roles=" + roles,
            "node.id=" + node,
            "controller.quorum.voters=1@127.0.0.1:" + controller,
            "listeners=" + listener + (node == 1 ? ",CONTROLLER://127.0.0.1:" + controller : ""),
            "advertised.listeners=" + listener,
            "controller.listener.names=CONTROLLER",
            "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "log.dirs=" + folder.resolve("data"),
            "offsets.topic.replication.factor=1",
            "auto.create.topics.enable=false",
            "log.cleaner.enable=false"));
    try (JavaProcess format =
        java("kafka.tools.StorageTool", "format", "-t", "4L6g3nShT-eMCtK--X86sw", "-c")) {
      format.expectSuccess();
    }
    restart();
  }

  static KafkaBroker start() throws Exception {
    return new KafkaBroker(1, "broker,controller", FreePorts.next());
  }

  /** Starts another broker of the same cluster, whose node is 2. */
  KafkaBroker startSecond() throws Exception {
    return new KafkaBroker(2, "broker", controller);
  }

  /** Creates a topic whose partitions are on these nodes, without copies. */
  void createTopicOn(String name, int... nodes) throws Exception {
    Map<Integer, List<Integer>> assignment = new HashMap<>();
    for (int i = 0; i < nodes.length; i++) {
      assignment.put(i, List.of(nodes[i]));
    }
    try (Admin admin = Admin.create(properties())) {
      admin.createTopics(List.of(new NewTopic(name, assignment))).all().get(60, TimeUnit.SECONDS);
    }
  }

  /** Returns how many partitions of a topic have no leader. */
  long withoutLeader(String topic) throws Exception {
    try (Admin admin = Admin.create(properties())) {
      return admin
          .describeTopics(List.of(topic))
          .allTopicNames()
          .get(60, TimeUnit.SECONDS)
          .get(topic)
          .partitions()
          .stream()
          .filter(partition -> partition.leader() == null || partition.leader().isEmpty())
          .count();
    }
  }

  private JavaProcess java(String main, String... arguments) {
    return JavaProcess.of(main)
        .small()
        .options("-Xmx256m", "-Dorg.slf4j.simpleLogger.defaultLogLevel=info")
        .arguments(arguments)
        .arguments(folder.resolve("server.properties").toString())
        .start();
  }

  /** Starts the broker again, with the data that it had. */
  void restart() {
    process = java("kafka.Kafka");
    process.awaitText("Kafka Server started");
  }

  void kill() {
    process.kill();
  }

  String address() {
    return "127.0.0.1:" + port;
  }

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
  public void close() {
    kill();
    Folders.delete(folder);
  }
}
