package io.punctual.redis.client;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.punctual.spi.Registration;
import io.punctual.timer.Timer;
import java.util.List;

/** A deployment in which one server at a time has all keys. Thread-safe. */
final class OneServer implements Deployment {
  private final RedisURI uri;
  private final RedisSettings settings;
  private final Timer timer;
  private final Link main;
  private final Link durable;
  private final Subscriptions subscriptions;
  private final List<Runnable> closing;

  OneServer(
      RedisClient client,
      RedisURI uri,
      RedisSettings settings,
      Timer timer,
      List<Script> scripts,
      List<Runnable> closing) {
    this.uri = uri;
    this.settings = settings;
    this.timer = timer;
    this.main = new Link(client, uri, settings, timer, scripts);
    this.durable = new Link(client, uri, settings, timer, scripts);
    this.subscriptions = new Subscriptions(client, uri, timer);
    this.closing = closing;
  }

  /** Asks the server whether it will do. */
  void check() {
    new ServerCheck(describe(), settings, main).run();
  }

  @Override
  public String describe() {
    return RedisUrl.describe(uri);
  }

  @Override
  public RedisSettings settings() {
    return settings;
  }

  @Override
  public Timer timer() {
    return timer;
  }

  @Override
  public Link link(byte[] key) {
    return main;
  }

  @Override
  public Link durable(byte[] key) {
    return durable;
  }

  @Override
  public Registration subscribe(String channel, Subscriber subscriber) {
    return subscriptions.add(channel, subscriber);
  }

  @Override
  public void close() {
    subscriptions.close();
    main.close();
    durable.close();
    closing.forEach(Runnable::run);
  }
}
