package io.punctual.redis.client.request;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A command that records whether some of its bytes may have left this process. The thread of the
 * connection sets this record.
 */
public final class Request extends Command<byte[], byte[], List<Object>> {
  private volatile boolean written;

  private Request(ProtocolKeyword type, CommandArgs<byte[], byte[]> args) {
    super(type, new NestedMultiOutput<>(ByteArrayCodec.INSTANCE), args);
  }

  public static Request of(ProtocolKeyword type, String... arguments) {
    CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE);
    for (String argument : arguments) {
      args.add(argument.getBytes(StandardCharsets.UTF_8));
    }
    return new Request(type, args);
  }

  /** Returns a command that removes a key. */
  public static Request delete(String key) {
    return of(CommandType.DEL, key);
  }

  /**
   * Returns a command that reads fields of a hash; the reply has the value of each field, or nil.
   */
  public static Request hashValues(byte[] key, List<byte[]> fields) {
    return read(CommandType.HMGET, key, fields);
  }

  /**
   * Returns a command that reads the scores of members of a sorted set; the reply has the score of
   * each member, or nil.
   */
  public static Request scores(byte[] key, List<byte[]> members) {
    return read(CommandType.ZMSCORE, key, members);
  }

  /**
   * Returns a command that reads the members of a sorted set with these ranks, from 0, both
   * included; the reply has each member and its score.
   */
  public static Request membersWithScores(byte[] key, long firstRank, long lastRank) {
    CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE);
    args.addKey(key).add(firstRank).add(lastRank).add("WITHSCORES");
    return new Request(CommandType.ZRANGE, args);
  }

  private static Request read(CommandType type, byte[] key, List<byte[]> names) {
    CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE);
    args.addKey(key);
    names.forEach(args::add);
    return new Request(type, args);
  }

  /**
   * Returns a request that runs a script by its SHA-1. The request fails if the server has
   * forgotten the script.
   */
  public static Request byName(Script script, List<byte[]> keys, List<byte[]> argv) {
    return script(CommandType.EVALSHA, script.sha(), keys, argv);
  }

  /** Returns a request that runs a script by its text. The server keeps the script. */
  public static Request byText(Script script, List<byte[]> keys, List<byte[]> argv) {
    return script(CommandType.EVAL, script.text(), keys, argv);
  }

  private static Request script(
      CommandType type, byte[] script, List<byte[]> keys, List<byte[]> argv) {
    CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE);
    args.add(script).add(keys.size());
    keys.forEach(args::addKey);
    argv.forEach(args::add);
    return new Request(type, args);
  }

  @Override
  public void encode(ByteBuf buf) {
    written = true;
    super.encode(buf);
  }

  /** Returns whether the server may have received the command. */
  public boolean isWritten() {
    return written;
  }
}
