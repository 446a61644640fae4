package io.punctual.http.exchange;

import java.util.concurrent.CompletionStage;

/** A call that passes everything on to another one, for classes that change a part of it. */
public abstract class ForwardingCall implements Call {
  private final Call call;

  /** Creates a call that passes everything on to another one. */
  protected ForwardingCall(Call call) {
    this.call = call;
  }

  @Override
  public long maxBody() {
    return call.maxBody();
  }

  @Override
  public boolean readsBody() {
    return call.readsBody();
  }

  @Override
  public String caller() {
    return call.caller();
  }

  @Override
  public Answer tooLarge() {
    return call.tooLarge();
  }

  @Override
  public CompletionStage<Answer> answer(byte[] body, Client client) {
    return call.answer(body, client);
  }
}
