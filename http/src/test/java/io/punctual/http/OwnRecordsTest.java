package io.punctual.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.punctual.Codec;
import io.punctual.TimedQueue;
import io.punctual.http.access.Right;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Tasks and the audit, which the server keeps as messages. */
final class OwnRecordsTest {
  private static final String TASKS = "/v1/tasks";

  /** The queue of the messages that processes hold while they run tasks. */
  private static final String MESSAGES = "punctual.server.tasks";

  private final ApiDriver api = ApiDriver.memory();

  @AfterEach
  void close() {
    api.close();
  }

  private void bury(String queueName, int count) {
    TimedQueue<byte[]> queue = api.punctual.queue(queueName, Codec.bytes());
    for (int i = 0; i < count; i++) {
      queue.schedule(new byte[] {1}, Duration.ZERO);
    }
    int buried = 0;
    while (buried < count) {
      for (var delivery : queue.claim(1000, Duration.ofSeconds(5))) {
        delivery.bury(buried % 2 == 0 ? "even" : "odd");
        buried++;
      }
    }
  }

  private JsonNode ended(String id) {
    JsonNode[] task = new JsonNode[1];
    await()
        .until(
            () -> {
              task[0] = api.get(TASKS + "/" + id).is(200).json();
              return !task[0].get("state").asString().matches("WAITING|RUNNING");
            });
    return task[0];
  }

  private String begin(String json) {
    return api.post(TASKS, json).is(202).at("/id").asString();
  }

  @Test
  void task_redrivesWhatMatches() {
    bury("q", 20);
    String id =
        begin("{'queue':'q','action':'redrive','filter':{'failure':'even'},'reason':'mended'}");
    JsonNode task = ended(id);
    assertThat(task.get("state").asString()).isEqualTo("DONE");
    assertThat(task.get("changed").asInt()).isEqualTo(10);
    assertThat(task.get("reason").asString()).isEqualTo("mended");
    assertThat(api.get("/v1/queues/q").at("/dead").asInt()).isEqualTo(10);
    assertThat(api.get(TASKS).json().findValuesAsString("id")).containsExactly(id);
  }

  @Test
  void slowTasksOfOneCaller_leaveRoomForTheTasksOfOthers() {
    bury("q", 20);
    bury("mine.q", 1000);
    api.add("slow", "mine.", Right.OPERATE);
    for (int i = 0; i < 12; i++) {
      api.post(
              TASKS,
              "{'queue':'mine.q','action':'redrive','rate':1}",
              "Authorization",
              "Bearer slow")
          .is(202);
    }
    await().until(() -> api.get(TASKS + "?queue=mine.q").text().contains("RUNNING"));
    assertThat(ended(begin("{'queue':'q','action':'redrive'}")).get("changed").asInt())
        .isEqualTo(20);
  }

  @Test
  void dryRun_changesNothing() {
    bury("q", 4);
    JsonNode task = ended(begin("{'queue':'q','action':'delete','dryRun':true}"));
    assertThat(task.get("matched").asInt()).isEqualTo(4);
    assertThat(api.get("/v1/queues/q").at("/dead").asInt()).isEqualTo(4);
  }

  @Test
  void taskThatCantBegin_hasFailed_andSaysWhy() {
    api.post("/v1/queues/q/messages", "{'payload':1,'delay':'1h'}").is(201);
    JsonNode task = ended(begin("{'queue':'q','action':'run','filter':{'state':'ready'}}"));
    assertThat(task.get("state").asString()).isEqualTo("FAILED");
    assertThat(task.get("error").asString()).contains("READY messages are due already");
    await().until(() -> api.punctual.queue(MESSAGES, Codec.bytes()).counts().leased() == 0);
    assertThat(api.punctual.queue(MESSAGES, Codec.bytes()).counts().scheduled()).isZero();
  }

  @Test
  void waitingTask_isCancelled() {
    bury("q", 2);
    String id = begin("{'queue':'q','action':'delete','delay':'1h'}");
    assertThat(api.delete(TASKS + "/" + id).is(200).at("/state").asString()).isEqualTo("CANCELLED");
    assertThat(api.get("/v1/queues/q").at("/dead").asInt()).isEqualTo(2);
  }

  @Test
  void runningTask_isCancelled_andKeepsItsCounts() {
    bury("q", 50);
    String id = begin("{'queue':'q','action':'delete','rate':1}");
    await().until(() -> api.get("/v1/queues/q").at("/dead").asInt() < 50);
    api.delete(TASKS + "/" + id);
    JsonNode task = ended(id);
    assertThat(task.get("state").asString()).isEqualTo("CANCELLED");
    int left = api.get("/v1/queues/q").at("/dead").asInt();
    assertThat(left).isPositive();
    assertThat(task.get("changed").asInt()).isEqualTo(50 - left);
  }

  @Test
  void taskOfAnEndedProcess_goesOnInAnother() {
    bury("q", 30);
    String id = begin("{'queue':'q','action':'delete','rate':10}");
    await().until(() -> api.get("/v1/queues/q").at("/dead").asInt() < 30);
    api.api.close();
    try (ApiDriver other =
        new ApiDriver(api.punctual, builder -> builder) {
          @Override
          public void close() {
            api.close();
          }
        }) {
      JsonNode[] task = new JsonNode[1];
      await()
          .atMost(Duration.ofSeconds(60))
          .until(
              () -> {
                task[0] = other.get(TASKS + "/" + id).json();
                return task[0].get("state").asString().equals("DONE");
              });
      assertThat(other.get("/v1/queues/q").at("/dead").asInt()).isZero();
      assertThat(task[0].get("changed").asInt()).isEqualTo(30);
    }
  }

  @Test
  void tasks_areRefusedAndHidden_withoutTheRightToTheQueue() {
    bury("theirs", 1);
    api.add("some", "mine.", Right.OPERATE);
    String[] as = {"Authorization", "Bearer some"};
    String id = begin("{'queue':'theirs','action':'delete','delay':'1h','reason':'secret'}");
    api.post(TASKS, "{'queue':'theirs','action':'delete'}", as).isProblem(403, "forbidden", "");
    api.post(TASKS, "{'queue':'punctual.server.audit','action':'delete'}").is(403);
    api.get(TASKS + "/" + id, as).isProblem(404, "not-found", "no task");
    api.delete(TASKS + "/" + id, as).is(404);
    assertThat(api.get(TASKS, as).at("/tasks").size()).isZero();
    assertThat(api.get("/v1/audit", as).at("/entries").size()).isZero();
    api.post(TASKS, "{'queue':'theirs','action':'delete','filter':{'grup':'x'}}")
        .isProblem(400, "invalid", "group");
    api.post(TASKS, "{'queue':'none','action':'delete'}").isProblem(404, "not-found", "queue");
  }

  @Test
  void audit_tellsWhoChangedWhatAndWhy() {
    bury("q", 1);
    api.json("PUT", "/v1/queues/q/pause", "{'reason':'deployment'}").is(200);
    api.delete("/v1/queues/q/pause").is(200);
    api.post("/v1/queues/q/messages", "{'payload':1}").is(201);
    String id = begin("{'queue':'q','action':'redrive','reason':'mended'}");
    await().until(() -> api.get("/v1/audit").at("/entries").size() == 3);
    JsonNode audit = api.get("/v1/audit").json();
    assertThat(audit.findValuesAsString("reason")).contains("deployment", "mended");
    assertThat(audit.findValuesAsString("by")).containsOnly("tester");
    assertThat(audit.findValuesAsString("id")).contains(id);
    assertThat(api.get("/v1/audit?by=nobody").at("/entries").size()).isZero();
    assertThat(api.get("/v1/queues").json().findValuesAsString("queue")).containsExactly("q");
  }

  @Test
  void repeatedRequestOfATask_isAnsweredWithTheFirst() {
    bury("q", 3);
    String order = "'queue':'q','action':'delete','filter':{'failure':'even'}}";
    String task = "{'id':'t-1','delay':'1h'," + order;
    ApiDriver.Response first = api.post(TASKS, task).is(202);
    assertThat(first.at("/id").asString()).isEqualTo("t-1");
    assertThat(api.post(TASKS, task).is(202).text()).isEqualTo(first.text());
    assertThat(api.post(TASKS, "{" + order, "Idempotency-Key", "t-1").is(202).text())
        .isEqualTo(first.text());
    assertThat(api.get(TASKS).at("/tasks").size()).isEqualTo(1);
    assertThat(api.punctual.queue(MESSAGES, Codec.bytes()).counts().scheduled()).isEqualTo(1);

    api.delete(TASKS + "/t-1").is(200);
    assertThat(api.post(TASKS, task).is(200).at("/state").asString()).isEqualTo("CANCELLED");
    assertThat(api.get("/v1/queues/q").at("/dead").asInt()).isEqualTo(3);
    api.post(TASKS, "{'id':'t-1','queue':'q','action':'delete'}")
        .isProblem(409, "exists", "new id");
    api.post(TASKS, task, "Idempotency-Key", "t-2").isProblem(400, "invalid", "not the same");
    for (String bad : new String[] {"", ".", "..", "a/b", "a b", "x".repeat(129)}) {
      api.post(TASKS, "{'id':'" + bad + "'," + order).isProblem(400, "invalid", "letters");
    }
  }

  @Test
  void auditKeepsAnHundredEntriesOfProgramsAnHour_andAllOfOperators() {
    api.add("operator", "", Right.OPERATE);
    String run = "/v1/queues/q/messages/m/run";
    api.post("/v1/queues/q/messages", "{'id':'m','payload':1,'delay':'1h'}").is(201);
    for (int i = 0; i < 120; i++) {
      api.send(TestHead.of("POST", run), new byte[0]).is(200);
    }
    for (int i = 0; i < 20; i++) {
      TestHead head = TestHead.of("POST", run, "Authorization", "Bearer operator");
      api.send(head, new byte[0]).is(200);
    }
    await().until(() -> api.get("/v1/audit?limit=1000").at("/entries").size() == 120);
  }

  @Test
  void waitingMessages_areCancelledRunAndShifted() {
    for (int i = 0; i < 10; i++) {
      api.post(
              "/v1/queues/q/messages",
              "{'id':'a"
                  + i
                  + "','payload':1,'dueAt':'2040-01-0"
                  + (i / 5 + 1)
                  + "T00:00:00Z','headers':{'tenant':'"
                  + (i % 2)
                  + "'}}")
          .is(201);
    }
    JsonNode cancelled =
        ended(begin("{'queue':'q','action':'cancel','filter':{'headers':{'tenant':'0'}}}"));
    assertThat(cancelled.get("changed").asInt()).isEqualTo(5);
    JsonNode shifted =
        ended(
            begin(
                "{'queue':'q','action':'shift','shift':'1h','filter':{'to':'2040-01-02T00:00:00Z'}}"));
    assertThat(shifted.get("changed").asInt()).isEqualTo(2);
    assertThat(api.get("/v1/queues/q/messages/a1").at("/dueAt").asString())
        .isEqualTo("2040-01-01T01:00:00.000Z");
    JsonNode run =
        ended(begin("{'queue':'q','action':'run','filter':{'prefix':'a9','state':'scheduled'}}"));
    assertThat(run.get("changed").asInt()).isEqualTo(1);
    JsonNode purged = ended(begin("{'queue':'q','action':'purge','states':['scheduled']}"));
    assertThat(purged.get("changed").asInt()).isEqualTo(4);
    api.post(TASKS, "{'queue':'q','action':'shift'}").isProblem(400, "invalid", "shift");
    api.post(TASKS, "{'queue':'q','action':'cancel','shift':'1h'}")
        .isProblem(400, "invalid", "shift");
    api.post(TASKS, "{'queue':'q','action':'purge'}").isProblem(400, "invalid", "states");
    api.post(TASKS, "{'queue':'q','action':'run','filter':{'state':'dead'}}")
        .isProblem(400, "invalid", "ready");
  }
}
