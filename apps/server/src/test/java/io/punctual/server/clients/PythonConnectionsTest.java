package io.punctual.server.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.punctual.server.TestServer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The connections that the client of Python keeps, which it has no library for. */
class PythonConnectionsTest {
  /** Answers the first requests when all have come, each on a connection of its own. */
  private static final String IDLE =
      """
      import socket, sys, threading
      from concurrent.futures import ThreadPoolExecutor
      from punctual import Punctual
      ANSWER = b'HTTP/1.1 200 OK\\r\\nContent-Length: 20\\r\\n\\r\\n{"outcome":"STORED"}'
      many, ends = int(sys.argv[1]), sys.argv[2] == "ends"
      server = socket.create_server(("127.0.0.1", 0), backlog=many)
      address = f"http://127.0.0.1:{server.getsockname()[1]}"
      queue = Punctual(address, timeout="10s" if ends else "2s").queue("q")

      def answer(connections):
          for each in connections:
              while not each.recv(65536).endswith(b"}"):
                  pass
          for each in connections:
              each.sendall(ANSWER)

      with ThreadPoolExecutor(many) as pool:
          first = [pool.submit(queue.schedule, 0) for _ in range(many)]
          idle = [server.accept()[0] for _ in range(many)]
          answer(idle)
          assert all(each.result()["outcome"] == "STORED" for each in first)
      if ends:
          for each in idle:
              each.close()
      sys.setrecursionlimit(200)
      threading.Thread(target=lambda: answer([server.accept()[0]]), daemon=True).start()
      assert queue.schedule(0)["outcome"] == "STORED"
      """;

  @TempDir private Path folder;

  private void run(String program, String... arguments) throws Exception {
    Language.PYTHON.assume();
    Path log = folder.resolve("log");
    Process process =
        Language.PYTHON.start(
            Language.write(folder.resolve("program.py"), program),
            List.of(arguments),
            Redirect.appendTo(log.toFile()),
            Redirect.DISCARD);
    assertThat(process.waitFor()).as(Files.readString(log)).isZero();
  }

  @Test
  void threads_shareAClient() throws Exception {
    String program =
        """
        import sys
        from concurrent.futures import ThreadPoolExecutor
        from punctual import Punctual
        queue = Punctual(sys.argv[1]).queue("threads")
        with ThreadPoolExecutor(16) as pool:
            ids = [str(n) for n in range(400)]
            results = pool.map(lambda id: queue.schedule(0, delay="1h", id=id), ids)
            assert [result["id"] for result in results] == ids
        """;
    try (TestServer server = TestServer.start(folder, "")) {
      run(program, server.server().address().toString());
    }
  }

  @Test
  void manyIdleConnectionsThatHaveEnded_areReplaced() throws Exception {
    run(IDLE, "300", "ends");
  }

  /** As behind a network that forgets idle connections. */
  @Test
  void oneIdleConnectionThatSaysNothing_isTakenForAll() throws Exception {
    run(
        IDLE
            + """
            asked = 0
            for each in idle:
                each.setblocking(False)
                try:
                    asked += len(each.recv(65536)) > 0
                except BlockingIOError:
                    pass
            assert asked == 1, asked
            """,
        "3",
        "silent");
  }
}
