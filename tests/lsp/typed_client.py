"""Sessions with a typed client: every message of the server is read into the types of the specification, and held
against what the client said it could do (pytest-lsp's specification checks). What does not fit fails the session.
"""
import asyncio
import os
import pathlib

import pytest
import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

EXAMPLES = pathlib.Path(__file__).parent.parent.parent / "examples"
LIMIT = 30  # seconds that only a hang may reach


def made():
    """A client that remembers everything that was wrong with what the server sent, also what it could recover from."""
    client = pytest_lsp.make_test_lsp_client()
    client.failures, report = [], client.report_server_error

    def remembered(error, source):
        client.failures.append(error)
        report(error, source)

    client.report_server_error = remembered

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def _(params: types.RegistrationParams):
        client.registered = [r.method for r in params.registrations]

    return client


@pytest_lsp.fixture(
    params=["visual_studio_code", "neovim", "emacs"],
    config=ClientServerConfig(server_command=[os.environ["TILEWRIGHT"], "lsp"], client_factory=made))
async def client(request, lsp_client: LanguageClient):
    lsp_client.offered = (await lsp_client.initialize_session(types.InitializeParams(
        process_id=os.getpid(), capabilities=client_capabilities(request.param), root_uri=None,
        workspace_folders=[types.WorkspaceFolder(uri=EXAMPLES.as_uri(), name="examples")]))).capabilities
    yield
    await lsp_client.shutdown_session()
    assert not lsp_client.failures and not lsp_client.error


def opened(client, name):
    uri, text = (EXAMPLES / name).as_uri(), (EXAMPLES / name).read_text()
    client.text_document_did_open(types.DidOpenTextDocumentParams(
        text_document=types.TextDocumentItem(uri=uri, language_id="python", version=1, text=text)))
    return uri, text


def edited(client, uri, version, line, text):
    here = types.Position(line=line, character=0)
    client.text_document_did_change(types.DidChangeTextDocumentParams(
        text_document=types.VersionedTextDocumentIdentifier(uri=uri, version=version),
        content_changes=[types.TextDocumentContentChangePartial(range=types.Range(start=here, end=here), text=text)]))


async def diagnostics(client, uri, wanted):
    """Pulled where the client pulls, else as pushed, until `wanted` accepts their codes."""
    if client.offered.diagnostic_provider:
        items = (await answered(client, True, "textDocument/diagnostic", types.DocumentDiagnosticParams(
            text_document=types.TextDocumentIdentifier(uri=uri)))).items
        assert wanted([d.code for d in items]), items
        return items
    async with asyncio.timeout(LIMIT):
        while not (uri in client.diagnostics and wanted([d.code for d in client.diagnostics[uri]])):
            await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    return client.diagnostics[uri]


@pytest.mark.asyncio
async def test_diagnostics_follow_edits(client):
    uri, text = opened(client, "fallback.py")
    first = await diagnostics(client, uri, lambda codes: codes == ["TW3106"])
    assert first[0].source == "tilewright" and first[0].severity == types.DiagnosticSeverity.Warning
    line = first[0].range.start.line
    edited(client, uri, 2, line, "    missing_name()\n")
    broken = await diagnostics(client, uri, lambda codes: "TW3106" in codes and len(codes) == 2)
    assert sorted(d.range.start.line for d in broken) == [line, line + 1]


async def answered(client, offered, method, params):
    """Every answer is validated by being read; an error of the server raises. Nothing where it is not offered."""
    if not offered:
        return None
    while True:
        try:
            return await asyncio.wait_for(client.protocol.send_request_async(method, params), LIMIT)
        except JsonRpcException as e:
            if e.code != types.LSPErrorCodes.ServerCancelled:  # settings came in between: ask again, as editors do
                raise


@pytest.mark.asyncio
async def test_every_offered_request_is_answered_in_its_type(client):
    uri, text = opened(client, "gmem_smem_swizzle.py")
    lines = text.splitlines()
    row = next(i for i, line in enumerate(lines) if ".copy(" in line)
    document = types.TextDocumentIdentifier(uri=uri)
    here = types.Position(line=row, character=lines[row].index(".copy(") + 2)
    whole = types.Range(start=types.Position(line=0, character=0), end=types.Position(line=len(lines), character=0))
    at = dict(text_document=document, position=here)
    o = client.offered
    context = types.CodeActionContext(diagnostics=[])
    for offered, method, params in (
        (o.hover_provider, "textDocument/hover", types.HoverParams(**at)),
        (o.completion_provider, "textDocument/completion", types.CompletionParams(**at)),
        (o.signature_help_provider, "textDocument/signatureHelp", types.SignatureHelpParams(**at)),
        (o.definition_provider, "textDocument/definition", types.DefinitionParams(**at)),
        (o.type_definition_provider, "textDocument/typeDefinition", types.TypeDefinitionParams(**at)),
        (o.declaration_provider, "textDocument/declaration", types.DeclarationParams(**at)),
        (o.references_provider, "textDocument/references",
         types.ReferenceParams(context=types.ReferenceContext(include_declaration=True), **at)),
        (o.document_highlight_provider, "textDocument/documentHighlight", types.DocumentHighlightParams(**at)),
        (o.document_symbol_provider, "textDocument/documentSymbol", types.DocumentSymbolParams(text_document=document)),
        (o.workspace_symbol_provider, "workspace/symbol", types.WorkspaceSymbolParams(query="copy")),
        (o.folding_range_provider, "textDocument/foldingRange", types.FoldingRangeParams(text_document=document)),
        (o.selection_range_provider, "textDocument/selectionRange",
         types.SelectionRangeParams(text_document=document, positions=[here])),
        (o.inlay_hint_provider, "textDocument/inlayHint", types.InlayHintParams(text_document=document, range=whole)),
        (o.code_lens_provider, "textDocument/codeLens", types.CodeLensParams(text_document=document)),
        (o.document_link_provider, "textDocument/documentLink", types.DocumentLinkParams(text_document=document)),
        (o.code_action_provider, "textDocument/codeAction",
         types.CodeActionParams(text_document=document, range=whole, context=context)),
        (o.semantic_tokens_provider, "textDocument/semanticTokens/full", types.SemanticTokensParams(text_document=document)),
        (o.call_hierarchy_provider, "textDocument/prepareCallHierarchy", types.CallHierarchyPrepareParams(**at)),
        (o.linked_editing_range_provider, "textDocument/linkedEditingRange", types.LinkedEditingRangeParams(**at)),
        (o.execute_command_provider, "workspace/executeCommand", types.ExecuteCommandParams(command="tilewright.memory")),
        (o.diagnostic_provider, "workspace/diagnostic", types.WorkspaceDiagnosticParams(previous_result_ids=[])),
    ):
        await answered(client, offered, method, params)


@pytest.mark.asyncio
async def test_names_across_scripts(client, tmp_path):
    (tmp_path / "helpers.py").write_text("def scale(v, factor=3):\n    return v * factor\n")
    text = "# tilewright: entry twice(1)\nfrom helpers import scale\n\n\ndef twice(v):\n    return scale(v, factor=2)\n"
    (tmp_path / "user.py").write_text(text)
    client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(
        event=types.WorkspaceFoldersChangeEvent(added=[types.WorkspaceFolder(uri=tmp_path.as_uri(), name="t")], removed=[])))
    uri = (tmp_path / "user.py").as_uri()
    client.text_document_did_open(types.DidOpenTextDocumentParams(
        text_document=types.TextDocumentItem(uri=uri, language_id="python", version=1, text=text)))
    document, o = types.TextDocumentIdentifier(uri=uri), client.offered
    at = dict(text_document=document, position=types.Position(line=5, character=13))
    items = await answered(client, o.call_hierarchy_provider, "textDocument/prepareCallHierarchy",
                           types.CallHierarchyPrepareParams(**at))
    assert [i.name for i in items] == ["scale"]
    calls = await answered(client, True, "callHierarchy/incomingCalls", types.CallHierarchyIncomingCallsParams(item=items[0]))
    assert [c.from_.name for c in calls] == ["twice"]
    calls = await answered(client, True, "callHierarchy/outgoingCalls",
                           types.CallHierarchyOutgoingCallsParams(item=calls[0].from_))
    assert [c.to.name for c in calls] == ["scale"]
    found = await answered(client, o.references_provider, "textDocument/references",
                           types.ReferenceParams(context=types.ReferenceContext(include_declaration=True), **at))
    assert len({f.uri for f in found}) == 2
    edit = await answered(client, o.rename_provider, "textDocument/rename", types.RenameParams(new_name="times", **at))
    assert len(edit.document_changes or edit.changes) == 2
    linked = await answered(client, o.linked_editing_range_provider, "textDocument/linkedEditingRange",
                            types.LinkedEditingRangeParams(text_document=document, position=types.Position(line=4, character=4)))
    assert len(linked.ranges) == 2
    links = await answered(client, o.document_link_provider, "textDocument/documentLink",
                           types.DocumentLinkParams(text_document=document))
    assert [link.target for link in links] == [(tmp_path / "helpers.py").as_uri()]
    symbols = await answered(client, o.workspace_symbol_provider, "workspace/symbol", types.WorkspaceSymbolParams(query="twice"))
    assert [s.name for s in symbols] == ["twice"]


@pytest.mark.asyncio
async def test_settings_and_files_that_change(client):
    uri, text = opened(client, "vector_add.py")
    await diagnostics(client, uri, lambda codes: codes == [])
    client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings={"tilewright": {}}))
    client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(
        changes=[types.FileEvent(uri=EXAMPLES.as_uri() + "/other.py", type=types.FileChangeType.Created)]))
    client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(
        event=types.WorkspaceFoldersChangeEvent(added=[], removed=[types.WorkspaceFolder(uri=EXAMPLES.as_uri(), name="e")])))
    await diagnostics(client, uri, lambda codes: codes == [])
    client.text_document_did_close(types.DidCloseTextDocumentParams(text_document=types.TextDocumentIdentifier(uri=uri)))
