// The language client serves Python documents; this lets through only tile scripts, so that another extension's answers
// for plain Python are not doubled. A document that becomes a tile script while it is typed is opened then.
import * as vscode from 'vscode';
import { DidOpenTextDocumentNotification, DocumentDiagnosticRequest, type LanguageClient, type Middleware } from 'vscode-languageclient/node';
import { isScript } from './scripts';

const answers = [
  'provideCompletionItem', 'provideHover', 'provideSignatureHelp', 'provideDefinition', 'provideTypeDefinition', 'provideDeclaration',
  'provideReferences', 'provideDocumentHighlights', 'provideDocumentSymbols', 'provideCodeActions', 'provideCodeLenses',
  'provideDocumentLinks', 'provideRenameEdits', 'prepareRename', 'provideFoldingRanges', 'provideSelectionRanges', 'prepareCallHierarchy',
  'provideDocumentSemanticTokens', 'provideDocumentSemanticTokensEdits', 'provideDocumentRangeSemanticTokens', 'provideInlayHints',
  'provideLinkedEditingRange',
] as const;

type Next = (...all: unknown[]) => unknown;

export class Gate {
  private readonly open = new Set<string>();

  knows(document: vscode.TextDocument): boolean {
    return this.open.has(document.uri.toString());
  }

  // A server that is started again is told of everything again.
  forget(): void {
    this.open.clear();
  }

  middleware(client: () => LanguageClient): Middleware {
    const gated: Record<string, Next> = {};
    for (const name of answers) {
      gated[name] = (...all) => {
        const next = all.pop() as Next;
        return this.knows(all[0] as vscode.TextDocument) ? next(...all) : null;
      };
    }
    return {
      ...(gated as Middleware),
      provideDiagnostics: async (document, previous, token, next) => {
        // Files that are not open are the workspace's diagnostics.
        if (document instanceof vscode.Uri || this.knows(document)) return next(document, previous, token);
        return { kind: 'full', items: [] } as never;
      },
      didOpen: async (document, next) => {
        if (!isScript(document)) return;
        this.open.add(document.uri.toString());
        await next(document);
      },
      didChange: async (event, next) => {
        if (this.knows(event.document)) return next(event);
        if (isScript(event.document)) await this.openNow(event.document, client());
      },
      didSave: async (document, next) => {
        if (this.knows(document)) await next(document);
      },
      didClose: async (document, next) => {
        if (this.open.delete(document.uri.toString())) await next(document);
      },
    };
  }

  private async openNow(document: vscode.TextDocument, client: LanguageClient): Promise<void> {
    this.open.add(document.uri.toString());
    await client.sendNotification(DidOpenTextDocumentNotification.type, client.code2ProtocolConverter.asOpenTextDocumentParams(document));
    client.getFeature(DocumentDiagnosticRequest.method)?.getProvider(document)?.onDidChangeDiagnosticsEmitter.fire();
  }
}
