"""Drives every request of the language server through the client of pygls, and compares the answers with snapshots."""

import asyncio
import json
import os
import pathlib
import shutil
import sys

from lsprotocol import converters, types
from pygls.lsp.client import LanguageClient

HERE = pathlib.Path(__file__).parent
CONVERTER = converters.get_converter()
WRITE = os.environ.get("KRIPKE_SNAPSHOTS") == "write"

# A model of each language with the word at which requests ask, and its occurrence.
MODELS = [
    ("protocol.pml", "data", 2),
    ("mutex.dve", "turn", 2),
    ("buffer.esml", "count", 2),
]


def position(text, word, number):
    at = -1
    for _ in range(number):
        at = text.index(word, at + 1)
    line = text.count("\n", 0, at)
    column = at - (text.rfind("\n", 0, at) + 1)
    return types.Position(line=line, character=len(text[at - column : at].encode("utf-16-le")) // 2)


class Client:
    def __init__(self, program):
        self.program = program
        self.client = LanguageClient("kripke-test", "1")
        self.diagnostics = {}
        self.progress = []
        self.changed = asyncio.Event()

        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params):
            self.diagnostics[params.uri] = params
            self.changed.set()

        @self.client.feature(types.PROGRESS)
        def progressed(params):
            self.progress.append(params.value)
            self.changed.set()

        @self.client.feature(types.WINDOW_WORK_DONE_PROGRESS_CREATE)
        def create(params):
            return None

        @self.client.feature(types.WORKSPACE_CODE_LENS_REFRESH)
        def refresh(*_):
            return None

        @self.client.feature(types.WINDOW_LOG_MESSAGE)
        def logged(params):
            self.log = params.message

    async def start(self):
        await self.client.start_io(self.program, "lsp")
        capabilities = types.ClientCapabilities()
        answer = await self.client.initialize_async(types.InitializeParams(capabilities=capabilities, process_id=None, root_uri=None))
        self.client.initialized(types.InitializedParams())
        return answer

    async def until(self, condition):
        while not condition():
            self.changed.clear()
            await asyncio.wait_for(self.changed.wait(), 120)

    async def open(self, uri, language, text):
        document = types.TextDocumentItem(uri=uri, language_id=language, version=1, text=text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=document))
        await self.until(lambda: uri in self.diagnostics and self.diagnostics[uri].version == 1)

    async def change(self, uri, version, text):
        change = types.TextDocumentContentChangeWholeDocument(text=text)
        document = types.VersionedTextDocumentIdentifier(uri=uri, version=version)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(text_document=document, content_changes=[change]))
        await self.until(lambda: self.diagnostics[uri].version == version)

    async def stop(self):
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()


async def answers(client, uri, text, at):
    """The answers to all requests about a document."""
    c = client.client
    document = types.TextDocumentIdentifier(uri=uri)
    end = types.Position(line=text.count("\n"), character=0)
    whole = types.Range(start=types.Position(line=0, character=0), end=end)
    place = {"text_document": document, "position": at}
    options = types.FormattingOptions(tab_size=4, insert_spaces=True)
    context = types.CodeActionContext(diagnostics=[])
    yield "completion", await c.text_document_completion_async(types.CompletionParams(**place))
    yield "hover", await c.text_document_hover_async(types.HoverParams(**place))
    yield "signatureHelp", await c.text_document_signature_help_async(types.SignatureHelpParams(**place))
    yield "definition", await c.text_document_definition_async(types.DefinitionParams(**place))
    reference = types.ReferenceParams(context=types.ReferenceContext(include_declaration=True), **place)
    yield "references", await c.text_document_references_async(reference)
    yield "documentHighlight", await c.text_document_document_highlight_async(types.DocumentHighlightParams(**place))
    yield "documentSymbol", await c.text_document_document_symbol_async(types.DocumentSymbolParams(text_document=document))
    yield "workspaceSymbol", await c.workspace_symbol_async(types.WorkspaceSymbolParams(query="s"))
    yield "codeAction", await c.text_document_code_action_async(types.CodeActionParams(text_document=document, range=whole, context=context))
    yield "codeLens", await c.text_document_code_lens_async(types.CodeLensParams(text_document=document))
    yield "formatting", await c.text_document_formatting_async(types.DocumentFormattingParams(text_document=document, options=options))
    yield "prepareRename", await c.text_document_prepare_rename_async(types.PrepareRenameParams(**place))
    yield "rename", await c.text_document_rename_async(types.RenameParams(new_name="renamed", **place))
    yield "foldingRange", await c.text_document_folding_range_async(types.FoldingRangeParams(text_document=document))
    yield "inlayHint", await c.text_document_inlay_hint_async(types.InlayHintParams(text_document=document, range=whole))
    yield "semanticTokens", await c.text_document_semantic_tokens_full_async(types.SemanticTokensParams(text_document=document))


def plain(value, work):
    text = json.dumps(CONVERTER.unstructure(value), indent=1, ensure_ascii=False)
    return text.replace(work.as_uri(), "file://WORK").replace(str(work), "WORK")


def compare(name, text):
    path = HERE / "expected" / name
    if WRITE:
        path.write_text(text)
        return True
    expected = path.read_text() if path.exists() else ""
    if expected == text:
        return True
    (pathlib.Path(sys.argv[2]) / "found.txt").write_text(text)
    print(f"{name}: the answers differ")
    for number, (one, other) in enumerate(zip(expected.splitlines(), text.splitlines())):
        if one != other:
            print(f"  line {number + 1}: expected {one!r}, found {other!r}")
            break
    return False


async def drive(program, work):
    same = True
    for name, word, number in MODELS:
        client = Client(program)
        capabilities = await client.start()
        path = work / name
        shutil.copy(HERE / name, path)
        text, uri = path.read_text(), path.as_uri()
        await client.open(uri, path.suffix, text)
        out = [f"== diagnostics\n{plain(client.diagnostics[uri].diagnostics, work)}"]
        async for method, answer in answers(client, uri, text, position(text, word, number)):
            out.append(f"== {method}\n{plain(answer, work)}")
        out += await misspelt(client, uri, text, word, work)
        out += await checked(client, uri, path, text, work)
        if name == MODELS[0][0]:
            out.append(f"== capabilities\n{plain(capabilities.capabilities, work)}")
        same &= compare(path.stem + path.suffix.replace(".", "-") + ".txt", "\n".join(out) + "\n")
        await client.stop()
    return same


async def misspelt(client, uri, text, word, work):
    """A misspelt word gives a diagnostic and a fix; applying the fix gives the text again."""
    at = text.rindex(word)
    wrong = text[:at] + word[:-1] + text[at + len(word) :]
    await client.change(uri, 2, wrong)
    found = client.diagnostics[uri].diagnostics
    document = types.TextDocumentIdentifier(uri=uri)
    context = types.CodeActionContext(diagnostics=found)
    ranges = [d.range for d in found]
    actions = []
    for place in ranges:
        params = types.CodeActionParams(text_document=document, range=place, context=context)
        actions += await client.client.text_document_code_action_async(params) or []
    assert any(edit.new_text == word for a in actions for edits in a.edit.changes.values() for edit in edits), "no fix"
    return [f"== misspelt\n{plain(found, work)}", f"== fixes\n{plain(actions, work)}"]


async def checked(client, uri, path, text, work):
    """A check in the background: progress, a verdict in the lens, the violation as a diagnostic."""
    await client.change(uri, 3, text)
    client.progress.clear()
    await client.client.workspace_execute_command_async(types.ExecuteCommandParams(command="kripke.check", arguments=[uri]))
    await client.until(lambda: any(getattr(p, "kind", None) == "end" or isinstance(p, dict) and p.get("kind") == "end" for p in client.progress))
    lenses = await client.client.text_document_code_lens_async(types.CodeLensParams(text_document=types.TextDocumentIdentifier(uri=uri)))
    kinds = [p["kind"] if isinstance(p, dict) else p.kind for p in client.progress]
    assert kinds[0] == "begin" and kinds[-1] == "end", kinds
    out = [f"== checked\n{plain(client.diagnostics[uri].diagnostics, work)}", f"== lenses\n{plain(lenses, work)}"]
    try:
        await client.client.workspace_execute_command_async(types.ExecuteCommandParams(command="kripke.nothing", arguments=[uri]))
        raise AssertionError("an unknown command is accepted")
    except Exception as error:  # pygls has an exception for each error of the protocol
        out.append(f"== unknown command\n{error}")
    return out


def main():
    same = asyncio.run(drive(sys.argv[1], pathlib.Path(sys.argv[2]).resolve()))
    print("every answer is as expected" if same else "some answers differ")
    sys.exit(0 if same else 1)


if __name__ == "__main__":
    main()
