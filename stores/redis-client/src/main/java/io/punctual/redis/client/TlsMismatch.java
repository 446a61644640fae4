package io.punctual.redis.client;

import io.lettuce.core.RedisURI;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;

/**
 * Finds out whether a server that can't be used speaks TLS where the client does not, or the
 * reverse. The failures of a connection do not tell: a port with TLS ends a plain connection
 * without a word, and a plain port keeps silent about a handshake. So each address is asked in the
 * other protocol.
 */
final class TlsMismatch {
  private static final Duration PATIENCE = Duration.ofSeconds(1);
  private static final int MOST_ADDRESSES = 5;
  private static final int TLS_ALERT = 0x15;
  private static final int TLS_HANDSHAKE = 0x16;

  private TlsMismatch() {}

  /**
   * Returns what is wrong and what to do about it; empty if no server is known to speak the other
   * protocol. Blocks for up to a few seconds.
   *
   * @param given the servers and Sentinels of a deployment
   */
  static Optional<String> find(List<RedisURI> given) {
    return given.stream()
        .flatMap(uri -> uri.getSentinels().isEmpty() ? Stream.of(uri) : uri.getSentinels().stream())
        .filter(uri -> uri.getSocket() == null)
        .limit(MOST_ADDRESSES)
        .flatMap(uri -> explain(uri).stream())
        .findFirst();
  }

  private static Optional<String> explain(RedisURI uri) {
    String address = RedisAddress.hostAndPort(uri);
    try {
      if (uri.isSsl()) {
        int first = firstByte(uri, "PING\r\n".getBytes(StandardCharsets.US_ASCII));
        return first == '+' || first == '-'
            ? Optional.of(
                "the port "
                    + address
                    + " has no TLS: begin the URL with redis, not with rediss, or name the port of"
                    + " the server's setting tls-port")
            : Optional.empty();
      }
      int first = firstByte(uri, clientHello());
      return first == TLS_HANDSHAKE || first == TLS_ALERT
          ? Optional.of(
              "the port "
                  + address
                  + " expects TLS: begin the URL with rediss, not with redis, and see the options"
                  + " of TLS in the documentation of the Redis store")
          : Optional.empty();
    } catch (IOException | NoSuchAlgorithmException unknown) {
      return Optional.empty();
    }
  }

  private static int firstByte(RedisURI uri, byte[] question) throws IOException {
    int millis = (int) Math.min(PATIENCE.toMillis(), uri.getTimeout().toMillis());
    try (Socket socket = new Socket()) {
      socket.setSoTimeout(millis);
      socket.connect(new InetSocketAddress(uri.getHost(), uri.getPort()), millis);
      socket.getOutputStream().write(question);
      return socket.getInputStream().read();
    }
  }

  /** Returns the first message of a handshake. */
  private static byte[] clientHello() throws NoSuchAlgorithmException, SSLException {
    SSLEngine engine = SSLContext.getDefault().createSSLEngine();
    engine.setUseClientMode(true);
    ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
    engine.beginHandshake();
    SSLEngineResult unused = engine.wrap(ByteBuffer.allocate(0), hello);
    byte[] bytes = new byte[hello.position()];
    hello.flip().get(bytes);
    return bytes;
  }
}
