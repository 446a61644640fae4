/** The codecs of Redisson, for messages that were imported from Redisson. */
module io.punctual.redisson {
  requires static transitive org.jspecify;
  requires transitive io.punctual.core;
  requires transitive redisson;
  requires io.netty.buffer;

  exports io.punctual.redisson;
}
