package io.punctual.migration.redis;

import com.github.sonus21.rqueue.common.impl.RqueueLockManagerImpl;
import com.github.sonus21.rqueue.config.RqueueConfig;
import com.github.sonus21.rqueue.converter.GenericMessageConverter;
import com.github.sonus21.rqueue.core.EndpointRegistry;
import com.github.sonus21.rqueue.core.RqueueMessage;
import com.github.sonus21.rqueue.core.RqueueMessageEnqueuer;
import com.github.sonus21.rqueue.core.RqueueMessageManager;
import com.github.sonus21.rqueue.core.RqueueMessageTemplate;
import com.github.sonus21.rqueue.core.impl.RqueueMessageEnqueuerImpl;
import com.github.sonus21.rqueue.core.impl.RqueueMessageManagerImpl;
import com.github.sonus21.rqueue.core.impl.RqueueMessageTemplateImpl;
import com.github.sonus21.rqueue.dao.impl.RqueueMessageMetadataDaoImpl;
import com.github.sonus21.rqueue.dao.impl.RqueueStringDaoImpl;
import com.github.sonus21.rqueue.listener.QueueDetail;
import com.github.sonus21.rqueue.listener.RqueueMessageHeaders;
import com.github.sonus21.rqueue.web.service.impl.RqueueMessageMetadataServiceImpl;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/** An application that uses Rqueue, with one queue. */
public final class RqueueApplication implements AutoCloseable {
  private final AnnotationConfigApplicationContext context =
      new AnnotationConfigApplicationContext();
  private final JedisConnectionFactory connections;
  private final QueueDetail queue;

  /** Connects to the Redis on this machine. */
  public RqueueApplication(int port, String name, int dataVersion) {
    connections = new JedisConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", port));
    connections.afterPropertiesSet();
    var converter = new GenericMessageConverter();
    var headers = RqueueMessageHeaders.emptyMessageHeaders();
    context.registerBean(
        RqueueConfig.class, () -> new RqueueConfig(connections, null, false, dataVersion));
    context.registerBean(
        RqueueMessageTemplate.class, () -> new RqueueMessageTemplateImpl(connections, null));
    context.registerBean(RqueueStringDaoImpl.class);
    context.registerBean(RqueueLockManagerImpl.class);
    context.registerBean(RqueueMessageMetadataDaoImpl.class);
    context.registerBean(RqueueMessageMetadataServiceImpl.class);
    context.registerBean(
        RqueueMessageEnqueuer.class,
        () -> new RqueueMessageEnqueuerImpl(template(), converter, headers));
    context.registerBean(
        RqueueMessageManager.class,
        () -> new RqueueMessageManagerImpl(template(), converter, headers));
    context.refresh();
    RqueueConfig config = context.getBean(RqueueConfig.class);
    queue =
        QueueDetail.builder()
            .name(name)
            .queueName(config.getQueueName(name))
            .scheduledQueueName(config.getScheduledQueueName(name))
            .scheduledQueueChannelName(config.getScheduledQueueChannelName(name))
            .processingQueueName(config.getProcessingQueueName(name))
            .processingQueueChannelName(config.getProcessingQueueChannelName(name))
            .priority(Map.of())
            .build();
    EndpointRegistry.delete();
    EndpointRegistry.register(queue);
  }

  private RqueueMessageTemplate template() {
    return context.getBean(RqueueMessageTemplate.class);
  }

  public RqueueMessageEnqueuer producer() {
    return context.getBean(RqueueMessageEnqueuer.class);
  }

  void delete(String id) {
    if (!context.getBean(RqueueMessageManager.class).deleteMessage(queue.getName(), id)) {
      throw new AssertionError("Rqueue has no message " + id);
    }
  }

  public List<RqueueMessage> take(int count, Duration visibility) {
    return template()
        .pop(
            queue.getQueueName(),
            queue.getProcessingQueueName(),
            queue.getProcessingQueueChannelName(),
            visibility.toMillis(),
            count);
  }

  /** Returns the messages that Rqueue has in any of its keys. */
  List<RqueueMessage> all() {
    return template()
        .getAllMessages(
            queue.getQueueName(), queue.getProcessingQueueName(), queue.getScheduledQueueName());
  }

  /** Returns the time at which Rqueue would process a message. */
  public long processAt(String id) {
    return all().stream()
        .filter(message -> message.getId().equals(id))
        .mapToLong(RqueueMessage::getProcessAt)
        .findFirst()
        .orElseThrow();
  }

  @Override
  public void close() {
    context.close();
    connections.destroy();
  }
}
