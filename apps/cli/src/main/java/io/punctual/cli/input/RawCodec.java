package io.punctual.cli.input;

import io.punctual.Codec;

/** Passes payloads through without copies, since no command changes the bytes of a payload. */
public final class RawCodec implements Codec<byte[]> {
  @Override
  public byte[] encode(byte[] payload) {
    return payload;
  }

  @Override
  public byte[] decode(byte[] bytes) {
    return bytes;
  }
}
