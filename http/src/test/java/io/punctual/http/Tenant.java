package io.punctual.http;

import static org.awaitility.Awaitility.await;

import io.punctual.http.access.Grant;
import io.punctual.http.access.Right;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * A user of the server with a prefix of its own, whose store has something in each place that a
 * user can fill: each text of it contains a mark, so that an answer to somebody else must not.
 */
final class Tenant {
  /** The rights whose callers see all contents. */
  static final List<Right> OPEN = List.of(Right.PAYLOADS, Right.CONSUME);

  /** A target of webhooks, in which {queue} stands for the queue. */
  static final String WEBHOOK = "{'queue':'{queue}','url':'https://hooks.example/{queue}'}";

  final String prefix;

  /** A part of all names and ids. */
  final String name;

  /** A part of all contents: payloads, headers, and the texts of failures. */
  final String secret;

  final String queue;
  final String task;
  final String worker;

  /** Fills the queues of a tenant. */
  Tenant(ApiDriver api, String prefix, String mark) {
    this.prefix = prefix;
    name = "name-" + mark;
    secret = "secret-" + mark;
    queue = prefix + name;
    String path = "/v1/queues/" + queue;
    String header = "'headers':{'" + secret + "':'" + secret + "'}";
    String claim =
        "{'wait':'20s','worker':{'name':'%s','host':'%s','version':'%s','pid':7}}"
            .formatted(name, name, name);
    for (String fate :
        List.of(
            "'action':'bury','reason':'" + secret + "'",
            "'action':'retry','delay':'1h','reason':'" + secret + "'",
            "'action':'extend','lease':'1h'")) {
      String message = "{'id':'%s-%s','payload':'%s',%s}";
      String id = String.valueOf(fate.charAt(10));
      api.post(path + "/messages", message.formatted(name, id, secret, header)).is(201);
      JsonNode delivery = api.post(path + "/claims", claim).is(200).at("/deliveries/0");
      String settlement = "[{'id':'%s','token':'%s',%s}]";
      api.post(
              path + "/settlements",
              settlement.formatted(
                  delivery.get("id").asString(), delivery.get("token").asString(), fate))
          .is(200);
    }
    String waiting = "{'id':'%s','payload':{'%s':1},%s,'delay':'1h'}";
    api.post(path + "/messages", waiting.formatted(name, secret, header)).is(201);
    String daily = "{'id':'%s-daily','payload':'%s','recurrence':{'cron':'0 9 * * *'}}";
    api.post(path + "/messages", daily.formatted(name, secret)).is(201);
    api.json("PUT", path + "/pause", "{'reason':'%s'}".formatted(name)).is(200);
    task =
        api.post(
                "/v1/tasks",
                ("{'queue':'%s','action':'redrive','filter':{'failure':'%s'},'delay':'1d',"
                        + "'reason':'%s'}")
                    .formatted(queue, secret, name))
            .is(202)
            .at("/id")
            .asString();
    api.json("PUT", "/v1/webhooks/" + name, WEBHOOK.replace("{queue}", queue)).is(201);
    api.roles.put(queue, Set.of(new Grant(Right.OBSERVE, queue)));
    api.post("/v1/tokens", "{'id':'%s','role':'%s'}".formatted(name, queue)).is(201);
    await().until(() -> !api.get("/v1/workers?queue=" + queue).at("/workers/0/id").isMissingNode());
    worker = api.get("/v1/workers?queue=" + queue).at("/workers/0/id").asString();
    await().until(() -> api.get("/v1/audit?queue=" + queue).at("/entries").size() >= 2);
  }
}
