package tilewright;

import static org.junit.jupiter.api.Assertions.*;
import static tilewright.Session.get;
import static tilewright.Session.uri;

import ch.epfl.scala.bsp4j.*;
import com.google.gson.Gson;
import com.google.gson.JsonObject;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import org.eclipse.lsp4j.jsonrpc.ResponseErrorException;
import org.eclipse.lsp4j.jsonrpc.messages.ResponseError;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.io.TempDir;

/** Every request and notification of BSP 2.2 that applies to tile scripts. The program comes as the property "tilewright". */
class BuildServerTest {
  private static final String BINARY = System.getProperty("tilewright");
  private static final String ADD =
      String.join("\n",
          "from tvm.script import tirx as T", "", "",
          "# tilewright: reference plain()",
          "@T.prim_func",
          "def add(A: T.Buffer((64,), \"float32\"), B: T.Buffer((64,), \"float32\")):",
          "    T.device_entry()", "    T.cta_id([1])", "    i = T.thread_id([64])", "    B[i] = A[i] + T.float32(1)", "", "",
          "def plain():",
          "    @T.prim_func",
          "    def scalar(A: T.Buffer((64,), \"float32\"), B: T.Buffer((64,), \"float32\")):",
          "        T.device_entry()", "        T.cta_id([1])", "        T.thread_id([1])",
          "        for i in T.serial(64):", "            B[i] = A[i] + T.float32(1)", "", "    return scalar", "");
  private static final String ENDLESS =
      String.join("\n",
          "from tvm.script import tirx as T", "", "", "@T.prim_func",
          "def endless(A: T.Buffer((32,), \"int32\"), B: T.Buffer((32,), \"int32\")):",
          "    T.device_entry()", "    T.cta_id([1])", "    i = T.thread_id([32])",
          "    while A[0] != 12345:", "        B[i] = B[i] + 1", "");

  @TempDir Path folder;
  private Path root;
  private Session session;
  private BuildServer server;

  @BeforeEach
  void start() throws Exception {
    root = folder.toRealPath();
    write("kernels/tilewright.toml", "arch = \"sm_90a\"\n");
    write("kernels/shape.py", "N = 64\n");
    write("kernels/add.py", ADD);
    write("alone.py", ADD.replace("from tvm", "from size import WIDTH\nfrom tvm"));
    write("size.py", "WIDTH = 64\n");
    Process install = new ProcessBuilder(BINARY, "serve", "--install").directory(root.toFile()).start();
    assertEquals(0, install.waitFor());
    session = new Session(root);
    server = session.server;
  }

  @AfterEach
  void stop() throws Exception {
    session.close();
  }

  private Path write(String name, String text) throws Exception {
    Path path = root.resolve(name);
    Files.createDirectories(path.getParent());
    return Files.writeString(path, text);
  }

  private BuildTargetIdentifier target(String name) {
    return new BuildTargetIdentifier(uri(root.resolve(name)));
  }

  private CompileResult compile(String... names) throws Exception {
    session.forget();
    CompileParams params = new CompileParams(targets(names));
    params.setOriginId("origin");
    return get(server.buildTargetCompile(params));
  }

  private List<BuildTargetIdentifier> targets(String... names) {
    List<BuildTargetIdentifier> out = new ArrayList<>();
    for (String name : names) out.add(target(name));
    return out;
  }

  private static ResponseError error(CompletableFuture<?> answer) throws Exception {
    ExecutionException thrown = assertThrows(ExecutionException.class, () -> answer.get(60, TimeUnit.SECONDS));
    return ((ResponseErrorException) thrown.getCause()).getResponseError();
  }

  private static <T> T data(Object json, Class<T> type) {
    return new Gson().fromJson(new Gson().toJson(json), type);
  }

  @Test
  void detailsAndInitialize() throws Exception {
    assertEquals("tilewright", session.details.getName());
    assertEquals("2.2.0", session.details.getBspVersion());
    assertTrue(session.details.getLanguages().contains("tilescript"));
    assertEquals(-32002, error(server.workspaceBuildTargets()).getCode());
    InitializeBuildResult result = session.initialize(root);
    assertEquals("2.2.0", result.getBspVersion());
    BuildServerCapabilities can = result.getCapabilities();
    assertTrue(can.getCompileProvider().getLanguageIds().contains("tilescript"));
    assertTrue(can.getTestProvider().getLanguageIds().contains("tilescript"));
    assertTrue(can.getRunProvider().getLanguageIds().contains("tilescript"));
    assertTrue(can.getDebugProvider() == null || can.getDebugProvider().getLanguageIds().isEmpty());
    assertTrue(can.getCanReload() && can.getInverseSourcesProvider() && can.getDependencySourcesProvider());
    assertTrue(can.getResourcesProvider() && can.getOutputPathsProvider() && can.getBuildTargetChangedProvider());
    assertEquals(-32600, error(server.buildInitialize(new InitializeBuildParams("again", "1", "2.2.0", uri(root),
        new BuildClientCapabilities(List.of())))).getCode());
  }

  @Test
  void questionsAboutTargets() throws Exception {
    session.initialize(root);
    List<BuildTarget> all = get(server.workspaceBuildTargets()).getTargets();
    assertEquals(Set.of(target("kernels"), target("alone.py")), Set.copyOf(all.stream().map(BuildTarget::getId).toList()));
    for (BuildTarget t : all) {
      assertTrue(t.getCapabilities().getCanCompile() && t.getCapabilities().getCanTest() && t.getCapabilities().getCanRun());
      assertFalse(t.getCapabilities().getCanDebug());
      assertTrue(t.getLanguageIds().contains("tilescript"));
    }
    List<BuildTargetIdentifier> kernels = targets("kernels"), alone = targets("alone.py");
    SourcesItem sources = get(server.buildTargetSources(new SourcesParams(kernels))).getItems().get(0);
    assertEquals(uri(root.resolve("kernels/add.py")), sources.getSources().get(0).getUri());
    assertEquals(SourceItemKind.FILE, sources.getSources().get(0).getKind());
    assertEquals(kernels, get(server.buildTargetInverseSources(new InverseSourcesParams(
        new TextDocumentIdentifier(uri(root.resolve("kernels/add.py")))))).getTargets());
    assertEquals(List.of(uri(root.resolve("size.py"))),
        get(server.buildTargetDependencySources(new DependencySourcesParams(alone))).getItems().get(0).getSources());
    assertEquals(List.of(uri(root.resolve("kernels/tilewright.toml"))),
        get(server.buildTargetResources(new ResourcesParams(kernels))).getItems().get(0).getResources());
    assertTrue(get(server.buildTargetDependencyModules(new DependencyModulesParams(kernels))).getItems().get(0).getModules().isEmpty());
    assertTrue(get(server.buildTargetOutputPaths(new OutputPathsParams(kernels))).getItems().get(0).getOutputPaths().isEmpty());
    ResponseError unknown = error(server.buildTargetSources(new SourcesParams(targets("nowhere"))));
    assertEquals(-32602, unknown.getCode());
    assertEquals(-32601, error(server.debugSessionStart(new DebugSessionParams(kernels))).getCode());
  }

  @Test
  void changesOfTargets() throws Exception {
    session.initialize(root);
    get(server.workspaceBuildTargets());
    write("more.py", ADD);
    Files.delete(root.resolve("alone.py"));
    get(server.workspaceReload());
    DidChangeBuildTarget changed = session.until(DidChangeBuildTarget.class, c -> true);
    Map<BuildTargetIdentifier, BuildTargetEventKind> kinds = new HashMap<>();
    for (BuildTargetEvent e : changed.getChanges()) kinds.put(e.getTarget(), e.getKind());
    assertEquals(Map.of(target("more.py"), BuildTargetEventKind.CREATED, target("alone.py"), BuildTargetEventKind.DELETED), kinds);
  }

  @Test
  void compileTasksAndDiagnosticsWithReset() throws Exception {
    session.initialize(root);
    CompileResult result = compile("kernels");
    assertEquals(StatusCode.OK, result.getStatusCode());
    assertEquals("origin", result.getOriginId());
    assertEquals("tilewright-compile", result.getDataKind());
    TaskStartParams start = session.until(TaskStartParams.class, t -> TaskStartDataKind.COMPILE_TASK.equals(t.getDataKind()));
    TaskFinishParams finish = session.until(TaskFinishParams.class, t -> t.getTaskId().equals(start.getTaskId()));
    assertEquals(TaskFinishDataKind.COMPILE_REPORT, finish.getDataKind());
    CompileReport report = data(finish.getData(), CompileReport.class);
    assertEquals(target("kernels"), report.getTarget());
    assertEquals(0, report.getErrors());
    assertFalse(Boolean.TRUE.equals(report.getNoOp()));
    compile("kernels");
    assertTrue(data(session.until(TaskFinishParams.class, t -> true).getData(), CompileReport.class).getNoOp());

    write("kernels/add.py", ADD.replace("A[i] + T", "A[j] + T"));
    assertEquals(StatusCode.ERROR, compile("kernels").getStatusCode());
    PublishDiagnosticsParams told = session.until(PublishDiagnosticsParams.class, p -> !p.getDiagnostics().isEmpty());
    assertTrue(told.getReset());
    assertEquals(target("kernels"), told.getBuildTarget());
    assertEquals(uri(root.resolve("kernels/add.py")), told.getTextDocument().getUri());
    assertEquals(9, told.getDiagnostics().get(0).getRange().getStart().getLine());
    assertEquals(DiagnosticSeverity.ERROR, told.getDiagnostics().get(0).getSeverity());

    write("kernels/add.py", ADD);
    assertEquals(StatusCode.OK, compile("kernels").getStatusCode());
    PublishDiagnosticsParams none = session.until(PublishDiagnosticsParams.class, p -> p.getDiagnostics().isEmpty());
    assertTrue(none.getReset());

    CleanCacheResult cleaned = get(server.buildTargetCleanCache(new CleanCacheParams(targets("kernels"))));
    assertTrue(cleaned.getCleaned());
    compile("kernels");
    assertFalse(Boolean.TRUE.equals(data(session.until(TaskFinishParams.class, t -> true).getData(), CompileReport.class).getNoOp()));
  }

  @Test
  void testsAndRuns() throws Exception {
    session.initialize(root);
    write("kernels/wrong.py", ADD.replace("for i in T.serial(64):\n            B[i] = A[i] + T.float32(1)", "for i in T.serial(64):\n            B[i] = A[i] + T.float32(2)"));
    TestParams params = new TestParams(targets("kernels"));
    params.setOriginId("tests");
    params.setArguments(List.of("--on", "sim"));
    TestResult result = get(server.buildTargetTest(params));
    assertEquals(StatusCode.ERROR, result.getStatusCode());
    assertEquals("tests", result.getOriginId());
    TaskFinishParams whole = session.until(TaskFinishParams.class, t -> TaskFinishDataKind.TEST_REPORT.equals(t.getDataKind()));
    TestReport report = data(whole.getData(), TestReport.class);
    assertEquals(1, report.getPassed());
    assertEquals(1, report.getFailed());
    Map<String, TestStatus> ends = new HashMap<>();
    for (TaskFinishParams t : session.told(TaskFinishParams.class))
      if (TaskFinishDataKind.TEST_FINISH.equals(t.getDataKind())) {
        TestFinish one = data(t.getData(), TestFinish.class);
        ends.put(one.getLocation().getUri(), one.getStatus());
        assertEquals(List.of(whole.getTaskId().getId()), t.getTaskId().getParents());
      }
    assertEquals(Map.of(uri(root.resolve("kernels/add.py")), TestStatus.PASSED, uri(root.resolve("kernels/wrong.py")), TestStatus.FAILED), ends);
    assertFalse(session.told(TaskProgressParams.class).isEmpty());

    RunParams run = new RunParams(target("alone.py"));
    run.setOriginId("run");
    run.setArguments(List.of("--on", "sim"));
    assertEquals(StatusCode.OK, get(server.buildTargetRun(run)).getStatusCode());
    Session.Printed printed = session.until(Session.Printed.class, p -> p.stream().equals("stdout"));
    assertEquals("run", printed.params().getOriginId());
    assertTrue(printed.params().getMessage().contains("add"));
  }

  @Test
  void cancellationEndsTheWork() throws Exception {
    write("endless.py", ENDLESS);
    session.initialize(root);
    TestParams params = new TestParams(targets("endless.py"));
    params.setArguments(List.of("--on", "sim"));
    CompletableFuture<TestResult> answer = server.buildTargetTest(params);
    TaskStartParams start = session.until(TaskStartParams.class, t -> TaskStartDataKind.TEST_START.equals(t.getDataKind()));
    answer.cancel(true);
    TaskFinishParams finish = session.until(TaskFinishParams.class, t -> t.getTaskId().getId().equals(start.getTaskId().getId()));
    assertEquals(StatusCode.CANCELLED, finish.getStatus());
    assertEquals(StatusCode.OK, compile("kernels").getStatusCode());  // it serves on
  }

  @Test
  void afterShutdown() throws Exception {
    session.initialize(root);
    get(server.buildShutdown());
    assertEquals(-32600, error(server.workspaceBuildTargets()).getCode());
    assertEquals(-32600, error(server.buildTargetCompile(new CompileParams(targets("kernels")))).getCode());
    server.onBuildExit();
    assertTrue(session.process.waitFor(30, TimeUnit.SECONDS));
    assertEquals(0, session.process.exitValue());
  }

  @Test
  void exitWithoutShutdownIsAnError() throws Exception {
    session.initialize(root);
    server.onBuildExit();
    assertTrue(session.process.waitFor(30, TimeUnit.SECONDS));
    assertEquals(1, session.process.exitValue());
  }
}
