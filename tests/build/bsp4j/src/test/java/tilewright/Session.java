package tilewright;

import ch.epfl.scala.bsp4j.*;
import com.google.gson.Gson;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.function.Predicate;
import org.eclipse.lsp4j.jsonrpc.Launcher;

/** A server started from .bsp/, and all that it says. */
final class Session implements BuildClient, AutoCloseable {
  final Process process;
  final BuildServer server;
  final BspConnectionDetails details;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Object> told = new ArrayList<>();

  Session(Path workspace) throws Exception {
    details = new Gson().fromJson(Files.readString(workspace.resolve(".bsp/tilewright.json")), BspConnectionDetails.class);
    ProcessBuilder builder = new ProcessBuilder(details.getArgv()).directory(workspace.toFile());
    builder.environment().put("XDG_CACHE_HOME", workspace.resolve(".store").toString());
    builder.redirectError(ProcessBuilder.Redirect.INHERIT);
    process = builder.start();
    Launcher<BuildServer> launcher =
        new Launcher.Builder<BuildServer>()
            .setLocalService(this)
            .setRemoteInterface(BuildServer.class)
            .setInput(process.getInputStream())
            .setOutput(process.getOutputStream())
            .setExecutorService(threads)
            .create();
    server = launcher.getRemoteProxy();
    launcher.startListening();
  }

  static <T> T get(CompletableFuture<T> answer) throws Exception {
    return answer.get(120, TimeUnit.SECONDS);
  }

  InitializeBuildResult initialize(Path workspace) throws Exception {
    InitializeBuildResult result =
        get(server.buildInitialize(new InitializeBuildParams(
                "bsp4j", "2.2.0-M2", "2.2.0", uri(workspace), new BuildClientCapabilities(List.of("tilescript")))));
    server.onBuildInitialized();
    return result;
  }

  static String uri(Path path) {
    return "file://" + path;
  }

  <T> List<T> told(Class<T> kind) {
    synchronized (told) {
      List<T> out = new ArrayList<>();
      for (Object o : told) if (kind.isInstance(o)) out.add(kind.cast(o));
      return out;
    }
  }

  void forget() {
    synchronized (told) {
      told.clear();
    }
  }

  <T> T until(Class<T> kind, Predicate<T> holds) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
    synchronized (told) {
      while (true) {
        for (Object o : told) if (kind.isInstance(o) && holds.test(kind.cast(o))) return kind.cast(o);
        long left = end - System.nanoTime();
        if (left <= 0) throw new TimeoutException("the server did not say " + kind.getSimpleName());
        told.wait(Math.max(1, left / 1_000_000));
      }
    }
  }

  private void add(Object message) {
    synchronized (told) {
      told.add(message);
      told.notifyAll();
    }
  }

  /** Output of a run, by its stream. */
  record Printed(String stream, PrintParams params) {}

  @Override public void onBuildShowMessage(ShowMessageParams params) { add(params); }
  @Override public void onBuildLogMessage(LogMessageParams params) { add(params); }
  @Override public void onBuildPublishDiagnostics(PublishDiagnosticsParams params) { add(params); }
  @Override public void onBuildTargetDidChange(DidChangeBuildTarget params) { add(params); }
  @Override public void onBuildTaskStart(TaskStartParams params) { add(params); }
  @Override public void onBuildTaskProgress(TaskProgressParams params) { add(params); }
  @Override public void onBuildTaskFinish(TaskFinishParams params) { add(params); }
  @Override public void onRunPrintStdout(PrintParams params) { add(new Printed("stdout", params)); }
  @Override public void onRunPrintStderr(PrintParams params) { add(new Printed("stderr", params)); }

  @Override
  public void close() throws Exception {
    process.destroy();
    process.waitFor(30, TimeUnit.SECONDS);
    process.destroyForcibly();
    threads.shutdownNow();
  }
}
