-- A session in Neovim: nvim --clean --headless -l neovim.lua SERVER EXAMPLE. Any error ends it with status 1.
local server, example = arg[1], arg[2]
local exit_code

local function wait(what, happened)
  if not vim.wait(20000, happened, 5) then error("waited in vain for " .. what) end
  print("ok    " .. what)
end

local function check(what, holds, got)
  if not holds then error(what .. " does not hold: " .. vim.inspect(got)) end
  print("ok    " .. what)
end

vim.lsp.config("tilewright", {
  cmd = { server, "lsp" },
  filetypes = { "python" },
  root_markers = { "tilewright.toml" },
  on_exit = function(code) exit_code = code end,
})
vim.lsp.enable("tilewright")
vim.cmd.filetype("on")
vim.cmd.edit(example)
vim.bo.filetype = "python"
local buffer = vim.api.nvim_get_current_buf()

local function codes()
  local found = {}
  for _, d in ipairs(vim.diagnostic.get(buffer)) do found[#found + 1] = d.code end
  table.sort(found)
  return table.concat(found, " ")
end

local client
wait("the server is attached", function()
  client = vim.lsp.get_clients({ name = "tilewright", bufnr = buffer })[1]
  return client and client.initialized
end)
check("it says who it is", client.server_info.name == "tilewright", client.server_info)
check("it accepts incremental changes", vim.tbl_get(client.server_capabilities, "textDocumentSync", "change") == 2,
  client.server_capabilities.textDocumentSync)

wait("the warning of the example", function() return codes() == "TW3106" end)
local warning = vim.diagnostic.get(buffer)[1]
check("it lies on the call", vim.api.nvim_buf_get_lines(buffer, warning.lnum, warning.lnum + 1, true)[1]
  :sub(warning.col + 1, warning.end_col) == "Tx.warp.copy(A_smem[:, :], A[:, :])", warning)

-- An edit behind characters of one, two and four bytes, then another one that fixes it.
local line = warning.lnum
vim.api.nvim_buf_set_lines(buffer, line, line, true, { '    T.evaluate("aé😀" + missing)' })
wait("an error after an edit", function() return codes():find("TW2002") ~= nil end)
for _, d in ipairs(vim.diagnostic.get(buffer)) do
  if d.code == "TW2002" then
    local text = vim.api.nvim_buf_get_lines(buffer, d.lnum, d.lnum + 1, true)[1]
    check("its columns are the editor's", text:sub(d.col + 1, d.end_col) == "missing", d)
  end
end
vim.cmd.undo()
wait("the error is gone after undo", function() return codes() == "TW3106" end)
vim.api.nvim_buf_set_text(buffer, line, 0, line, 0, { "    # one more line", "" })
wait("the warning moves with its line", function()
  local d = vim.diagnostic.get(buffer)[1]
  return codes() == "TW3106" and d.lnum == line + 1
end)
line = line + 1

-- What is offered has to answer; what is not offered yet is passed over.
local function at(lnum, text)
  local column = vim.api.nvim_buf_get_lines(buffer, lnum, lnum + 1, true)[1]:find(text, 1, true)
  vim.api.nvim_win_set_cursor(0, { lnum + 1, column })
  return vim.lsp.util.make_position_params(0, client.offset_encoding)
end
local function ask(method, params)
  local answer, why = client:request_sync(method, params, 20000, buffer)
  if not answer or answer.err then error(method .. " failed: " .. vim.inspect(why or answer.err)) end
  return answer.result
end
if client:supports_method("textDocument/hover") then
  local hover = ask("textDocument/hover", at(line, "copy"))
  check("hover on a tile primitive names its variant", hover and vim.inspect(hover.contents):find("fallback"), hover)
end
if client:supports_method("textDocument/definition") then
  local found = ask("textDocument/definition", at(line, "A_smem"))
  found = found and (found[1] or found)
  local range = found and (found.targetSelectionRange or found.targetRange or found.range)
  local text = range and vim.api.nvim_buf_get_lines(buffer, range.start.line, range.start.line + 1, true)[1] or ""
  check("the definition of a buffer is where it is allocated", text:find("alloc_buffer"), found)
end
if client:supports_method("textDocument/completion") then
  check("completion answers", ask("textDocument/completion", at(line, "copy")) ~= nil)
end
if client:supports_method("textDocument/documentSymbol") then
  local symbols = ask("textDocument/documentSymbol", { textDocument = vim.lsp.util.make_text_document_params(buffer) })
  check("the kernel is among the symbols", vim.inspect(symbols):find("odd_tile"), symbols)
end

-- A second document of the same server, without a name on disk.
vim.cmd.new()
local second = vim.api.nvim_get_current_buf()
vim.api.nvim_buf_set_name(second, "untitled://second")
vim.api.nvim_buf_set_lines(second, 0, -1, true, { "def f(:" })
vim.lsp.buf_attach_client(second, client.id)
wait("diagnostics of a document without a file", function() return #vim.diagnostic.get(second) > 0 end)
vim.api.nvim_buf_delete(second, { force = true })

client:stop()
wait("the server has ended", function() return exit_code ~= nil end)
check("its exit status is 0", exit_code == 0, exit_code)
local log = io.open(vim.lsp.log.get_filename())
local written = log and log:read("a") or ""
check("the editor logged no error", not written:find("%[ERROR%]"), written)
vim.cmd.quitall({ bang = true })
