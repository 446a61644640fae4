package io.punctual.redis.client.scripted;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelId;
import io.netty.channel.DefaultChannelId;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * One connection, as its server sees it. A reply belongs to the oldest request without a reply. The
 * bytes pass through the client library's own encoder and decoder.
 */
public final class ScriptedLink {
  private final ScriptedServer server;
  private final ScriptedClient client;
  private final RedisChannelHandler<?, ?> connection;
  private final EmbeddedChannel channel;
  private final List<RedisConnectionStateListener> listeners = new CopyOnWriteArrayList<>();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final Deque<String> unanswered = new ArrayDeque<>();

  ScriptedLink(
      ScriptedServer server,
      ScriptedClient client,
      RedisChannelHandler<?, ?> connection,
      ChannelHandler... handlers) {
    this.server = server;
    this.client = client;
    this.connection = connection;
    this.channel = new Wire(DefaultChannelId.newInstance(), handlers);
    channel.closeFuture().addListener(closed -> announceTheEnd());
  }

  private void announceTheEnd() {
    client.listeners().forEach(each -> each.onRedisDisconnected(connection));
    listeners.forEach(each -> each.onRedisDisconnected(connection));
  }

  void addListener(RedisConnectionStateListener listener) {
    listeners.add(listener);
  }

  /** Receives each request when the library flushes it, before the library expects its reply. */
  private final class Wire extends EmbeddedChannel {
    Wire(ChannelId id, ChannelHandler... handlers) {
      super(id, false, false, handlers);
    }

    @Override
    protected void handleOutboundMessage(Object message) {
      ByteBuf bytes = (ByteBuf) message;
      while (bytes.isReadable()) {
        received(Resp.read(bytes));
      }
      bytes.release();
    }
  }

  private void received(String request) {
    requests.add(request);
    unanswered.add(request);
    channel.eventLoop().execute(this::answerByScript);
  }

  private void answerByScript() {
    while (!unanswered.isEmpty()) {
      String reply = server.answerTo(unanswered.element());
      if (reply == null) {
        return;
      }
      reply(reply);
    }
  }

  /** Ends the handshake: the library accepts commands from now on. */
  public void activate() {
    activateQuietly();
    client.listeners().forEach(each -> each.onRedisConnected(connection, channel.remoteAddress()));
  }

  /** Opens the channel; the library does not announce that the connection accepts commands. */
  public void activateQuietly() {
    try {
      channel.register();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** Sends a reply to the oldest request without a reply. */
  public void reply(String reply) {
    unanswered.remove();
    send(reply);
  }

  private void send(String bytes) {
    channel.pipeline().fireChannelRead(Unpooled.copiedBuffer(bytes, UTF_8));
    channel.pipeline().fireChannelReadComplete();
    channel.runPendingTasks();
  }

  /** Sends a message about a channel, for example of the kind "message" or "smessage". */
  public void push(String kind, String name, String message) {
    send(Resp.push(kind, name, Resp.text(message)));
  }

  /** Confirms a subscription, or its end. */
  public void confirm(String kind, String name) {
    unanswered.poll();
    send(Resp.push(kind, name, Resp.number(1)));
  }

  /** Ends the subscription to a channel, without a request of the client. */
  public void end(String kind, String name) {
    send(Resp.push(kind, name, Resp.number(0)));
  }

  /** Ends the connection, as a server that is killed does. */
  public void lose() {
    if (channel.isRegistered()) {
      channel.close();
    } else {
      announceTheEnd();
    }
  }

  /** Returns whether neither side has closed the connection. */
  public boolean isOpen() {
    return channel.isOpen();
  }

  /** Returns all requests that the server has received, in this order. */
  public List<String> requests() {
    return requests;
  }

  /** Returns the requests that have yet to get a reply. */
  public List<String> unanswered() {
    return List.copyOf(unanswered);
  }
}
