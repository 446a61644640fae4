package io.punctual.benchmarks.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.punctual.ClaimOptions;
import io.punctual.Codec;
import io.punctual.Delivery;
import io.punctual.IfPresent;
import io.punctual.Message;
import io.punctual.Punctual;
import io.punctual.Receipt;
import io.punctual.Scheduled;
import io.punctual.Settlement;
import io.punctual.State;
import io.punctual.TimedQueue;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Promise;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonEncoding;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * The least that the calls of {@link HttpCaller} need: Jetty's handlers, JSON and the Java API. No
 * access, limits, checks, problems, audit and metrics. The HTTP API is measured beside it.
 * Thread-safe.
 */
final class BareServer implements AutoCloseable {
  private static final JsonFactory JSON = JsonFactory.builder().build();

  private final Punctual punctual;
  private final Map<String, TimedQueue<byte[]>> queues = new ConcurrentHashMap<>();
  private final Server server = new Server(new QueuedThreadPool(16, 4));
  private final ServerConnector connector;

  BareServer(String store) throws Exception {
    punctual = Punctual.open(store);
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(http));
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    server.setHandler(new Calls());
    server.start();
  }

  int port() {
    return connector.getLocalPort();
  }

  @Override
  public void close() throws Exception {
    server.stop();
    punctual.close();
  }

  private TimedQueue<byte[]> queue(String name) {
    return queues.computeIfAbsent(name, absent -> punctual.queue(absent, Codec.bytes()));
  }

  /** Writes an answer. */
  private interface Body {
    void write(JsonGenerator json);
  }

  private final class Calls extends Handler.Abstract.NonBlocking {
    @Override
    public boolean handle(Request request, Response response, Callback callback) {
      Content.Source.asByteBuffer(
          request,
          new Promise.Invocable.NonBlocking<ByteBuffer>() {
            @Override
            public void failed(Throwable failure) {
              callback.failed(failure);
            }

            @Override
            public void succeeded(ByteBuffer read) {
              byte[] body = new byte[read.remaining()];
              read.get(body);
              call(request, body)
                  .whenComplete(
                      (answer, failure) -> {
                        if (failure != null) {
                          callback.failed(failure);
                        } else {
                          answer(answer, response, callback);
                        }
                      });
            }
          });
      return true;
    }
  }

  private static void answer(Body answer, Response response, Callback callback) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(256);
    try (JsonGenerator json =
        JSON.createGenerator(ObjectWriteContext.empty(), out, JsonEncoding.UTF8)) {
      answer.write(json);
    }
    response.setStatus(200);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
    response.getHeaders().put(HttpHeader.CONTENT_LENGTH, out.size());
    response.write(true, ByteBuffer.wrap(out.toByteArray()), callback);
  }

  private CompletionStage<Body> call(Request request, byte[] body) {
    String[] path = request.getHttpURI().getPath().split("/", -1);
    String queue = path[3];
    if (path.length == 4) {
      return queue(queue)
          .async()
          .purge(EnumSet.allOf(State.class))
          .thenCompose(purged -> punctual.deleteQueueAsync(queue))
          .thenApply(deleted -> JsonGenerator::writeNull);
    }
    try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), body)) {
      return switch (path[4]) {
        case "messages" -> schedule(queue(queue), json);
        case "claims" -> claim(queue(queue), json);
        default -> settle(queue(queue), json);
      };
    }
  }

  private static CompletionStage<Body> schedule(TimedQueue<byte[]> queue, JsonParser json) {
    List<Message<byte[]>> messages = new ArrayList<>();
    while (json.nextToken() != null) {
      Map<String, String> fields = object(json);
      Message<byte[]> message = Message.of(field(fields, "payload").getBytes(UTF_8));
      messages.add(message.dueIn(Duration.ofMillis(number(field(fields, "delay")))));
    }
    return messages.size() == 1
        ? queue.async().schedule(messages.get(0)).thenApply(done -> out -> write(out, done))
        : queue
            .async()
            .scheduleAll(messages, IfPresent.KEEP)
            .thenApply(
                all ->
                    out -> {
                      out.writeStartArray();
                      all.forEach(each -> write(out, each));
                      out.writeEndArray();
                    });
  }

  private static void write(JsonGenerator out, Scheduled done) {
    out.writeStartObject();
    out.writeStringProperty("id", done.id());
    out.writeStringProperty("outcome", done.outcome().name());
    out.writeStringProperty("dueAt", done.dueAt().toString());
    out.writeEndObject();
  }

  private static CompletionStage<Body> claim(TimedQueue<byte[]> queue, JsonParser json) {
    JsonToken unused = json.nextToken();
    Map<String, String> fields = object(json);
    ClaimOptions options =
        ClaimOptions.DEFAULT.maxWait(Duration.ofSeconds(number(field(fields, "wait"))));
    return queue
        .async()
        .claim((int) number(field(fields, "max")), options)
        .thenApply(deliveries -> out -> write(out, deliveries));
  }

  private static void write(JsonGenerator out, List<Delivery<byte[]>> deliveries) {
    out.writeStartObject();
    out.writeArrayPropertyStart("deliveries");
    for (Delivery<byte[]> each : deliveries) {
      out.writeStartObject();
      out.writeStringProperty("id", each.id());
      out.writeStringProperty("token", each.receipt().token());
      out.writeNumberProperty("attempt", each.attempt());
      out.writeStringProperty("dueAt", each.dueAt().toString());
      out.writeStringProperty("payload", new String(each.payload(), UTF_8));
      out.writeEndObject();
    }
    out.writeEndArray();
    out.writeEndObject();
  }

  private static CompletionStage<Body> settle(TimedQueue<byte[]> queue, JsonParser json) {
    List<Settlement> acks = new ArrayList<>();
    JsonToken unused = json.nextToken();
    while (json.nextToken() == JsonToken.START_OBJECT) {
      Map<String, String> fields = object(json);
      acks.add(new Settlement.Ack(new Receipt(field(fields, "id"), field(fields, "token"))));
    }
    return queue
        .async()
        .settle(acks)
        .thenApply(
            outcomes ->
                out -> {
                  out.writeStartArray();
                  outcomes.forEach(each -> out.writeString(each.name()));
                  out.writeEndArray();
                });
  }

  /** Reads the texts and numbers of an object whose start has been read. */
  private static Map<String, String> object(JsonParser json) {
    Map<String, String> fields = new HashMap<>();
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String name = json.currentName();
      JsonToken unused = json.nextToken();
      fields.put(name, json.getString());
    }
    return fields;
  }

  private static String field(Map<String, String> fields, String name) {
    @Nullable String value = fields.get(name);
    if (value == null) {
      throw new IllegalArgumentException("no " + name);
    }
    return value;
  }

  /** Reads the number at the start of a text, which ends with a unit. */
  private static long number(String text) {
    int end = 0;
    while (end < text.length() && Character.isDigit(text.charAt(end))) {
      end++;
    }
    return Long.parseLong(text.substring(0, end));
  }
}
