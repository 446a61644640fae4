package io.punctual.cli.input;

import io.punctual.Codec;

/** Passes payloads through without copies; no command changes an array. */
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
